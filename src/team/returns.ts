import {type NotedReturn, parseNotes} from '../batch/report/noted-returns.ts';
import type {Mode} from '../contract/mode.ts';
import {RemitError} from '../errors.ts';
import {ownJson} from '../narrow.ts';
import {withLoopback} from '../network/local.ts';
import {readTeamAddress} from './address.ts';
import {isMissingTable, type Sql, TeamDatabase} from './connection.ts';

/** The service that payments in the book are of. */
export interface BookService {
  mode: Mode;
  baseUrl: string;
}

/** A payment that came back, as it is kept beside the book. */
export interface BookReturn {
  id: string;
  code: string | null;
  /** Null if the book does not have the return any more, or a person has yet to decide. */
  day: string | null;
  paid_again_by: string | null;
  repay_reference: string | null;
  held_by: string | null;
  /** JSON: see `NotedReturn`. Null in a row of an earlier version. */
  note: string | null;
}

/** Which book it is, and how much it has read. */
export interface SharedBookIdentity {
  id: string;
  read: number;
}

/** A schema of an earlier version has no column with a note. */
export const RETURNS_HASH = `select coalesce(md5(string_agg(concat_ws(' ', mode, base_url, id, code, day, to_jsonb(r) ->> 'note'), ','
  order by mode, base_url, id)), '') as hash from @.book_returns r`;

/** Whether the returns are those that the last command has recorded with the book. */
export async function areReturnsWhole(sql: Sql): Promise<boolean> {
  const [book] = await sql<{wanted: string | null; hash: string}>(
    `select to_jsonb(b) ->> 'returns' as wanted, (${RETURNS_HASH}) as hash from @.book b`,
  );
  return (book?.wanted ?? null) === null || book?.wanted === book?.hash;
}

/**
 * The returns of a service, and what is noted of those that its book does not have.
 * @throws RemitError STATE_DAMAGED if they are not those that were recorded with the book
 */
export async function readBookReturns(
  sql: Sql,
  service: BookService,
  ids?: readonly string[],
): Promise<{returns: BookReturn[]; notes: NotedReturn[]}> {
  const rows = await sql<{one: string}>(
    `select to_jsonb(r)::text as one from @.book_returns r
     where mode = $1 and base_url = $2 and ($3::text[] is null or id = any($3)) order by id`,
    [service.mode, withLoopback(service.baseUrl), ids ?? null],
  );
  const all = rows.map(({one}) => ownJson<BookReturn>(one));
  const notes = parseNotes(`[${all.flatMap(({day, note}) => (day === null ? (note ?? []) : [])).join(',')}]`);
  if (notes === undefined || !(await areReturnsWhole(sql)))
    throw new RemitError(
      'STATE_DAMAGED',
      'the returns in the database are not those that the last reconcile has recorded',
    );
  return {returns: all.filter(({day}) => day !== null), notes};
}

/**
 * What the reconciles of a team have found to have come back of these records. A schema of a version before reconcile has
 * none. `conceal` gets the passwords of the address.
 * @throws RemitError NOT_FOUND for a schema without any table of remit: its name may be wrong
 */
export async function sharedReturns(
  address: string,
  service: BookService,
  {ids, conceal}: {ids: readonly string[]; conceal: (...passwords: readonly string[]) => void},
): ReturnType<typeof readBookReturns> {
  const read = readTeamAddress(address);
  conceal(...read.passwords);
  const db = new TeamDatabase(read);
  try {
    return await readBookReturns(db.query, service, ids);
  } catch (error) {
    if (!isMissingTable(error)) throw error;
    const tables = await db.query("select 1 where to_regclass('@.batches') is not null");
    if (tables.length > 0) return {returns: [], notes: []};
    throw new RemitError('NOT_FOUND', `the database ${read.shown} has no tables of remit`, {cause: error});
  } finally {
    await db.close();
  }
}
