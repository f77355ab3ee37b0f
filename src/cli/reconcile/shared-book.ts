import {Book, bookPath} from '../../reconcile/book/book.ts';
import {readAgainCommand, readReturnedRecords} from '../../batch/report/noted-returns.ts';
import {RemitError} from '../../errors.ts';
import {returnsIn} from '../batch/returns.ts';
import type {Context} from '../core/context.ts';

type BookPlace = Pick<Context, 'team' | 'profile'>;

/**
 * Opens the book of a state folder, or a copy of the one that a team shares.
 * @param create whether a new one is made if there is none
 * @throws RemitError NOT_FOUND
 */
export async function openBook(
  {team, profile}: BookPlace,
  stateDir: string,
  {write, create = false}: {write: boolean; create?: boolean},
): Promise<Book> {
  const folder = team?.stateDir ?? stateDir;
  if (write) await team?.takeBook(bookPath(folder), 'reconcile');
  else await team?.fetchBook(bookPath(folder));
  if (!create && !Book.isIn(folder)) {
    const noted = readReturnedRecords(folder, profile) ?? [];
    const what = noted.length === 0 ? 'nothing was reconciled here yet' : BOOK_LOST;
    throw new RemitError('NOT_FOUND', what, {hint: (commands) => readAgainCommand(noted, commands)});
  }
  return Book.open(folder, profile, {write});
}

const BOOK_LOST = 'reconcile.sqlite is gone, with the decisions and the statements in it';

/** Warns if the returns that are noted came from another book: more than returns was in it. */
export function warnOfLostBook(
  {team, profile, out}: BookPlace & Pick<Context, 'out'>,
  stateDir: string,
  book: Book,
): void {
  const noted = readReturnedRecords(team?.stateDir ?? stateDir, profile) ?? [];
  if (noted.some((one) => one.book !== undefined && one.book.id !== book.identity.id))
    out.warn(`${BOOK_LOST}: restore it from a backup, or decide and read the statements again`);
}

/** Records a book that a team shares; nothing that was changed in the copy is kept otherwise. */
export async function saveBook(
  {team, profile}: Pick<Context, 'team' | 'profile'>,
  book: Book,
): Promise<void> {
  if (team === undefined) return;
  const found = [...(await returnsIn(book))].map(([id, {code, day, paidAgainBy, repayReference}]) => ({
    ...{id, day, code: code ?? null, paid_again_by: paidAgainBy ?? null},
    repay_reference: repayReference ?? null,
  }));
  await team.saveBook({service: profile, identity: book.identity, returns: found});
}
