import type {Mode} from '../contract/mode.ts';
import {codeOf, ownJson} from '../narrow.ts';
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

/** The returns of a service; no identity if nothing was ever reconciled. */
export async function readBookReturns(
  sql: Sql,
  service: BookService,
  ids?: readonly string[],
): Promise<{identity: SharedBookIdentity | undefined; returns: BookReturn[]}> {
  const [book] = await sql<{identity: string}>('select identity from @.book');
  const returns = await sql<BookReturn>(
    `select id, code, day, paid_again_by, repay_reference from @.book_returns
     where mode = $1 and base_url = $2 and ($3::text[] is null or id = any($3)) order by id`,
    [service.mode, withLoopback(service.baseUrl), ids ?? null],
  );
  return {identity: book === undefined ? undefined : ownJson<SharedBookIdentity>(book.identity), returns};
}

/**
 * What the reconciles of a team have found to have come back of these records. A database without the tables of a book
 * has none. `conceal` gets the passwords of the address.
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
    return (await readBookReturns(db.query, service, ids)).returns;
  } catch (error) {
    if (['42P01', '3F000'].includes(codeOf(error) ?? '')) return [];
    throw error;
  } finally {
    await db.close();
  }
}
