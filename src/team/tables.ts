import type {QueryResultRow} from 'pg';
import type {SqlRow, SqlValue} from '../store/port/port.ts';

/**
 * A table that local databases and the team's database both have. `columns` are text, or whole numbers with a trailing
 * `#`; the first `keys` of them are the key.
 */
export interface MirrorTable {
  /** In PostgreSQL. */
  name: string;
  /** In SQLite. */
  local: string;
  keys: number;
  columns: readonly string[];
}

const table = (name: string, keys: number, columns: string, local = name): MirrorTable => ({
  ...{name, local, keys, columns: columns.split(' ')},
});

/** The journal of a batch, whose key comes first in PostgreSQL. The plan comes first, and does not change. */
export const JOURNAL_TABLES: readonly MirrorTable[] = [
  table(
    'rows',
    1,
    'n# line# reference fold party amount# currency rail method subaccount scheduled metadata fingerprint',
  ),
  table('cells', 1, 'n# line# cells'),
  table('issues', 1, 'seq# n# line# col code message value'),
  table('meta', 1, 'name value'),
  table('windows', 1, 'seq# phase first# last# takes at#'),
  table(
    'outcomes',
    1,
    'n# state id status staged_at# at# window_seq# http# code message request_id attempts# orphan',
  ),
  table('generations', 1, 'n# generation# former_id reason at#'),
  table('ended_records', 1, 'id n# status told#'),
  table('differences', 1, 'n# fields'),
];

/** The registry, for all batches. Scopes and claimants have the same ids everywhere; see `sharedId`. */
export const REGISTRY_TABLES: readonly MirrorTable[] = [
  table(
    'entries',
    3,
    'scope# fold reference claimant# generation# fingerprint id paid# at# since# standing content',
  ),
  table('claims_by_content', 5, 'party amount# currency scope# reference at#'),
  table('registry_ended', 3, 'scope# reference id claimant#', 'ended_records'),
  table('unanswered', 4, 'scope# reference generation# fingerprint'),
];

const isNumber = (column: string): boolean => column.endsWith('#');
export const nameOf = (column: string): string => column.replace('#', '');
export const namesOf = ({columns}: MirrorTable): string[] => columns.map(nameOf);
const typeOf = (column: string): string => (isNumber(column) ? 'bigint' : 'text');
const quoted = (column: string): string => `"${nameOf(column)}"`;

/** Creates the table. The columns of keys compare by byte. */
export function createTable(mirror: MirrorTable, hasBatch: boolean): string {
  const {name, keys, columns} = mirror;
  const key = [...(hasBatch ? ['batch'] : []), ...columns.slice(0, keys).map(quoted)];
  const shown = columns.map(
    (column) => `${quoted(column)} ${typeOf(column)}${isNumber(column) ? '' : ' collate "C"'}`,
  );
  return `create table @.${name} (${hasBatch ? 'batch bigint not null, ' : ''}${shown.join(', ')}, primary key (${key.join(', ')}));`;
}

/**
 * SQL that writes the rows of a JSON parameter.
 * @param batch the expression with the key of the batch; undefined for a table of the registry
 * @param from where else the rows come from, so that nothing is written if it is empty
 */
export function upsertSql(mirror: MirrorTable, json: string, batch?: string, from = ''): string {
  const {name, keys, columns} = mirror;
  const own = batch === undefined ? '' : 'batch, ';
  const key = own + columns.slice(0, keys).map(quoted).join(', ');
  const typed = columns.map((column) => `${quoted(column)} ${typeOf(column)}`).join(', ');
  const updates = columns.slice(keys).map((column) => `${quoted(column)} = excluded.${quoted(column)}`);
  const end = updates.length === 0 ? 'nothing' : `update set ${updates.join(', ')}`;
  return `insert into @.${name} (${own}${columns.map(quoted).join(', ')})
    select ${batch === undefined ? '' : `${batch}, `}x.* from ${from}json_to_recordset(${json}::json) as x(${typed})
    on conflict (${key}) do ${end} returning 1`;
}

/** SQL that deletes the rows with the keys of a JSON parameter. */
export function deleteSql(
  {name, keys, columns}: MirrorTable,
  json: string,
  batch?: string,
  when = '',
): string {
  const key = columns.slice(0, keys);
  const typed = key.map((column) => `${quoted(column)} ${typeOf(column)}`).join(', ');
  const same = key.map((column) => `t.${quoted(column)} = x.${quoted(column)}`);
  const own = batch === undefined ? [] : [`t.batch = ${batch}`];
  return `delete from @.${name} t using json_to_recordset(${json}::json) as x(${typed})
    where ${[...own, ...same].join(' and ')}${when} returning 1`;
}

/** Rows for such a parameter. PostgreSQL stores neither NUL nor half of a surrogate pair. */
export const toJson = (rows: readonly (SqlRow | QueryResultRow)[]): string =>
  JSON.stringify(rows, (_, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(/\0|\p{Surrogate}/gu, '\uFFFD') : value,
  );

/** The values of a row in the order of the columns. */
export const valuesOf = (mirror: MirrorTable, row: SqlRow): SqlValue[] =>
  namesOf(mirror).map((name) => row[name] ?? null);
