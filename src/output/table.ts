import {valueAt} from './select.ts';
import {text, type Eye, type Field, type View} from './view.ts';
import {cellWidth} from './width.ts';
import {wrapLines} from './wrap.ts';

const GAP = 2;

export interface TableOptions {
  /** Terminal width; ignored in a pipe. */
  columns: number;
  fields: readonly string[];
  eye: Eye;
}

/**
 * A table written in pieces, so that a list of any length takes little memory. In a pipe: a header line and one
 * tab-separated line per record, with all columns. On a terminal: aligned, without the less important columns if they
 * do not fit.
 */
export class TableWriter {
  readonly #view: View | undefined;
  readonly #options: TableOptions;
  #columns: readonly Field[] | undefined;
  #widths: number[] = [];
  /** The width at which each column is broken between words; Infinity if it is not broken. */
  #breaks: number[] = [];
  /** Labels of columns that did not fit. */
  leftOut: string[] = [];

  constructor(view: View | undefined, options: TableOptions) {
    this.#view = view;
    this.#options = options;
  }

  /** The text of some more records; the first piece determines the columns. */
  async piece(records: readonly unknown[]): Promise<string> {
    const {eye} = this.#options;
    const first = this.#columns === undefined;
    const all = this.#columns ?? this.#candidates(records);
    const rows = records.map((record) =>
      all.map((field) => field.show(valueAt(record, field.path), record, eye)),
    );
    const heads = all.map((field) => field.label);
    if (!eye.terminal) {
      this.#columns = all;
      return (first ? [heads, ...rows] : rows).map((cells) => `${cells.join('\t')}\n`).join('');
    }
    const kept = first ? this.#fit(all, rows, heads) : all.map((_, index) => index);
    this.#columns = kept.map((index) => all[index]!);
    if (first) this.#breaks = this.#breakWidest(kept, rows, heads);
    const keep = (cells: readonly string[]) =>
      kept.map((index, at) => wrapLines(cells[index]!, this.#breaks[at]!, ''));
    return this.#aligned(first ? keep(heads) : undefined, rows.map(keep));
  }

  #candidates(records: readonly unknown[]): Field[] {
    const known = this.#view?.columns ?? [];
    const {fields} = this.#options;
    if (fields.length > 0)
      return fields.map((path) => known.find((field) => field.path === path) ?? text(path, path));
    if (this.#view) return [...known];
    const keys = new Set(records.flatMap((record) => Object.keys(record as object)));
    return [...keys].map((key, index) => text(key, key, index === 0 ? 0 : index));
  }

  /** Indexes of the columns that fit, dropping the highest rank first. Columns requested by name all stay. */
  #fit(all: readonly Field[], rows: readonly string[][], heads: readonly string[]): number[] {
    const widths = all.map((_, index) => widest(index, rows, heads));
    let kept = all.map((_, index) => index);
    const total = () => kept.reduce((sum, index) => sum + widths[index]! + GAP, -GAP);
    while (this.#options.fields.length === 0 && total() > this.#options.columns) {
      const worst = kept.reduce((a, b) => (all[b]!.rank >= all[a]!.rank ? b : a));
      if (all[worst]!.rank === 0) break;
      this.leftOut.push(all[worst]!.label);
      kept = kept.filter((index) => index !== worst);
    }
    return kept;
  }

  /** Breaks what is still too wide between words, the widest column first; text without spaces stays whole. */
  #breakWidest(kept: readonly number[], rows: readonly string[][], heads: readonly string[]): number[] {
    const widths = kept.map((index) => widest(index, rows, heads));
    const breaks = kept.map(() => Infinity);
    const words = kept.map((index) =>
      [heads[index]!, ...rows.map((row) => row[index]!)]
        .flatMap((cell) => cell.split(' '))
        .reduce((most, word) => Math.max(most, cellWidth(word)), 0),
    );
    for (const at of kept.map((_, index) => index).sort((a, b) => widths[b]! - widths[a]!)) {
      const over = widths.reduce((sum, width) => sum + width + GAP, -GAP) - this.#options.columns;
      if (over <= 0) break;
      if (words[at] === widths[at]) continue;
      widths[at] = breaks[at] = Math.max(words[at]!, widths[at]! - over);
    }
    return breaks;
  }

  async #aligned(heads: readonly string[] | undefined, rows: readonly string[][]): Promise<string> {
    const columns = this.#columns!;
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
    table.push(...rows.map((row) => [...row]));
    const lines = table.toString().split('\n');
    return lines.map((line) => `${line.trimEnd()}\n`).join('');
  }
}

const widest = (index: number, rows: readonly string[][], heads: readonly string[]): number =>
  rows.reduce((most, row) => Math.max(most, linesWidth(row[index] ?? '')), cellWidth(heads[index] ?? ''));

const linesWidth = (cell: string): number =>
  cell.split('\n').reduce((most, line) => Math.max(most, cellWidth(line)), 0);

const BORDERLESS = Object.fromEntries(
  ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right']
    .concat(['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid', 'middle'])
    .map((name) => [name, '']),
);
