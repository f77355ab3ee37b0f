import {cellWidth} from './width.ts';

/**
 * Breaks long lines between words for a terminal of `width` characters. What is carried over stands two further in than
 * its line began, so that lines can still be told apart. A word that is longer than a line is left whole.
 */
export function wrapLines(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => (cellWidth(line) <= width ? [line] : wrapLine(line, width)))
    .join('\n');
}

function wrapLine(line: string, width: number): string[] {
  const indent = /^ */.exec(line)![0];
  const lines: string[] = [];
  let current = '';
  for (const word of line.slice(indent.length).split(/(?<=\S) (?=\S)/)) {
    const next = current === '' ? indent + (lines.length > 0 ? '  ' : '') + word : `${current} ${word}`;
    if (current !== '' && cellWidth(next) > width) {
      lines.push(current);
      current = `${indent}  ${word}`;
    } else current = next;
  }
  return [...lines, current];
}
