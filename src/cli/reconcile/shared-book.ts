import {existsSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {Book, bookPath} from '../../reconcile/book/book.ts';
import {readAgainCommand, readNotedReturns} from '../../batch/report/noted-returns.ts';
import {RemitError} from '../../errors.ts';
import {writeFileAtomic} from '../../store/files/atomic-file.ts';
import type {BookReturn} from '../../team/returns.ts';
import {isBatchIn, returnsIn} from '../batch/returns.ts';
import type {Context} from '../core/context.ts';

const BOOK_LOST = 'reconcile.sqlite is gone, with the decisions and the statements in it';

/**
 * Opens the book of a state folder, or a copy of the one that a team shares.
 * @param create whether a new one is made if there is none; a warning says if there was one
 * @throws RemitError NOT_FOUND
 */
export async function openBook(
  context: Pick<Context, 'team' | 'profile' | 'out' | 'effects' | 'stateDir'>,
  stateDir: string,
  {write, create = false}: {write: boolean; create?: boolean},
): Promise<Book> {
  const {team, profile, out, effects} = context;
  const folder = team?.stateDir ?? stateDir;
  const taken = write ? await team?.takeBook(bookPath(folder), 'reconcile') : undefined;
  if (taken?.hasOtherReturns === true) {
    out.warn(
      'returns in the database were changed since they were recorded; those that only it had are not known',
    );
    effects.tookPartly();
  }
  if (!write) await team?.fetchBook(bookPath(folder));
  if (!Book.isIn(folder)) {
    const {notes} = readNotedReturns([folder, context.stateDir], profile);
    const here = team?.address.typed ?? resolve(stateDir);
    const own = team === undefined ? resolve(context.stateDir) : here; // of notes without a place
    const wasHere = notes.filter(({place = own}) => place === here);
    const isLost = wasHere.length > 0 || existsSync(keptPath(folder));
    if (!create && (write || isLost))
      throw new RemitError('NOT_FOUND', isLost ? BOOK_LOST : 'nothing was reconciled here yet', {
        hint: (commands) => readAgainCommand(wasHere, commands),
      });
    if (isLost) out.warn(`${BOOK_LOST}: restore it from a backup, or decide and read the statements again`);
  }
  return Book.open(folder, profile, {write});
}

/** Beside a book with decisions or statements, so that it is missed when it is lost. */
const keptPath = (folder: string): string => join(folder, 'reconcile-kept.json');

/**
 * Notes that a book has what no later run reads again, or records one that a team shares; nothing that was changed in the
 * copy is kept otherwise.
 */
export async function saveBook(
  {team, profile}: Pick<Context, 'team' | 'profile'>,
  book: Book,
  stateDir: string,
): Promise<void> {
  if (team === undefined) {
    const [decisions, statements] = [book.decisions().length, book.statements.all().length];
    if (decisions + statements === 0) return;
    return writeFileAtomic(keptPath(stateDir), `${JSON.stringify({decisions, statements})}\n`);
  }
  const found = await returnsIn(book, {isThere: (batch) => isBatchIn(team.stateDir, batch)});
  const {notes} = readNotedReturns([team.stateDir], profile);
  const noteOf = new Map(notes.map((note) => [note.id, note]));
  const returns = [...new Set([...found.keys(), ...noteOf.keys()])].map((id): BookReturn => {
    const {code = null, day = null, paidAgainBy, repayReference, heldBy = null} = found.get(id) ?? {};
    const note = noteOf.get(id);
    return {
      ...{id, code, day, paid_again_by: paidAgainBy ?? null, repay_reference: repayReference ?? null},
      ...{held_by: heldBy, note: note === undefined ? null : JSON.stringify(note)},
    };
  });
  await team.saveBook({service: profile, identity: book.identity, returns});
}
