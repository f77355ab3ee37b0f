import {hasFailed, hasSucceeded, LIFECYCLES} from '../../../contract/lifecycle.ts';
import type {FetchedRecord} from '../../../batch/follow/record-fetched.ts';
import type {Journal} from '../../../batch/journal/journal.ts';
import {paidContentOf} from '../../../batch/journal/rows/paid-content.ts';
import type {JournalRow} from '../../../batch/journal/rows/row.ts';
import {KINDS} from '../../../batch/model/kinds.ts';
import {
  APPROVAL_LOST,
  bucketOf,
  CANCELED_LATER,
  cleanMessage,
  DIFFERS_CODE,
  type Outcome,
  LOST,
  type RowState,
} from '../../../batch/model/outcome.ts';
import {MAYBE_RETURNED, type ReturnedRow, returnedText} from '../../../batch/report/returned.ts';
import type {Plan} from '../../../batch/model/plan-facts.ts';
import {failureOf} from '../../../contract/failure.ts';
import {formatMajor} from '../../../money/amount.ts';
import {isObject, type JsonFields, type Json} from '../../../narrow.ts';

/** One row of a batch for accounting. What is not known is null. */
export type ExportLine = Readonly<Record<string, string | number | null>>;

const UNDECIDED: ReadonlySet<RowState> = new Set(['staged', 'held', 'in_doubt', 'unapproved']);

/** @param fetched the record that the outcome of the row was read from; undefined: what the batch last saw */
export function exportLine(
  row: JournalRow,
  {plan, journal}: {plan: Plan; journal: Journal},
  fetched: FetchedRecord | undefined,
): ExportLine {
  const {party, idColumn} = KINDS[plan.kind];
  const {sanitizer} = journal;
  const {outcome} = row;
  const state = journal.stateOf(row);
  const token = (text: string | null | undefined) => (text == null ? null : sanitizer.token(text));
  // What a record shows without deciding its row stays out: it may be another payment.
  const record = UNDECIDED.has(state) ? undefined : fetched?.record;
  const seen = seenIn(record);
  const isGone = fetched !== undefined && fetched.record === undefined;
  const status = isGone ? null : (seen.status ?? outcome?.status ?? null);
  const isSettled = hasSucceeded(LIFECYCLES[plan.kind], status);
  const isOther = outcome?.code === DIFFERS_CODE; // then a failure is not that of the row
  const failure = isOther ? undefined : failureOf(record);
  const paid = paidContentOf(row, plan.kind, (n) => journal.rows.differencesOf(n));
  const message = outcome === undefined ? null : cleanMessage(sanitizer, outcome);
  return {
    batch_id: plan.batchId,
    row: row.n,
    reference: row.reference,
    state: state === 'held' ? state : bucketOf(state),
    [party]: paid.party,
    amount: formatMajor(BigInt(paid.amount), paid.currency),
    amount_in_minor_units: paid.amount,
    currency_code: paid.currency,
    rail: token(seen.rail ?? row.rail),
    scheduled_date: row.scheduled,
    [idColumn]: token(outcome?.id),
    status: token(status),
    settled_at: isSettled ? token(seen.settledAt) : null,
    settled_at_field: isSettled ? (seen.settledAtField ?? null) : null,
    fees: token(seen.fees),
    reason_code: token(failure?.code ?? outcome?.code),
    reason: failure?.message === undefined ? message : sanitizer.words(failure.message),
    request_id: token(outcome?.requestId),
    as_of: momentOf(fetched?.at ?? journal.writtenAt(row.n)),
  };
}

/** The line of a row that the bank has returned: the record alone would say that it is paid. */
export const returnedLine = (line: ExportLine, returned: ReturnedRow): ExportLine => ({
  ...line,
  state: 'returned',
  reason_code: returned.code ?? null,
  reason: returnedText(returned),
});

/** The line of a row that the bank may have returned. */
export const maybeReturnedLine = (line: ExportLine): ExportLine => ({
  ...line,
  state: MAYBE_RETURNED.state,
  reason: MAYBE_RETURNED.text,
});

/** What reads after the acceptance have shown: rows that failed, were canceled, differ, are not approved, or are gone. */
export interface SeenLater {
  failed: number;
  canceled: number;
  differs: number;
  unapproved: number;
  gone: number;
}

export function countLater({state, status, code, message}: Outcome, seen: SeenLater): void {
  if (code === DIFFERS_CODE) seen.differs++;
  else if (message === APPROVAL_LOST) seen.unapproved++;
  else if (message === LOST) seen.gone++;
  else if (message === CANCELED_LATER) seen.canceled++;
  else if (state === 'accepted' && hasFailed(status)) seen.failed++;
}

const momentOf = (at: number | undefined): string | null =>
  at === undefined ? null : new Date(at).toISOString();

interface SeenFields {
  status: string | undefined;
  rail: string | undefined;
  settledAt: string | undefined;
  settledAtField: string | undefined;
  fees: string | undefined;
}

/**
 * Where a record says when it was settled. Payins have `status_recorded_at`; of a settled payout, `updated_at` is when
 * it last changed. The export names the field that it used.
 */
const SETTLED_AT = ['settled_at', 'status_recorded_at', 'updated_at'] as const;

function seenIn(record: Json): SeenFields {
  const fields = isObject(record) ? record : {};
  const text = (name: string) => {
    const value = fields[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const settledAtField = SETTLED_AT.find((name) => text(name) !== undefined);
  return {
    status: text('status'),
    rail: text('rail'),
    settledAt: settledAtField === undefined ? undefined : text(settledAtField),
    settledAtField,
    fees: feesIn(fields),
  };
}

/** The interface document has no fees. Fields of a service that are named so are shown as they are: `fee=25`. */
function feesIn(fields: JsonFields): string | undefined {
  const found = Object.entries(fields).flatMap(([name, value]) =>
    /(?:^|_)fees?(?:_|$)/u.test(name) && (typeof value === 'number' || typeof value === 'string')
      ? [`${name}=${value}`]
      : [],
  );
  return found.length === 0 ? undefined : found.join('; ');
}
