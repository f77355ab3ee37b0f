import {wantsColour} from '../../output/text/colour.ts';
import {commandLines} from '../../output/text/command-lines.ts';
import {unitsOf, withoutLoneWord} from '../../output/text/units.ts';

/**
 * Help before its lines are broken: text with blocks in it that depend on the width. The build writes it once for all
 * widths, and the launcher lays it out, with this file and nothing else: it imports almost nothing.
 */

/** A piece of help, laid out by `layOut`. */
export type Block =
  /** A paragraph, in lines that are this much shorter than the terminal. */
  | {wrap: string; less: number}
  /** A list in two columns, or below each other if the second would be too narrow. */
  | {rows: Row[]; less: number}
  /** A command line; `allowance`: how much longer it counts than it is */
  | {usage: string; allowance: number}
  /** An example, which can be copied also where it is broken. */
  | {example: string; less: number}
  /** A route, which stays whole; the origin in brackets after it may have a line of its own. */
  | {route: string; less: number};

/** The second column may have a block of its own. */
export type Row = [left: string, right?: string | undefined];

// Characters that no help has, and that JSON escapes, so that a block can be within another.
const [START, END] = ['\u000e', '\u000f'];
// eslint-disable-next-line regexp/no-super-linear-backtracking -- our own help
const BLOCK = /^(.*)\u000e(.*)\u000f/gm;
const STYLES = /\u001b\[\d+m/g;
const INDENT = 2;
/** A list with a longer item is not in two columns. */
const MOST_LINES = 5;

export const block = (one: Block): string => START + JSON.stringify(one) + END;

/** How help is laid out: its width, and whether it has styles (bold, underlined). */
export interface HelpLayout {
  width: number;
  styles: boolean;
}

/** Maximum width of help; longer lines are hard to read. */
const MAX_WIDTH = 120;

/** The help for a stream: as wide as the terminal, and with styles if it shows colours. */
export function placeOf(
  {isTTY: isTerminal = false, columns}: {isTTY?: boolean | undefined; columns?: number | undefined},
  env: Readonly<Record<string, string | undefined>>,
): HelpLayout {
  return {
    width: Math.min(MAX_WIDTH, (isTerminal && columns) || 80),
    styles: isTerminal && wantsColour({setting: 'auto', env, isTerminal}),
  };
}

/** The text at a place. */
export function layOut(form: string, {width, styles}: HelpLayout): string {
  const text = `${expanded(form, width)
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()}\n`;
  return styles ? text : text.replaceAll(STYLES, '');
}

/** What precedes a block is repeated before each of its lines, except empty ones. */
const expanded = (form: string, width: number): string =>
  form.replaceAll(BLOCK, (_, before: string, json: string) =>
    linesOf(JSON.parse(json) as Block, width)
      .split('\n')
      .map((line) => (line.trim() === '' ? line : before + line))
      .join('\n'),
  );

function linesOf(one: Block, width: number): string {
  if ('wrap' in one) return wrapped(one.wrap, width - one.less);
  if ('rows' in one) return list(one.rows, width - one.less, width);
  if ('example' in one) return commandLines('', one.example, width - one.less, widthOf).join('\n');
  if ('route' in one)
    return one.route.length <= width - one.less ? one.route : one.route.replace(/ (?=\([^(]*\)$)/, '\n  ');
  return usage(one.usage, one.allowance, width);
}

function usage(line: string, allowance: number, width: number): string {
  const allowed = width - INDENT;
  if (line.length + allowance <= allowed) return wrapped(line, allowed);
  const split = Math.max(0, line.slice(0, Math.max(0, allowed - allowance)).lastIndexOf(' '));
  return `${line.slice(0, split)}\n${indented(wrapped(line.slice(split), width - 2 * INDENT), INDENT)}`;
}

function list(rows: readonly Row[], columns: number, width: number): string {
  const first = Math.max(...rows.map(([left]) => widthOf(left)));
  const beside = (text: string): string[] =>
    wrapped(text.trim(), columns - first - 2)
      .split('\n')
      .map((line) => line.trim());
  const lines = rows.map(([left, right]) => {
    if (!right) return left.trim();
    if (beside(expanded(right, width)).length > MOST_LINES) return undefined; // oclif wraps the text twice before it counts
    const [head, ...rest] = beside(expanded(right, Infinity));
    const start = left + ' '.repeat(first - widthOf(left) + 2) + head;
    return rest.length === 0 ? start : `${start}\n${indented(rest.join('\n'), first + 2)}`;
  });
  return (lines.includes(undefined) ? belowEachOther(rows, columns, width) : lines.join('\n')).trimEnd();
}

const belowEachOther = (rows: readonly Row[], columns: number, width: number): string =>
  rows
    .map(([left, right]): Row => [left, right && expanded(right, width)])
    .filter(([left, right]) => left || right)
    .map(([left, right]) => {
      const head = left && wrapped(left.trim(), columns);
      return right ? `${head}\n${indented(wrapped(right.trim(), columns - 2), 4)}` : head;
    })
    .join('\n\n');

const indented = (text: string, by: number): string => text.replaceAll(/^(?!\s*$)/gm, ' '.repeat(by));

/** Every character of the help is one column wide; the build checks that. */
const widthOf = (text: string): number => text.replaceAll(STYLES, '').length;

/** Lines of at most this many columns, broken between words, and within those that are longer than a line. */
const wrapped = (text: string, columns: number): string =>
  text
    .split('\n')
    .map((line) => wrappedLine(line, columns))
    .join('\n');

function wrappedLine(line: string, columns: number): string {
  if (line.trim() === '') return '';
  const rows: string[][] = [];
  let row: string[] = [];
  const next = () => {
    rows.push(row);
    row = [];
  };
  for (const part of partsOf(line, columns)) {
    while (row[0] === '') row.shift(); // a line begins with a word
    const used = row.length === 0 ? 0 : widthOf(row.join(' ')) + 1;
    const length = widthOf(part);
    if (length > columns) {
      const here = 1 + Math.floor((length - (columns - used) - 1) / columns);
      if (Math.floor((length - 1) / columns) < here) next();
      row.push('');
      for (const letter of part) {
        if (widthOf(row.join(' ')) >= columns) {
          next();
          row.push('');
        }
        row[row.length - 1] += letter;
      }
      continue;
    }
    if (used + length > columns && used > 0 && length > 0) next();
    row.push(part);
  }
  const fits = (words: readonly string[]) => widthOf(words.join(' ')) <= columns;
  return withoutLoneWord([...rows, row], fits)
    .map((words) => words.join(' ').trimEnd())
    .join('\n');
}

/** Parts that stay on one line, as far as they fit. */
const partsOf = (line: string, columns: number): string[] =>
  unitsOf(line.split(' ')).flatMap((unit) => (widthOf(unit) > columns ? unit.split(' ') : [unit]));
