import {usualId} from '../../../contract/ids.ts';
import {hasFailed} from '../../../contract/lifecycle.ts';
import type {JournalRow} from '../../../batch/journal/rows/row.ts';
import type {RowState} from '../../../batch/model/outcome.ts';
import {pagesOf} from '../../../batch/model/pages.ts';
import type {Entry} from '../../../batch/registry/entry.ts';
import type {prepareRetry} from '../../../batch/repair/retry.ts';
import {isWithdrawn} from '../../../batch/repair/write-read.ts';
import {
  repaidReference,
  repayReference,
  returnedRows,
  returnedText,
  type ReturnedRow,
} from '../../../batch/report/returned.ts';
import {RemitError} from '../../../errors.ts';
import {counted} from '../../../phrases.ts';
import {returnsReader} from '../returns.ts';
import {type ConfirmedRun, typing} from './request.ts';

type RetryRegistry = Parameters<typeof prepareRetry>[0]['registry'];
type Entries = Pick<RetryRegistry['entries'], 'find'>;
type Retrying = Pick<ConfirmedRun, 'request' | 'batch' | 'claims'>;

const PAGE = 500;
const RETRIED: readonly RowState[] = ['accepted', 'dead_key', 'rejected', 'unapproved'];

/** The last of the rows that pay a returned row again, in any state; undefined if there is none. */
function secondPayment(entries: Entries, reference: string): Entry | undefined {
  let last: Entry | undefined;
  for (let next = repayReference(reference); ; next = repayReference(next)) {
    const found = entries.find(next);
    if (found === undefined) return last;
    last = found;
  }
}

/**
 * The registry for a retry, in which rows that are paid again under another reference belong to that payment: with a new
 * key they would be paid twice.
 * @throws RemitError GUARD_CONFIRM if such a row is named, would be the only one, or has no second payment yet
 */
export async function withSecondPayments(
  retrying: Retrying,
  named: readonly string[],
): Promise<RetryRegistry> {
  const {request, batch, claims} = retrying;
  const {registry} = claims;
  const find = (reference: string) => registry.entries.find(reference);
  const returns = returnedRows(batch.journal, await returnsReader(request.context, request.stateDir)(batch));
  if (returns.readAgain !== undefined)
    throw new RemitError('GUARD_CONFIRM', 'what the bank has returned is not known; nothing was sent again', {
      hint: returns.readAgain,
    });
  const second = new Map<string, Entry>();
  const open: ReturnedRow[] = [];
  let others = 0;
  for (const row of retried(batch, named)) {
    const back = returns.found.get(row.n);
    const entry = isSent(row) ? secondPayment(registry.entries, row.reference) : undefined;
    if (entry !== undefined) second.set(row.reference, entry);
    else if (back !== undefined) open.push(back);
    else others += 1;
  }
  refuseReturned(retrying, {second, open, isAlone: named.length > 0 || others === 0});
  return {
    ended: registry.ended.bind(registry),
    paid: registry.paid.bind(registry),
    withdrawPaid: registry.withdrawPaid.bind(registry),
    flush: registry.flush.bind(registry),
    entries: {
      find: (reference) => {
        const entry = second.get(reference);
        return entry === undefined
          ? find(reference)
          : {...entry, journal: '', paid: entry.paid && entry.standing === null, standing: null};
      },
      elsewhere: (reference) => registry.entries.elsewhere(reference),
      withRecords: (ids) => registry.entries.withRecords(ids),
    },
  };
}

/** Whether a record of the row was accepted, so that its money may have come back. */
const isSent = ({outcome}: JournalRow): boolean =>
  outcome?.state === 'accepted' || outcome?.state === 'dead_key';

function* retried({journal: {rows}}: Retrying['batch'], named: readonly string[]): Generator<JournalRow> {
  for (const reference of named) {
    const row = rows.of(reference);
    if (row !== undefined) yield row;
  }
  if (named.length > 0) return;
  for (const page of pagesOf((after, limit) => rows.inStates(RETRIED, after, limit), PAGE))
    for (const row of page) {
      const {state, status} = row.outcome;
      if (state !== 'accepted' || hasFailed(status) || isWithdrawn(row.outcome)) yield row;
    }
}

/**
 * Refuses unsent rows of a debt that is paid under another of its references, such as those of a file that was written
 * before. A registry in which no record has ended has none.
 * @throws RemitError GUARD_CONFIRM
 */
export async function refusePaidDebts({request, batch, claims}: Retrying): Promise<void> {
  const {entries} = claims.registry;
  if (request.path === 'cancel' || request.path === 'release' || !entries.hasEnded()) return;
  const {rows} = batch.journal;
  const returns = await returnsReader(request.context, request.stateDir)(batch);
  const hasFormer = (reference: string) => entries.formerRecords([{reference}]).size > 0;
  for (const page of pagesOf((after, limit) => rows.unstaged(after, limit), PAGE))
    for (const {reference} of page) {
      const own = entries.find(reference);
      const second = own?.standing === 'ended' ? secondPayment(entries, reference) : undefined;
      if (second !== undefined) throw paidAs(second, reference, request, batch);
      if (own !== undefined) continue;
      for (let of = repaidReference(reference); of !== undefined; of = repaidReference(of)) {
        const entry = entries.find(of);
        const isBack = entry?.id != null && returns.found.has(usualId(entry.id));
        if (entry?.standing === null && !isBack && hasFormer(of))
          throw paidAs(entry, reference, request, batch);
      }
    }
}

function paidAs(
  {reference, batch, paid, standing}: Entry,
  other: string,
  request: Retrying['request'],
  {plan}: Retrying['batch'],
): RemitError {
  const is = paid && standing === null ? 'is' : 'is to be';
  return new RemitError(
    'GUARD_CONFIRM',
    `${other} ${is} paid again as ${reference}, in batch ${batch}; nothing was sent`,
    {hint: typing(request, {...plan, batchId: batch})('status')},
  );
}

function refuseReturned(
  {request, batch}: Retrying,
  {
    second,
    open,
    isAlone,
  }: {second: ReadonlyMap<string, Entry>; open: readonly ReturnedRow[]; isAlone: boolean},
): void {
  const [first] = open;
  if (first !== undefined) {
    const more = open.length === 1 ? '' : `, and ${counted(open.length - 1, 'more row')}`;
    const under = first.repayReference ?? repayReference(first.reference);
    throw new RemitError(
      'GUARD_CONFIRM',
      `${first.reference} was ${returnedText(first)}, and is to be paid again as ${under}${more}; nothing was sent`,
      {hint: `write the file that pays it again: ${typing(request, batch.plan)('report')}`},
    );
  }
  const [[reference, entry] = []] = second;
  if (isAlone && reference !== undefined && entry !== undefined)
    throw paidAs(entry, reference, request, batch);
}
