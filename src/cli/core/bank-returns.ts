import {LIFECYCLES, hasSucceeded} from '../../contract/lifecycle.ts';
import {existsSync} from 'node:fs';
import {join} from 'node:path';
import type {ServiceRecord} from '../../client/answers/record.ts';
import type {NotedReturn} from '../../batch/report/noted-returns.ts';
import {usualId} from '../../contract/ids.ts';
import {RemitError} from '../../errors.ts';
import type {View} from '../../output/records/view.ts';
import {text} from '../../output/records/view.ts';
import type {Context} from './context.ts';

/** The book in a state folder, which is only loaded if there is one. */
export const mayHaveReturns = (stateDir: string): boolean => existsSync(join(stateDir, 'reconcile.sqlite'));

/** Names the database with the book of a team. */
export const STATE_URL = 'REMIT_STATE_URL';

const teamAddress = ({runtime}: Context): string => runtime.env[STATE_URL] ?? '';

/** A book that is lost has left notes. */
const mayKnowReturns = (context: Context): boolean =>
  teamAddress(context) !== '' ||
  mayHaveReturns(context.stateDir) ||
  existsSync(join(context.stateDir, 'returns.json'));

/** When and how the money of a record came back. */
export interface KnownReturn {
  code: string | undefined;
  day: string;
  /** Of its row; undefined for a single payment, and in the book of a team. */
  batch?: string | undefined;
  /** The command that shows it, if no batch is known. */
  seeAgain?: string | undefined;
}

/** `2026-11-17, R03` */
const returnText = ({day, code}: KnownReturn): string => (code === undefined ? day : `${day}, ${code}`);

/** `; see: remit payouts batch status november` */
function againText({commands}: Context, {noun}: Pick<View, 'noun'>, {batch, seeAgain}: KnownReturn): string {
  const see = batch === undefined ? seeAgain : commands.read(`${noun}s`, 'batch', 'status', batch);
  return see === undefined ? '' : `; see: ${see}`;
}

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
    `the bank has returned this ${view.noun} (${shown}), as \`remit reconcile\` found; the service still shows it as settled${againText(context, view, found)}`,
  );
  context.effects.tookPartly();
}

/** Notes several records that a wait has found settled. */
export async function warnOfReturns(
  context: Context,
  view: Pick<View, 'noun'>,
  ids: readonly string[],
): Promise<void> {
  const {out, effects} = context;
  const {noun} = view;
  if (ids.length === 0 || !mayKnowReturns(context) || (noun !== 'payout' && noun !== 'payin')) return;
  for (const [id, found] of await readReturns(context, ids)) {
    out.warn(
      `the bank has returned ${noun} ${id} (${returnText(found)}), as \`remit reconcile\` found${againText(context, view, found)}`,
    );
    effects.tookPartly();
  }
}

/** Warns if more of these records may have come back: the book is lost, damaged, another one or an older copy. */
async function readReturns(
  context: Context,
  typed: readonly string[],
): Promise<ReadonlyMap<string, KnownReturn>> {
  const {stateDir, profile, out, effects, commands} = context;
  const {whyMissing, readAgainCommand, readAgainText, readNotedReturns} =
    await import('../../batch/report/noted-returns.ts');
  const ids = typed.map(usualId);
  const unknown = (why: string, missing: Parameters<typeof readAgainCommand>[0] = []) => {
    const again = readAgainText(readAgainCommand(missing, commands));
    out.warn(`what the bank has returned is not known: ${why}; ${again}`);
    effects.tookPartly();
  };
  const {notes, damaged} = readNotedReturns([stateDir], profile);
  const noted = notes.filter(({id}) => ids.includes(id));
  try {
    const {returns: shared, notes: also} = await readShared(context, ids);
    const found = await readBook({stateDir, profile}, ids);
    const all = new Map([...noted, ...also].map((note) => [note.id, note]));
    const missing = [...all.values()].filter(({id}) => !found.has(id) && !shared.has(id));
    if (damaged !== undefined) unknown(`${damaged} is damaged`, notes);
    else if (missing.length > 0) unknown(whyMissing(missing), missing);
    const seen = new Map([...found, ...shared].map(([id, one]) => [id, {note: all.get(id), ...one}]));
    return new Map(
      [...seen].map(([id, {note, ...one}]) => [
        id,
        {...one, seeAgain: note === undefined ? undefined : readAgainCommand([note], commands)},
      ]),
    );
  } catch (error) {
    if (!(error instanceof RemitError)) throw error;
    unknown(error.message, noted);
    return new Map();
  }
}

/** What the book of a team has, and what is noted beside it. */
async function readShared(
  context: Context,
  ids: readonly string[],
): Promise<{
  returns: Map<string, KnownReturn & {note: NotedReturn | undefined}>;
  notes: readonly NotedReturn[];
}> {
  const address = teamAddress(context);
  if (address === '') return {returns: new Map(), notes: []};
  const {profile, out} = context;
  const {sharedReturns} = await import('../../team/returns.ts');
  const {readTeamAddress} = await import('../../team/address.ts');
  const {parseNotes} = await import('../../batch/report/noted-returns.ts');
  const conceal = (...passwords: readonly string[]) => out.sanitizer.conceal(...passwords);
  const {returns, notes} = await sharedReturns(address, profile, {ids, conceal});
  const place = readTeamAddress(address).typed;
  const found = returns.map(({id, code, day, note}) => {
    const [noted] = parseNotes(`[${note ?? ''}]`) ?? [];
    return [id, {code: code ?? undefined, day: day ?? '', note: noted && {...noted, place}}] as const;
  });
  return {returns: new Map(found), notes: notes.map((note) => ({...note, place}))};
}

async function readBook(
  {stateDir, profile}: Pick<Context, 'stateDir' | 'profile'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, KnownReturn>> {
  if (!mayHaveReturns(stateDir)) return new Map();
  const {Book} = await import('../../reconcile/book/book.ts');
  const book = await Book.open(stateDir, profile, {write: false});
  try {
    return book.returnsOf(ids);
  } finally {
    await book.close();
  }
}

async function returnOf(
  context: Context,
  {id, status}: ServiceRecord,
  {noun}: View,
): Promise<KnownReturn | undefined> {
  if (id === undefined || (noun !== 'payout' && noun !== 'payin')) return undefined;
  if (!hasSucceeded(LIFECYCLES[noun], status) || !mayKnowReturns(context)) return undefined;
  return (await readReturns(context, [id])).get(usualId(id));
}
