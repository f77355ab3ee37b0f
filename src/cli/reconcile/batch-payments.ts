import {usualId} from '../../contract/ids.ts';
import {batchIds} from '../../batch/journal/folder.ts';
import type {OpenBatch} from '../../batch/journal/open-batch.ts';
import {paidContentOf} from '../../batch/journal/rows/paid-content.ts';
import type {JournalRow} from '../../batch/journal/rows/row.ts';
import {KINDS, type Kind} from '../../batch/model/kinds.ts';
import {isRecordedDoubt, type RowState} from '../../batch/model/outcome.ts';
import {pagesOf} from '../../batch/model/pages.ts';
import {readBatch} from '../../batch/overview/read-batch.ts';
import type {Clock} from '../../clock.ts';
import type {Mode} from '../../contract/mode.ts';
import {RemitError} from '../../errors.ts';
import {keysOf} from '../../narrow.ts';
import {withLoopback} from '../../network/local.ts';
import type {ExpectedPayment} from '../../reconcile/model/payment.ts';
import type {PlannedRows} from '../../reconcile/report/report.ts';
import type {TeamSession} from '../../team/session.ts';
import {isMovedAway} from '../team/moved.ts';
import type {DayAt} from '../../reconcile/service/service-line.ts';

const PAGE = 500;

/** States of rows whose record is that of the row. */
const RECORDED: ReadonlySet<RowState> = new Set(['accepted', 'staged', 'held', 'unapproved']);

export interface WantedRows {
  stateDir: string;
  clock: Clock;
  service: {baseUrl: string; mode: Mode};
  dayAt: DayAt;
  /** Batches that a team shares are copied to the state folder before they are read. */
  team: TeamSession | undefined;
}

/** The payments of batches, and the batches that could not be read. */
export interface BatchRows extends PlannedRows {
  payments: ExpectedPayment[];
  unread: string[];
  inDoubt: Set<string>;
  unconfirmed: Set<string>;
  read: Set<string>;
}

/** What all batches of a state folder have sent, or may have sent, to this service. Nothing is changed. */
export async function batchPayments(wanted: WantedRows): Promise<BatchRows> {
  const found: BatchRows = {
    payments: [],
    unread: [],
    inDoubt: new Set(),
    unconfirmed: new Set(),
    read: new Set(),
  };
  for (const kind of keysOf(KINDS)) {
    const ids = batchIds(wanted.stateDir, kind).sort();
    for (const batchId of ids) {
      await wanted.team?.fetch(kind, batchId);
      await readRows(kind, batchId, {wanted, found});
    }
  }
  return found;
}

async function readRows(
  kind: Kind,
  batchId: string,
  {wanted, found}: {wanted: WantedRows; found: BatchRows},
): Promise<void> {
  const {stateDir, clock, dayAt} = wanted;
  let batch: OpenBatch;
  try {
    batch = await readBatch({kind, batchId, stateDir, clock}, `reconcile of batch ${batchId}`);
  } catch (error) {
    if (!(error instanceof RemitError)) throw error;
    found.unread.push(`batch ${batchId} could not be read: ${error.message}`);
    return;
  }
  try {
    if (!isOf(batch, wanted.service)) return;
    found.read.add(batchId);
    if (wanted.team === undefined && isMovedAway(stateDir, kind, batchId))
      found.unread.push(`batch ${batchId} was moved to a database; reconcile it there, with --state`);
    const {journal} = batch;
    if (journal.fact('confirmed') === undefined && (journal.fact('confirmations') ?? []).length === 0)
      found.unconfirmed.add(`${kind} ${batchId}`);
    const {rows} = journal;
    for (const page of pagesOf((after) => rows.after(after, PAGE), PAGE))
      for (const row of page) {
        const payment = paymentOf(row, batch, dayAt);
        if (payment === undefined) continue;
        found.payments.push(payment);
        if (journal.stateOf(row) === 'in_doubt') found.inDoubt.add(`${kind} ${batchId}/${row.reference}`);
      }
  } finally {
    await batch.close();
  }
}

const isOf = ({journal}: OpenBatch, {baseUrl, mode}: WantedRows['service']): boolean => {
  const binding = journal.fact('binding');
  return binding?.mode === mode && withLoopback(binding.baseUrl) === withLoopback(baseUrl);
};

/** Undefined for a row that has moved no money of its own, and for one of a subaccount. */
function paymentOf(row: JournalRow, {plan, journal}: OpenBatch, dayAt: DayAt): ExpectedPayment | undefined {
  if (row.subaccount !== null) return undefined;
  const {kind, batchId, namespace} = plan;
  const state = journal.stateOf(row);
  const {outcome, reference} = row;
  if (!RECORDED.has(state) && state !== 'in_doubt') return undefined;
  const isKnown = RECORDED.has(state) || (outcome !== undefined && isRecordedDoubt(outcome));
  const recordId = isKnown && outcome?.id != null ? usualId(outcome.id) : undefined;
  const sentAt = outcome?.stagedAt ?? journal.writtenAt(row.n) ?? journal.coveredSince(row.n);
  if (sentAt === undefined) return undefined;
  const {amount, currency} = paidContentOf(row, kind, (n) => journal.rows.differencesOf(n));
  const sentDay = dayAt(sentAt);
  return {
    key: recordId ?? `batch:${batchId}/${reference}`,
    ...{recordId, kind, account: undefined, currency},
    amount: kind === 'payout' ? -BigInt(amount) : BigInt(amount),
    rail: row.rail ?? undefined,
    // Of a row in doubt, only the service can show one.
    status: (state === 'in_doubt' ? undefined : outcome?.status) ?? undefined,
    day: row.scheduled !== null && row.scheduled > sentDay ? row.scheduled : sentDay,
    traces: [reference],
    row: {batch: batchId, reference, namespace},
    groups: [`${kind} batch ${batchId}`],
  };
}
