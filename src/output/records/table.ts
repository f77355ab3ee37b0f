import {isObject, must, type Json} from '../../narrow.ts';
import {fitColumns, GAP} from './fit.ts';
import {fieldNamed} from './known-fields.ts';
import {selectedValue} from './select.ts';
import {text, type Eye, type Field, type View} from './view.ts';
import {cellWidth} from '../text/width.ts';
import {wrapValue} from '../text/wrap.ts';

export interface TableOptions {
  /** Terminal width; ignored in a pipe. */
  columns: number;
  fields: readonly string[];
  eye: Eye;
  /** Most records of one piece. A first piece with fewer is the whole list. */
  pieceSize: number;
}

/**
 * A table written in pieces, so that a list of any length takes little memory. In a pipe: a header line and one
 * tab-separated line per record, with all columns. On a terminal: aligned, and without the less important
 * columns if they do not fit.
 */
export class TableWriter {
  readonly #view: View | undefined;
  readonly #options: TableOptions;
  #columns: readonly Field[] | undefined;
  #widths: number[] = [];
  /** The width at which each column is broken between words; Infinity if it is not broken. */
  #breaks: number[] = [];
  /** Columns that did not fit. */
  leftOut: readonly Field[] = [];

  constructor(view: View | undefined, options: TableOptions) {
    this.#view = view;
    this.#options = options;
  }

  /** The columns, once a first piece was written. */
  get shown(): readonly Field[] {
    return this.#columns ?? [];
  }

  /** The text of some more records; the first piece determines the columns. */
  async piece(records: readonly Json[]): Promise<string> {
    const {eye} = this.#options;
    const first = this.#columns === undefined;
    const all = this.#columns ?? this.#candidates(records);
    const rows = records.map((record) =>
      all.map((field) => boundedCell(field.show(selectedValue(record, field.path), record, eye), eye)),
    );
    const heads = all.map((field) => field.label);
    if (!eye.terminal) {
      this.#columns = all;
      return (first ? [heads, ...rows] : rows).map((cells) => `${cells.join('\t')}\n`).join('');
    }
    const kept = first ? this.#fit(all, rows, heads) : all.map((_, index) => index);
    this.#columns = kept.map((index) => columnAt(all, index));
    const shown = rows.map((cells) => kept.map((index) => cells[index] ?? ''));
    const keptHeads = kept.map((index) => heads[index] ?? '');
    if (first) this.#breaks = this.#breakWidest(shown, keptHeads);
    const broken = (cells: readonly string[]) =>
      cells.map((cell, at) => wrapValue(cell, this.#breaks[at] ?? Infinity));
    return this.#aligned(this.#columns, first ? broken(keptHeads) : undefined, shown.map(broken));
  }

  #candidates(records: readonly Json[]): Field[] {
    const known = this.#view?.columns ?? [];
    const {fields} = this.#options;
    if (fields.length > 0) return fields.map((path) => fieldNamed(path, known));
    if (this.#view) return [...known];
    const keys = new Set(records.flatMap((record) => (isObject(record) ? Object.keys(record) : [])));
    return [...keys].map((key, index) => text(key, key, index === 0 ? 0 : index));
  }

  /** Indexes of the columns that fit. Columns requested by name all stay. */
  #fit(all: readonly Field[], rows: readonly string[][], heads: readonly string[]): number[] {
    const {fields, columns, pieceSize} = this.#options;
    const every = all.map((_, index) => index);
    if (fields.length > 0) return every;
    const isWhole = rows.length < pieceSize;
    const present = every.filter(
      (index) =>
        !(isWhole && columnAt(all, index).optional === true && rows.every((row) => row[index] === '-')),
    );
    const sizes = present.map((index) => ({
      rank: columnAt(all, index).rank,
      width: widest(index, rows, heads),
      least: longestWord(index, rows, heads),
    }));
    const kept = fitColumns(sizes, columns);
    this.leftOut = present.filter((_, at) => !kept.includes(at)).map((index) => columnAt(all, index));
    return kept.map((at) => must(present[at], 'column of this table'));
  }

  /**
   * Breaks what is still too wide between words, the widest column first; text without spaces stays whole. In later
   * pieces, text may take the room that is left.
   */
  #breakWidest(rows: readonly string[][], heads: readonly string[]): number[] {
    const {fields, columns} = this.#options;
    const widths = heads.map((_, index) => widest(index, rows, heads));
    const breaks = heads.map(() => Infinity);
    const over = () => widths.reduce((sum, width) => sum + width + GAP, -GAP) - columns;
    for (const [at, width] of [...widths.entries()].sort(([, a], [, b]) => b - a)) {
      if (over() <= 0) break;
      const word = longestWord(at, rows, heads);
      if (word < width) widths[at] = breaks[at] = Math.max(word, width - over());
    }
    const left = Math.max(0, -over());
    const isText = (at: number) => fields.length === 0 && this.#columns?.[at]?.optional === true;
    return breaks.map((width, at) => (isText(at) ? Math.min(width, (widths[at] ?? 0) + left) : width));
  }

