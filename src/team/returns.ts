import type {Mode} from '../contract/mode.ts';
import {RemitError} from '../errors.ts';
import {codeOf} from '../narrow.ts';
import {withLoopback} from '../network/local.ts';
import {readTeamAddress} from './address.ts';
import {type Sql, TeamDatabase} from './connection.ts';

/** The service that payments in the book are of. */
export interface BookService {
  mode: Mode;
  baseUrl: string;
}

/** A payment that came back, as it is kept beside the book. */
export interface BookReturn {
  id: string;
  code: string | null;
  day: string;
  paid_again_by: string | null;
  repay_reference: string | null;
}

/** Which book it is, and how much it has read. */
export interface SharedBookIdentity {
  id: string;
  read: number;
}

/** The returns of a service. */
export const readBookReturns = (
  sql: Sql,
  service: BookService,
  ids?: readonly string[],
): Promise<BookReturn[]> =>
  sql<BookReturn>(
    `select id, code, day, paid_again_by, repay_reference from @.book_returns
     where mode = $1 and base_url = $2 and ($3::text[] is null or id = any($3)) order by id`,
    [service.mode, withLoopback(service.baseUrl), ids ?? null],
  );

/**
 * What the reconciles of a team have found to have come back of these records. A schema of a version before reconcile has
 * none. `conceal` gets the passwords of the address.
 * @throws RemitError NOT_FOUND for a schema without any table of remit: its name may be wrong
 */
export async function sharedReturns(
  address: string,
  service: BookService,
  {ids, conceal}: {ids: readonly string[]; conceal: (...passwords: readonly string[]) => void},
): Promise<BookReturn[]> {
  const read = readTeamAddress(address);
  conceal(...read.passwords);
  const db = new TeamDatabase(read);
  try {
    return await readBookReturns(db.query, service, ids);
  } catch (error) {
    if (!['42P01', '3F000'].includes(codeOf(error) ?? '')) throw error;
    const tables = await db.query("select 1 where to_regclass('@.batches') is not null");
    if (tables.length > 0) return [];
    throw new RemitError('NOT_FOUND', `the database ${read.shown} has no tables of remit`, {cause: error});
  } finally {
    await db.close();
  }
}
