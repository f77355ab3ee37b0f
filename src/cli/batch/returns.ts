import {existsSync} from 'node:fs';
import {batchExists} from '../../batch/journal/folder.ts';
import type {OpenBatch} from '../../batch/journal/open-batch.ts';
import {KINDS} from '../../batch/model/kinds.ts';
import {
  type NotedReturn,
  readAgainCommand,
  readAgainText,
  readNotedReturns,
  returnNotesPath,
  whyMissing,
} from '../../batch/report/noted-returns.ts';
import {
  type BankReturn,
  type BankReturns,
  notesOfRows,
  repayReference,
  returnedRows,
  type ReturnsAtEnd,
  type SummaryWithReturns,
  withReturns,
} from '../../batch/report/returned.ts';
import {restingExitCodeOf} from '../../batch/standing/summary.ts';
import {typingFor} from '../../batch/standing/next-command.ts';
import type {Clock} from '../../clock.ts';
import {type CommandBuilder, EXIT, type ExitCode, RemitError} from '../../errors.ts';
import {keysOf} from '../../narrow.ts';
import type {Book} from '../../reconcile/book/book.ts';
import {usualId} from '../../contract/ids.ts';
import type {TeamSession} from '../../team/session.ts';
import {mayHaveReturns} from '../core/bank-returns.ts';
import type {Context, LocalContext} from '../core/context.ts';
import {commandsFor} from './place.ts';
import type {SecondPayment, WantedSecond} from './second-rows.ts';

/** What the bank has returned at the service of a batch, by the id of the record. */
export type ReturnsOfBatch = (batch: OpenBatch) => Promise<BankReturns>;

/**
 * Reads the returns that reconciles have found, once for each service. Without a book and without noted returns there
 * are none, and nothing of it is loaded. If returns are noted that the book lacks, or it cannot be read, more rows may
 * have come back; the first batch warns of it.
 * @param service of a batch that has not run yet
 */
export function returnsReader(local: LocalContext, stateDir: string, service?: Service): ReturnsOfBatch {
  const known = new Map<string, Promise<Returns>>();
  const {team} = local;
  const memory = team === undefined ? stateDir : local.stateDir;
  const isThere = team !== undefined || mayHaveReturns(stateDir);
  const read = (binding: Service, batch: OpenBatch) =>
    team === undefined
      ? readReturns({stateDir, clock: local.clock}, binding, batch)
      : sharedReturns(team, binding);
  const warned = new Set<string>();
  const unknown = (
    why: string,
    command: string,
    {found = new Map(), missing}: {found?: BankReturns['found']; missing: readonly NotedReturn[]},
  ): BankReturns => {
    if (!warned.has(why))
      local.out.warn(`what the bank has returned is not known: ${why}; ${readAgainText(command)}`);
    warned.add(why);
    local.effects.tookPartly(); // a row may have come back
    return {found, readAgain: command, unsure: new Set(missing.map(({id}) => id))};
  };
  return async (batch) => {
    const {journal, place} = batch;
    const folders = [memory, place.folder];
    const isNoted = folders.some((folder) => existsSync(returnNotesPath({folder})));
    const binding = isThere || isNoted ? (journal.fact('binding') ?? service) : undefined;
    if (binding === undefined) return {found: new Map()};
    const again = (missing: readonly NotedReturn[]) =>
      readAgainCommand(
        missing.map((one) => ({...one, place: undefined})),
        commandsFor(local, batch),
      );
    const {notes, damaged} = readNotedReturns(folders, binding);
    const at = `${binding.mode} ${binding.baseUrl}`;
    const reading =
      known.get(at) ??
      (isThere ? read(binding, batch) : Promise.resolve<Returns>({found: new Map(), notes: []}));
    known.set(at, reading);
    try {
      const {found: returns, notes: shared} = await reading;
      const lacking = [...shared, ...notes].filter(({id}) => !returns.has(id));
      const missing = notesOfRows(journal, lacking).map((one) => ({...one, place: team?.address.typed}));
      if (damaged !== undefined)
        return unknown(`${damaged} is damaged`, again(notes), {found: returns, missing});
      if (missing.length === 0) return {found: returns, reconcile: again(notesOfRows(journal, notes))};
      return unknown(whyMissing(missing), again(missing), {found: returns, missing});
    } catch (error) {
      if (!(error instanceof RemitError)) throw error;
      return unknown(error.message, again(notes), {missing: notes});
    }
  };
}

/** Whether a state folder has a batch, of any kind. */
export const isBatchIn = (stateDir: string, batch: string): boolean =>
  keysOf(KINDS).some((kind) => batchExists(stateDir, kind, batch));

