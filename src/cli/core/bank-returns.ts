import {LIFECYCLES, hasSucceeded} from '../../contract/lifecycle.ts';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import type {ServiceRecord} from '../../client/answers/record.ts';
import {usualId} from '../../contract/ids.ts';
import type {Mode} from '../../contract/mode.ts';
import {RemitError} from '../../errors.ts';
import type {View} from '../../output/records/view.ts';
import {text} from '../../output/records/view.ts';
import type {Context} from './context.ts';

/** The file of the book in a state folder. The book itself is only loaded if there is one. */
const BOOK_FILE = 'reconcile.sqlite';

export const mayHaveReturns = (stateDir: string): boolean => existsSync(join(stateDir, BOOK_FILE));

/** When and how the money of a record came back. */
export interface KnownReturn {
  code: string | undefined;
  day: string;
}

/** The returns of these records that a reconcile has found. */
async function returnsOf(
  stateDir: string,
  service: {baseUrl: string; mode: Mode},
  ids: readonly string[],
): Promise<ReadonlyMap<string, KnownReturn>> {
  const {Book} = await import('../../reconcile/book/book.ts');
  const book = await Book.open(stateDir, service, {write: false});
  try {
    return book.returnsOf(ids.map(usualId));
  } finally {
    await book.close();
  }
}

/** `2026-11-17, R03` */
const returnText = ({day, code}: KnownReturn): string => (code === undefined ? day : `${day}, ${code}`);

/**
 * Shows a payin or payout. If it is settled, and a reconcile has found that the bank has returned it, the card and a
 * warning say so, and the command exits with 8. The record itself stays that of the service.
 */
export async function showWithReturn(context: Context, record: ServiceRecord, view: View): Promise<void> {
  const found = await returnOf(context, record, view);
  if (found === undefined) return context.out.record(record, view);
  const shown = returnText(found);
  const name = 'returned_by_bank';
  const card = [...view.card, text('Returned by the bank', name)];
  context.out.record({...record, [name]: shown}, {...view, card});
  context.out.warn(
    `the bank has returned this ${view.noun} (${shown}), as \`remit reconcile\` found; the service still shows it as settled`,
  );
  context.effects.tookPartly();
}

/** Notes several records that a wait has found settled. */
export async function warnOfReturns(
  context: Context,
  {noun}: Pick<View, 'noun'>,
  ids: readonly string[],
): Promise<void> {
  const {stateDir, out, effects} = context;
  if (ids.length === 0 || !mayHaveReturns(stateDir) || (noun !== 'payout' && noun !== 'payin')) return;
  for (const [id, found] of await readReturns(context, ids)) {
    out.warn(`the bank has returned ${noun} ${id} (${returnText(found)}), as \`remit reconcile\` found`);
    effects.tookPartly();
  }
}

async function readReturns(
  {stateDir, profile, out, effects}: Context,
  ids: readonly string[],
): Promise<ReadonlyMap<string, KnownReturn>> {
  try {
    return await returnsOf(stateDir, profile, ids);
  } catch (error) {
    if (!(error instanceof RemitError)) throw error;
    out.warn(`what the bank has returned is not known: ${error.message}`);
    effects.tookPartly();
    return new Map();
  }
}

async function returnOf(
  context: Context,
  {id, status}: ServiceRecord,
  {noun}: View,
): Promise<KnownReturn | undefined> {
  if (id === undefined || (noun !== 'payout' && noun !== 'payin')) return undefined;
  if (!hasSucceeded(LIFECYCLES[noun], status) || !mayHaveReturns(context.stateDir)) return undefined;
  return (await readReturns(context, [id])).get(usualId(id));
}
