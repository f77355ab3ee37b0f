import {commandLines} from './command-lines.ts';
import {cellWidth} from './width.ts';

/**
 * Breaks long lines between words for a terminal of `width` characters. Continuation lines are indented two more than
 * their line, so that lines can still be told apart. A word longer than a line is kept whole. A continuation line
 * never begins with a label of ours; otherwise text from the service could forge a hint. A line that is a command
 * (`Next     remit …`) continues after a backslash, so that it can be copied unchanged.
 */
export function wrapLines(text: string, width: number, further = '  '): string {
  return text
    .split('\n')
    .flatMap((line) => {
      if (cellWidth(line) <= width) return [line];
      const [, label, command] = COMMAND_LINE.exec(line) ?? [];
      return label === undefined || command === undefined
        ? wrapLine(line, width, further)
        : wrapCommand(label, command, width);
    })
    .join('\n');
}

/** Variables may be set before it; without a backslash, a break would make them a separate command. */
const COMMAND = /^(?:[A-Z_]+=\S+ )*remit /;

/** A line of a text that is a command. */
const COMMAND_LINE = /^( *(?:Next|The same as:)? +)((?:[A-Z_]+=\S+ )*remit .+)$/;

/** A hint for a terminal, which may be a command. */
export function wrapHint(hint: string, width: number): string {
  const label = 'Hint: ';
  if (!COMMAND.test(hint) || hint.includes('\n') || cellWidth(label + hint) <= width)
    return wrapLines(label + hint, width);
  return wrapCommand(label, hint, width).join('\n');
}

const wrapCommand = (label: string, command: string, width: number): string[] =>
  commandLines(label, command, width, cellWidth);

function wrapLine(line: string, width: number, further: string): string[] {
  const indent = /^ */.exec(line)?.[0] ?? '';
  const lines: string[] = [];
  let current = '';
  for (const word of wordsOf(line.slice(indent.length), width)) {
    const next = current === '' ? indent + (lines.length > 0 ? further : '') + word : `${current} ${word}`;
    if (current !== '' && cellWidth(next) > width) {
      lines.push(current);
      current = indent + further + (LABEL.test(word) ? `… ${word}` : word);
    } else current = next;
  }
  return [...lines, current];
}

const LABEL = /^(?:Hint|Error|Warning|Next):/;

/** A terminal breaks a word that is too long at its edge, so a word with a label in it is broken here. */
const wordsOf = (text: string, width: number): string[] =>
  text
    .split(/(?<=\S) (?=\S)/)
    .flatMap((word) =>
      cellWidth(word) > width ? word.split(/(?<=.)(?=(?:Hint|Error|Warning|Next):)/) : [word],
    );