/** What a book has, by the ids of the records, and what is noted beside the book of a team. */
interface Returns {
  found: BankReturns['found'];
  notes: readonly NotedReturn[];
}

type Service = Parameters<TeamSession['returnsOf']>[0];

async function readReturns(
  place: {stateDir: string; clock: Clock},
  {baseUrl, mode}: Service,
  own: OpenBatch,
): Promise<Returns> {
  const {Book} = await import('../../reconcile/book/book.ts');
  const book = await Book.open(place.stateDir, {baseUrl, mode}, {write: false});
  try {
    const found = await returnsIn(book, {
      isThere: (batch) => isBatchIn(place.stateDir, batch),
      sentSince: async (wanted) => {
        const {secondPaymentsIn} = await import('./second-rows.ts');
        return secondPaymentsIn(wanted, {...place, service: {baseUrl, mode}, own});
      },
    });
    return {found, notes: []};
  } finally {
    await book.close();
  }
}

async function sharedReturns(team: TeamSession, service: Service): Promise<Returns> {
  const {returns, notes} = await team.returnsOf(service);
  const found = returns.map(
    ({id, code, day, paid_again_by: by, repay_reference: reference, held_by: held}) => {
      const one = {day: day ?? '', code: code ?? undefined, paidAgainBy: by ?? undefined};
      return [id, {...one, heldBy: held ?? undefined, repayReference: reference ?? undefined}] as const;
    },
  );
  return {found: new Map(found), notes};
}

/**
 * What a book has found to have come back, by the ids of the records.
 * @param isThere whether a batch is known, so that it can continue
 * @param sentSince finds rows of batches that the book may not know yet, by the keys of the payments that came back
 */
export async function returnsIn(
  book: Book,
  {
    isThere,
    sentSince = () => Promise.resolve(new Map()),
  }: {
    isThere: (batch: string) => boolean;
    sentSince?: (wanted: readonly WantedSecond[]) => Promise<ReadonlyMap<string, SecondPayment>>;
  },
): Promise<Map<string, BankReturn>> {
  const {paidAgain} = await import('../../reconcile/report/repaid.ts');
  const payments = [...book.payments({state: 'returned'})].map(({payment}) => payment);
  const ids = payments.flatMap(({recordId}) => recordId ?? []);
  const {returned: again} = paidAgain(book, payments, repayReference);
  const wanted = payments.flatMap(({key, kind, amount, currency, row}): WantedSecond[] => {
    const {isRead, reference} = again.get(key) ?? {};
    return kind === 'transfer' || row === undefined || isRead !== false || reference === undefined
      ? []
      : [{key, kind, amount, currency, namespace: row.namespace, reference}];
  });
  const later = wanted.length === 0 ? new Map<string, SecondPayment>() : await sentSince(wanted);
  const keys = new Map(payments.map(({recordId = '', key}) => [recordId, key]));
  const returns = new Map<string, BankReturn>();
  for (const [id, {code, day}] of book.returnsOf(ids)) {
    const key = keys.get(id) ?? '';
    const {by: paidAgainBy, reference, heldBy: batch, other} = again.get(key) ?? {};
    const heldBy = batch !== undefined && isThere(batch) ? batch : undefined;
    const sent = heldBy === undefined || other === undefined ? {} : {sent: 'otherwise' as const};
    const second = later.get(key) ?? {heldBy, ...sent};
    returns.set(usualId(id), {code, day, paidAgainBy, ...second, repayReference: reference});
  }
  return returns;
}

/** Reads them before a batch is run or followed; its rows are those at the end. */
export async function readReturnsAtEnd(
  context: Context,
  {stateDir, batch, commands}: {stateDir: string; batch: OpenBatch; commands: CommandBuilder},
): Promise<ReturnsAtEnd> {
  const returns = await returnsReader(context, stateDir, context.profile)(batch);
  const typeOf = (batchId: string) => typingFor(commands, {kind: batch.plan.kind, batchId});
  return (summary) => {
    const returned = returnedRows(batch.journal, returns);
    return {summary: withReturns(summary, returned, typeOf), returned: returned.found};
  };
}

/** That of the batch, or 8 if it would be 0 and the bank has returned a row that was not paid again. */
export function exitWithReturns(
  summary: SummaryWithReturns,
  exit: ExitCode = restingExitCodeOf(summary),
): ExitCode {
  return exit === EXIT.OK && summary.state === 'incomplete' ? EXIT.PARTIAL : exit;
}
