import type {Mode} from '../contract/mode.ts';
import {codeOf} from '../narrow.ts';
import {readTeamAddress} from './address.ts';
import {type BookReturn, readBookReturns} from './book.ts';
import {TeamDatabase} from './connection.ts';

/**
 * What the reconciles of a team have found to have come back of these records. A database without the tables of a book
 * has none. `conceal` gets the passwords of the address.
 */
export async function sharedReturns(
  address: string,
  service: {mode: Mode; baseUrl: string},
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
