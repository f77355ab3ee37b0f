import {markup, type Markup} from './markup.ts';

export type Tone = 'good' | 'open' | 'bad' | '';
export type Cell = Markup | string;

export interface Column<T> {
  label: string;
  /** These cells stay on one line if there is space; `n` is a number. */
  kind?: 'at' | 'n' | 'id';
  /** Not shown on a phone: the details have it. */
  isExtra?: boolean;
  cell: (record: T) => Cell;
}

export const tag = (text: string, tone: Tone): Markup =>
  markup`<span class="tag${tone !== '' && ` ${tone}`}">${text}</span>`;

/** `2026-03-02 15:04:05` */
export const moment = (iso: string): string => iso.slice(0, 19).replace('T', ' ');

/** The time of a number of milliseconds, in UTC. */
export const momentAt = (ms: number): string => moment(new Date(ms).toISOString());

export const time = (iso: string): Markup => markup`<time datetime="${iso}">${moment(iso)}</time>`;

export type Fact = [label: string, value: Cell | undefined];

/** Facts with their labels; those without a value are left out. */
export const factList = (facts: readonly Fact[]): Markup =>
  markup`<dl class="facts">${facts.map(([label, value]) => value !== undefined && value !== '' && markup`<dt>${label}</dt><dd>${value}</dd>`)}</dl>`;

/**
 * Roles are explicit: on a phone the cells are stacked, and browsers then drop the table's own roles.
 * @param detailsOf what is shown below a row that is open
 */
export function table<T>(
  caption: string,
  columns: readonly Column<T>[],
  records: readonly T[],
  detailsOf: (record: T) => Markup | undefined = () => undefined,
): Markup {
  const head = columns.map(
    (column) => markup`<th scope="col" role="columnheader"${classOf(column, ['n'])}>${column.label}</th>`,
  );
  const rows = records.map((record) => {
    const cells = columns.map(
      (column) =>
        markup`<td role="cell" data-label="${column.label}"${classOf(column, ['at', 'n', 'id'])}><span>${column.cell(record)}</span></td>`,
    );
    const details = detailsOf(record);
    const below =
      details &&
      markup`<tr role="row" class="details"><td role="cell" colspan="${columns.length}"><div>${details}</div></td></tr>
`;
    return markup`<tr role="row"${details !== undefined && markup` class="open"`}>${cells}</tr>
${below}`;
  });
  return markup`<table role="table"><caption>${caption}</caption><thead role="rowgroup"><tr role="row">${head}</tr></thead><tbody role="rowgroup">
${rows}</tbody></table>`;
}

function classOf<T>({kind, isExtra = false}: Column<T>, kinds: readonly string[]): Markup | false {
  const names = [
    ...(kind !== undefined && kinds.includes(kind) ? [kind] : []),
    ...(isExtra ? ['extra'] : []),
  ];
  return names.length > 0 && markup` class="${names.join(' ')}"`;
}
