import {markup, type Markup} from './markup.ts';

export type Tone = 'good' | 'open' | 'bad' | '';
export type Cell = Markup | string;

export interface Column<T> {
  label: string;
  /** These cells stay on one line if there is space; `n` is a number. */
  kind?: 'at' | 'n' | 'id';
  cell: (record: T) => Cell;
}

export const tag = (text: string, tone: Tone): Markup =>
  markup`<span class="tag${tone !== '' && ` ${tone}`}">${text}</span>`;

/** `2026-03-02 15:04:05` */
export const moment = (iso: string): string => iso.slice(0, 19).replace('T', ' ');

export const time = (iso: string): Markup => markup`<time datetime="${iso}">${moment(iso)}</time>`;

/** Roles are explicit: on a phone the cells are stacked, and browsers then drop the table's own roles. */
export function table<T>(caption: string, columns: readonly Column<T>[], records: readonly T[]): Markup {
  const head = columns.map(
    ({label, kind}) =>
      markup`<th scope="col" role="columnheader"${kind === 'n' && markup` class="n"`}>${label}</th>`,
  );
  const rows = records.map(
    (record) =>
      markup`<tr role="row">${columns.map(({label, kind, cell}) => markup`<td role="cell" data-label="${label}"${kind !== undefined && markup` class="${kind}"`}><span>${cell(record)}</span></td>`)}</tr>
`,
  );
  return markup`<table role="table"><caption>${caption}</caption><thead role="rowgroup"><tr role="row">${head}</tr></thead><tbody role="rowgroup">
${rows}</tbody></table>`;
}
