import type {OpenBatch} from '../../batch/journal/open-batch.ts';
import {type BankReturn, repayReference, type SummaryWithReturns} from '../../batch/report/returned.ts';
import {restingExitCodeOf} from '../../batch/standing/summary.ts';
import {EXIT, type ExitCode, RemitError} from '../../errors.ts';
import {mayHaveReturns} from '../core/bank-returns.ts';
import type {LocalContext} from '../core/context.ts';

/** What the bank has returned at the service of a batch, by the id of the record. */
export type ReturnsOfBatch = (batch: OpenBatch) => Promise<ReadonlyMap<string, BankReturn>>;

/**
 * Reads the returns that reconciles have found, once for each service. Without a book there are none, and nothing of it
 * is loaded.
 */
export function returnsReader(
  {out, effects}: Pick<LocalContext, 'out' | 'effects'>,
  stateDir: string,
): ReturnsOfBatch {
  const known = new Map<string, Promise<ReadonlyMap<string, BankReturn>>>();
  const isThere = mayHaveReturns(stateDir);
  return async ({journal}) => {
    const binding = isThere ? journal.fact('binding') : undefined;
    if (binding === undefined) return new Map();
    const at = `${binding.mode} ${binding.baseUrl}`;
    const found = known.get(at) ?? readReturns(stateDir, binding);
    known.set(at, found);
    return found.catch((error: unknown) => {
      if (!(error instanceof RemitError)) throw error;
      out.warn(`what the bank has returned is not known: ${error.message}`);
      effects.tookPartly(); // a row may have come back
      return new Map();
    });
  };
}

async function readReturns(
  stateDir: string,
  {baseUrl, mode}: {baseUrl: string; mode: 'test' | 'live'},
): Promise<ReadonlyMap<string, BankReturn>> {
  const [{Book}, {paidAgain}] = await Promise.all([
    import('../../reconcile/book/book.ts'),
    import('../../reconcile/report/repaid.ts'),
  ]);
  const book = await Book.open(stateDir, {baseUrl, mode}, {write: false});
  try {
    const payments = [...book.payments({state: 'returned'})].map(({payment}) => payment);
    const ids = payments.flatMap(({recordId}) => recordId ?? []);
    const again = paidAgain(book, payments, repayReference);
    const references = new Map(payments.map(({recordId = '', row}) => [recordId, row?.reference]));
    const returns = new Map<string, BankReturn>();
    for (const [id, {code, day}] of book.returnsOf(ids)) {
      const repayment = again.get(references.get(id) ?? '');
      returns.set(id, {code, day, paidAgainBy: repayment?.by, repayReference: repayment?.reference});
    }
    return returns;
  } finally {
    await book.close();
  }
}

/** That of the batch, or 8 if it would be 0 and the bank has returned a row that was not paid again. */
export function exitWithReturns(summary: SummaryWithReturns): ExitCode {
  const exit = restingExitCodeOf(summary);
  return exit === EXIT.OK && summary.state === 'incomplete' ? EXIT.PARTIAL : exit;
}
