import {commandLines} from './command-lines.ts';
import {isCommand, LABEL, unitsOf, withoutLoneWord} from './units.ts';
import {cellWidth} from './width.ts';

/**
 * Breaks long lines between words for a terminal of `width` characters. Continuation lines are indented by `further` more
 * than their line, so that lines can still be told apart; those of a line in two columns are in the second one. A word
 * longer than a line is kept whole. A continuation line never begins with a label of ours; otherwise text from the service
 * could forge a hint. A command to type is broken only if it is longer than a line, and then continues after a backslash, so
 * that it can be copied unchanged.
 */
export function wrapLines(text: string, width: number, further = '  '): string {
  return text
    .split('\n')
    .flatMap((line) => {
      if (cellWidth(line) <= width) return [line];
      const [, label, command] = COMMAND_LINE.exec(line) ?? [];
      return label === undefined || command === undefined || !isCommand(command)
        ? wrapLine(line, width, further)
        : wrapCommand(label, command, width);
    })
    .join('\n');
}

/** A value in a cell or a card: nothing in it is a command to type. */
export const wrapValue = (text: string, width: number): string =>
  text
    .split('\n')
    .flatMap((line) =>
      cellWidth(line) <= width ? [line] : filled(wordsOf(line, width), {first: '', next: '', width}),
    )
    .map((line) => (typeof line === 'string' ? line : textOf(line)))
    .join('\n');

/** A line of a text that is a command. */
const COMMAND_LINE = /^((?: *(?:Next|The same as:|Hint:))? +)((?:[A-Z_]+=\S+ )*remit .+)$/;

/** A hint for a terminal, which may be a command. */
export const wrapHint = (hint: string, width: number): string => wrapLines(`Hint: ${hint}`, width);

const wrapCommand = (label: string, command: string, width: number): string[] =>
  commandLines(label, command, width, cellWidth);

/** A line that is being filled; lines of a command are complete. */
type Line = {start: string; parts: readonly string[]} | string;

const textOf = (line: Line): string => (typeof line === 'string' ? line : line.start + line.parts.join(' '));

function wrapLine(line: string, width: number, further: string): string[] {
  const indent = /^ */.exec(line)?.[0] ?? '';
  const next = ' '.repeat(secondColumn(line, width)) || indent + further;
  const parts = unitsOf(wordsOf(line.slice(indent.length), width)).flatMap((unit) =>
    cellWidth(next + unit) <= width || isCommand(unit) ? [unit] : unit.split(' '),
  );
  const lines = filled(parts, {first: indent, next, width});
  const open = lines.flatMap((one) => (typeof one === 'string' ? [] : [one.parts]));
  if (open.length < lines.length) return lines.map(textOf);
  const fits = (words: readonly string[]) =>
    !LABEL.test(words[0] ?? '') && cellWidth(next + words.join(' ')) <= width;
  return withoutLoneWord(open, fits).map((words, at) => (at === 0 ? indent : next) + words.join(' '));
}

/** Parts in lines. A command that is longer than a line has its own lines, without the punctuation after it. */
function filled(
  parts: readonly string[],
  {first, next, width}: {first: string; next: string; width: number},
): Line[] {
  const lines: Line[] = [];
  let start = first;
  let current: string[] = [];
  const end = () => {
    if (current.length > 0) lines.push({start, parts: current});
    if (lines.length > 0) start = next;
    current = [];
  };
  for (const part of parts) {
    const isLong = isCommand(part) && cellWidth(next + part) > width;
    const label = current.length === 1 && lines.length === 0 && LABEL.test(current[0] ?? '');
    if (isLong && label) start += `${current.pop()} `;
    else if (cellWidth(start + [...current, part].join(' ')) > width) end();
    if (isLong) {
      lines.push(...wrapCommand(start, part.replace(/[.,;]$/, ''), width));
      end();
      continue;
    }
    const isFirst = current.length === 0 && lines.length > 0;
    current.push(isFirst && LABEL.test(part) ? `… ${part}` : part);
  }
  end();
  return lines;
}

/**
 * Where the second column of a line begins: after the last gap of at least two spaces in its first half. 0 if it has
 * none.
 */
function secondColumn(line: string, width: number): number {
  const gaps = [...line.matchAll(/(?<=\S) {2,}(?=\S)/g)].map(({0: gap, index}) =>
    cellWidth(line.slice(0, index + gap.length)),
  );
  return gaps.findLast((column) => column <= width / 2) ?? 0;
}

/** A terminal breaks a word that is too long at its edge, so a word with a label in it is broken here. */
const wordsOf = (text: string, width: number): string[] =>
  text
    .split(/(?<=\S) (?=\S)/)
    .flatMap((word) =>
      cellWidth(word) > width ? word.split(/(?<=.)(?=(?:Hint|Error|Warning|Next):)/) : [word],
    );
