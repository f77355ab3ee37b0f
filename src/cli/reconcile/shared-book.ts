import {Book, bookPath} from '../../reconcile/book/book.ts';
import {returnsIn} from '../batch/returns.ts';
import type {Context} from '../core/context.ts';

/** Opens the book of a state folder, or a copy of the one that a team shares. */
export async function openBook(
  {team, profile}: Pick<Context, 'team' | 'profile'>,
  stateDir: string,
  {write}: {write: boolean},
): Promise<Book> {
  if (team === undefined) return Book.open(stateDir, profile, {write});
  const file = bookPath(team.stateDir);
  if (write) await team.takeBook(file, 'reconcile');
  else await team.fetchBook(file);
  return Book.open(team.stateDir, profile, {write});
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
