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
  /** By the ids of their records. */
  formers: Map<string, ExpectedPayment>;
  read: Set<string>;
}

/** What all batches of a state folder have sent, or may have sent, to this service. Nothing is changed. */
export async function batchPayments(wanted: WantedRows): Promise<BatchRows> {
  const found: BatchRows = {
    payments: [],
    unread: [],
    inDoubt: new Set(),
    unconfirmed: new Set(),
    formers: new Map(),
    read: new Set(),
  };
  for (const kind of keysOf(KINDS)) {
    const ids = batchIds(wanted.stateDir, kind).sort();
    for (const batchId of ids) {
      await wanted.team?.fetch(kind, batchId);
      await readRows(kind, batchId, {wanted, found});
    }
  }
  // A record that one batch has replaced may be that of another one.
  for (const {key} of found.payments) found.formers.delete(key);
  found.payments.push(...found.formers.values());
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
    const former = formerRecords(journal);
    for (const page of pagesOf((after) => rows.after(after, PAGE), PAGE))
      for (const row of page) {
        for (const record of former.get(row.n) ?? []) {
          const payment = formerPayment(record, {row, batch, dayAt});
          if (payment !== undefined) found.formers.set(payment.key, payment);
        }
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
  const {batchId} = plan;
  const state = journal.stateOf(row);
  const {outcome, reference} = row;
  if (!RECORDED.has(state) && state !== 'in_doubt') return undefined;
  const isKnown = RECORDED.has(state) || (outcome !== undefined && isRecordedDoubt(outcome));
  const recordId = isKnown && outcome?.id != null ? usualId(outcome.id) : undefined;
  const sentAt = outcome?.stagedAt ?? journal.writtenAt(row.n) ?? journal.coveredSince(row.n);
  if (sentAt === undefined) return undefined;
  const sentDay = dayAt(sentAt);
  return {
    ...contentOf(row, {plan, journal}),
    key: recordId ?? `batch:${batchId}/${reference}`,
    recordId,
    // Of a row in doubt, only the service can show one.
    status: (state === 'in_doubt' ? undefined : outcome?.status) ?? undefined,
    day: row.scheduled !== null && row.scheduled > sentDay ? row.scheduled : sentDay,
    traces: [reference],
  };
}

function contentOf(row: JournalRow, {plan, journal}: Pick<OpenBatch, 'plan' | 'journal'>) {
  const {kind, batchId, namespace} = plan;
  const {amount, currency} = paidContentOf(row, kind, (n) => journal.rows.differencesOf(n));
  return {
    ...{kind, account: undefined, currency},
    amount: kind === 'payout' ? -BigInt(amount) : BigInt(amount),
    rail: row.rail ?? undefined,
    row: {batch: batchId, reference: row.reference, namespace},
    groups: [`${kind} batch ${batchId}`],
  };
}

/** A record that failed or was canceled before its row got a new key; the bank may have moved money for it. */
interface FormerRow {
  id: string;
  status: string;
  /** When its row got a new key, or 0. */
  at: number;
}

function formerRecords({former}: OpenBatch['journal']): Map<number, FormerRow[]> {
  const found = new Map<string, FormerRow & {n: number}>();
  for (const {n, id, status} of former.endedRecords()) found.set(usualId(id), {n, id, status, at: 0});
  for (const {n, former_id: id, at} of former.generations())
    if (id !== null) found.set(usualId(id), {status: 'failed', ...found.get(usualId(id)), n, id, at});
  const byRow = new Map<number, FormerRow[]>();
  for (const {n, ...record} of found.values()) byRow.set(n, [...(byRow.get(n) ?? []), record]);
  return byRow;
}

/** Undefined for the record that the row still has, and for a row of a subaccount. */
function formerPayment(
  {id, status, at}: FormerRow,
  {row, batch, dayAt}: {row: JournalRow; batch: OpenBatch; dayAt: DayAt},
): ExpectedPayment | undefined {
  const recordId = usualId(id);
  const current = row.outcome?.id ?? undefined;
  if (row.subaccount !== null || (current !== undefined && usualId(current) === recordId)) return undefined;
  return {...contentOf(row, batch), key: recordId, recordId, status, day: dayAt(at), traces: []};
}