  async #aligned(
    columns: readonly Field[],
    heads: readonly string[] | undefined,
    rows: readonly string[][],
  ): Promise<string> {
    this.#widths = columns.map((_, index) =>
      Math.max(this.#widths[index] ?? 0, widest(index, rows, heads ?? [])),
    );
    const {default: Table} = await import('cli-table3');
    const {paint} = this.#options.eye;
    const table = new Table({
      ...(heads ? {head: heads.map((head) => paint('bold', head))} : {}),
      chars: BORDERLESS,
      style: {'padding-left': 0, 'padding-right': GAP, head: [], border: [], compact: true},
      colWidths: this.#widths.map((width) => width + GAP),
      colAligns: columns.map((field) => field.align ?? 'left'),
    });
    // One line each: cli-table3 measures a cell of many lines once for each of them and each of its characters.
    table.push(...rows.flatMap(linesOf));
    const lines = table.toString().split('\n');
    return lines.map((line) => `${line.trimEnd()}\n`).join('');
  }
}

/** More of a value does not help on a screen, and takes long to measure; -o json has all of it. */
const MOST_IN_CELL = 2000;

/** Half a character, or a part of a colour code, at the end of a cut text. */
const CUT_OFF = /(?:[\ud800-\udbff]|\u001b(?:\[\d*)?)$/;
/** The codes of `ansiPaint`. */
const COLOUR = /\u001b\[\d+m/g;

/** Keeps the colour codes of the rest, so that a colour ends in its cell. */
export function boundedCell(cell: string, {terminal}: Pick<Eye, 'terminal'>): string {
  if (!terminal || cell.length <= MOST_IN_CELL) return cell;
  const start = cell.slice(0, MOST_IN_CELL).replace(CUT_OFF, '');
  const codes = cell.slice(start.length).match(COLOUR) ?? [];
  return `${start}…${codes.join('')}`;
}

/** The lines of a row, each with a cell of every column. */
function linesOf(row: readonly string[]): string[][] {
  const cells = row.map((cell) => cell.split('\n'));
  const height = Math.max(...cells.map(({length}) => length));
  return Array.from({length: height}, (_, line) => cells.map((lines) => lines[line] ?? ''));
}

const columnAt = (columns: readonly Field[], index: number): Field =>
  must(columns[index], 'column of this table');

const widest = (index: number, rows: readonly string[][], heads: readonly string[]): number =>
  rows.reduce((most, row) => Math.max(most, linesWidth(row[index] ?? '')), cellWidth(heads[index] ?? ''));

const longestWord = (index: number, rows: readonly string[][], heads: readonly string[]): number =>
  [heads[index] ?? '', ...rows.map((row) => row[index] ?? '')]
    .flatMap((cell) => cell.split(/[ \n]/))
    .reduce((most, word) => Math.max(most, cellWidth(word)), 0);

const linesWidth = (cell: string): number =>
  cell.split('\n').reduce((most, line) => Math.max(most, cellWidth(line)), 0);

const BORDERLESS = Object.fromEntries(
  ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right']
    .concat(['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'])
    .map((name) => [name, '']),
);
