import {batchExists} from '../../batch/journal/folder.ts';
import type {OpenBatch} from '../../batch/journal/open-batch.ts';
import {KINDS} from '../../batch/model/kinds.ts';
import {
  type BookIdentity,
  missingReturns,
  type NotedReturn,
  readAgainCommand,
  readNotedReturns,
} from '../../batch/report/noted-returns.ts';
import {
  type BankReturn,
  type BankReturns,
  repayReference,
  type SummaryWithReturns,
} from '../../batch/report/returned.ts';
import {restingExitCodeOf} from '../../batch/standing/summary.ts';
import {EXIT, type ExitCode, RemitError} from '../../errors.ts';
import {keysOf} from '../../narrow.ts';
import type {Book} from '../../reconcile/book/book.ts';
import type {TeamSession} from '../../team/session.ts';
import {mayHaveReturns} from '../core/bank-returns.ts';
import type {LocalContext} from '../core/context.ts';
import {commandsFor} from './place.ts';

/** What the bank has returned at the service of a batch, by the id of the record. */
export type ReturnsOfBatch = (batch: OpenBatch) => Promise<BankReturns>;

/**
 * Reads the returns that reconciles have found, once for each service. Without a book and without noted returns there
 * are none, and nothing of it is loaded. If returns are noted that the book lacks, or it cannot be read, more rows may
 * have come back; the first batch warns of it.
 */
export function returnsReader(local: LocalContext, stateDir: string): ReturnsOfBatch {
  const known = new Map<string, Promise<FoundReturns>>();
  const {team} = local;
  const isThere = team !== undefined || mayHaveReturns(stateDir);
  const read = (binding: Service) =>
    team === undefined ? readReturns(stateDir, binding) : sharedReturns(team, binding);
  const warned = new Set<string>();
  const unknown = (why: string, command: string, found: FoundReturns['returns']): BankReturns => {
    if (!warned.has(why))
      local.out.warn(`what the bank has returned is not known: ${why}; read it again: ${command}`);
    warned.add(why);
    local.effects.tookPartly(); // a row may have come back
    return {found, readAgain: command};
  };
  return async (batch) => {
    const {journal, plan} = batch;
    const again = (missing: readonly NotedReturn[]) => readAgainCommand(missing, commandsFor(local, batch));
    const noted = readNotedReturns(stateDir, plan.kind, plan.batchId);
    const binding = isThere || noted.length > 0 ? journal.fact('binding') : undefined;
    if (binding === undefined) return {found: new Map()};
    const at = `${binding.mode} ${binding.baseUrl}`;
    const reading = known.get(at) ?? (isThere ? read(binding) : Promise.resolve(NO_BOOK));
    known.set(at, reading);
    try {
      const {identity, returns} = await reading;
      const book = identity && {identity, returned: (id: string) => returns.has(id)};
      const missing = missingReturns(noted, book);
      return missing.length === 0
        ? {found: returns}
        : unknown(team === undefined ? LOST : LACKED, again(missing), returns);
    } catch (error) {
      if (!(error instanceof RemitError)) throw error;
      return unknown(error.message, again(noted), new Map());
    }
  };
}

const LOST = 'rows came back, and the book that had them, reconcile.sqlite, is gone or another one';
const LACKED = 'rows came back, and the book of the shared state does not have all of them';

/** What a book has; no identity if there is no book. */
interface FoundReturns {
  identity: BookIdentity | undefined;
  returns: ReadonlyMap<string, BankReturn>;
}
const NO_BOOK: FoundReturns = {identity: undefined, returns: new Map()};

type Service = Parameters<TeamSession['returnsOf']>[0];

async function readReturns(stateDir: string, {baseUrl, mode}: Service): Promise<FoundReturns> {
  const {Book} = await import('../../reconcile/book/book.ts');
  const book = await Book.open(stateDir, {baseUrl, mode}, {write: false});
  try {
    const isThere = (batch: string) => keysOf(KINDS).some((kind) => batchExists(stateDir, kind, batch));
    return {identity: book.identity, returns: await returnsIn(book, isThere)};
  } finally {
    await book.close();
  }
}

async function sharedReturns(team: TeamSession, service: Service): Promise<FoundReturns> {
  const {identity, returns} = await team.returnsOf(service);
  const found = returns.map(({id, code, day, paid_again_by: by, repay_reference: reference}) => {
    const one = {day, code: code ?? undefined, paidAgainBy: by ?? undefined};
    return [id, {...one, repayReference: reference ?? undefined}] as const;
  });
  return {identity, returns: new Map(found)};
}

/**
 * What a book has found to have come back, by the ids of the records.
 * @param isThere whether a batch is known, so that it can continue
 */
export async function returnsIn(
  book: Book,
  isThere: (batch: string) => boolean = () => false,
): Promise<Map<string, BankReturn>> {
  const {paidAgain} = await import('../../reconcile/report/repaid.ts');
  const payments = [...book.payments({state: 'returned'})].map(({payment}) => payment);
  const ids = payments.flatMap(({recordId}) => recordId ?? []);
  const again = paidAgain(book, payments, repayReference);
  const references = new Map(payments.map(({recordId = '', row}) => [recordId, row?.reference]));
  const returns = new Map<string, BankReturn>();
  for (const [id, {code, day}] of book.returnsOf(ids)) {
    const repayment = again.get(references.get(id) ?? '');
    const {by: paidAgainBy, reference, heldBy: batch} = repayment ?? {};
    const heldBy = batch !== undefined && isThere(batch) ? batch : undefined;
    returns.set(id, {code, day, paidAgainBy, heldBy, repayReference: reference});
  }
  return returns;
}

/** That of the batch, or 8 if it would be 0 and the bank has returned a row that was not paid again. */
export function exitWithReturns(summary: SummaryWithReturns): ExitCode {
  const exit = restingExitCodeOf(summary);
  return exit === EXIT.OK && summary.state === 'incomplete' ? EXIT.PARTIAL : exit;
}
