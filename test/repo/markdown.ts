import {posix} from 'node:path';

/** A table row of a page, with the heading it stands under. */
export interface TableRow {
  heading: string;
  cells: string[];
}

/** Rows of all tables of a Markdown text, without their head lines; code marks are taken off the cells. */
export function tableRows(text: string): TableRow[] {
  const rows: TableRow[] = [];
  let heading = '';
  const lines = text.split('\n');
  lines.forEach((line, index) => {
    if (/^#+ /.test(line)) heading = line.replace(/^#+ /, '');
    const isRow = line.startsWith('|') && !isRule(line) && !isRule(lines[index + 1] ?? '');
    if (isRow) rows.push({heading, cells: cellsOf(line)});
  });
  return rows;
}

const isRule = (line: string): boolean => /^\|[-| :]+\|$/.test(line);
const cellsOf = (line: string): string[] =>
  line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('`', '').replaceAll('\\|', '|'));

/** Lines of the fenced code blocks of one language (`console`, `sh`), with their line numbers. */
export function codeLines(text: string, languages: readonly string[]): {line: number; code: string}[] {
  const found: {line: number; code: string}[] = [];
  let fence: string | undefined;
  text.split('\n').forEach((line, index) => {
    const mark = /^\s*```(\w*)/.exec(line);
    if (mark) fence = fence === undefined ? mark[1] : undefined;
    else if (fence !== undefined && languages.includes(fence)) found.push({line: index + 1, code: line});
  });
  return found;
}

/** Files that a page links to, relative to the root of the project as its own path is; anchors are cut off. */
export const linkedFiles = (path: string, text: string): string[] =>
  [...text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
    .map(([, target]) => target!)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => posix.join(posix.dirname(path), target));
