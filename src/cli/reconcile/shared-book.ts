import {resolve} from 'node:path';
import {Book, bookPath} from '../../reconcile/book/book.ts';
import {readAgainCommand, readNotedReturns} from '../../batch/report/noted-returns.ts';
import {RemitError} from '../../errors.ts';
import {returnsIn} from '../batch/returns.ts';
import type {Context} from '../core/context.ts';

const BOOK_LOST = 'reconcile.sqlite is gone, with the decisions and the statements in it';

/**
 * Opens the book of a state folder, or a copy of the one that a team shares.
 * @param create whether a new one is made if there is none; a warning says if there was one
 * @throws RemitError NOT_FOUND
 */
export async function openBook(
  context: Pick<Context, 'team' | 'profile' | 'out' | 'stateDir'>,
  stateDir: string,
  {write, create = false}: {write: boolean; create?: boolean},
): Promise<Book> {
  const {team, profile, out} = context;
  const folder = team?.stateDir ?? stateDir;
  if (write) await team?.takeBook(bookPath(folder), 'reconcile');
  else await team?.fetchBook(bookPath(folder));
  if (!Book.isIn(folder)) {
    const {notes} = readNotedReturns([folder, context.stateDir], profile);
    const here = team?.address.typed ?? resolve(stateDir);
    const wasHere = notes.filter(({place = resolve(context.stateDir)}) => place === here);
    if (!create && (write || wasHere.length > 0))
      throw new RemitError(
        'NOT_FOUND',
        wasHere.length === 0 ? 'nothing was reconciled here yet' : BOOK_LOST,
        {
          hint: (commands) => readAgainCommand(wasHere, commands),
        },
      );
    if (wasHere.length > 0)
      out.warn(`${BOOK_LOST}: restore it from a backup, or decide and read the statements again`);
  }
  return Book.open(folder, profile, {write});
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
