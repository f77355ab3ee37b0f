import {existsSync} from 'node:fs';
import type {Clock} from '../../clock.ts';
import {RemitError} from '../../errors.ts';
import type {RowWithOutcome} from '../journal/rows/row.ts';
import type {BatchFacts} from '../journal/facts.ts';
import type {Journal} from '../journal/journal.ts';
import {batchExists} from '../journal/folder.ts';
import type {OpenBatch} from '../journal/open-batch.ts';
import {type Outcome, PAID_ELSEWHERE_CODE, REGISTRY_CODE} from '../model/outcome.ts';
import {type Entry, isSamePayment} from './entry.ts';
import {paymentsIn} from './entries.ts';
import {Registry} from './registry.ts';
import {
  endedOutcome,
  foreignEntry,
  isUnfinishedElsewhere,
  type JournalExists,
  noteWaitsFor,
  otherPaymentText,
  paidByOther,
  paymentEnded,
  registryOutcome,
} from './judge.ts';
import {registryPath} from './database.ts';
import {pagesOf} from '../model/pages.ts';
import type {Plan} from '../model/plan-facts.ts';

const PAGE = 500;

/**
 * Updates the registry with what GETs have shown about this batch's records: the entry of a failed or canceled record
 * has ended, and another batch may pay its reference. The registry comes first: a row is offered to other batches
 * (`failed.csv`) only once they can claim it.
 */
export function recordEnded(journal: Journal, registry: Registry): void {
  for (;;) {
    const rows = journal.rows.endedUntold(PAGE);
    if (rows.length === 0) return;
    for (const {reference, generation, outcome} of rows) registry.ended(reference, outcome.id, generation);
    registry.flush();
    journal.markTold(rows.map(({outcome}) => outcome.id));
  }
}

/**
 * Updates the registry with what GETs have shown about payments of this batch: a record that is not approved any more, or is
 * not found, pays nothing, until a later read shows it as paid again. Until then another batch must not count its
 * reference as paid.
 */
export function withdrawUnpaid(journal: Journal, registry: Registry): void {
  const hadUnpaid = journal.fact('hasUnpaid') === true;
  let hasUnpaid = false;
  for (const page of pagesOf((after, limit) => journal.rows.notShownPaid(after, limit), PAGE)) {
    hasUnpaid = true;
    const paid = registry.entries.areOursPaid(page);
    const withdrawn = page.filter(({reference}) => paid.get(reference) === true);
    if (withdrawn.length === 0) continue;
    if (!hadUnpaid) journal.setFact('hasUnpaid', true); // first, so that a payment found again is recorded
    for (const {reference, outcome} of withdrawn) registry.withdrawPaid(reference, outcome.id);
    registry.flush();
  }
  if (!hadUnpaid) return;
  for (const page of pagesOf((after, limit) => journal.rows.recorded(['accepted'], after, limit), PAGE)) {
    const paid = registry.entries.areOursPaid(page);
    for (const {reference, outcome} of page)
      if (paid.get(reference) === false && !journal.former.hasEnded(outcome.id))
        registry.paid(reference, outcome.id);
    registry.flush();
  }
  if (!hasUnpaid) journal.setFact('hasUnpaid', false);
}

interface Recording {
  journal: Journal;
  plan: Plan;
  registry: Registry;
  exists: JournalExists;
  now: number;
}

/** A claim with the name of this batch and another journal: that journal is gone, because ours has replaced it. */
export const othersIn =
  (stateDir: string, {kind, batchId}: Plan): JournalExists =>
  (_id, name) =>
    name !== batchId && batchExists(stateDir, kind, name);

/**
 * Updates rows that this batch did not pay and another batch has paid since: they are shown here as paid by that
 * batch. Rows that another batch had claimed are free if it has given them back.
 */
export function recordPaidElsewhere(options: Recording): void {
  const {journal, plan, registry, now} = options;
  let waitsFor: string | null = null;
  let waits: BatchFacts['retryWaits'] = null;
  for (const page of pagesOf((after, limit) => journal.rows.unpaidHere(after, limit), PAGE)) {
    for (const row of page) {
      const found = registry.entries.find(row.reference);
      const outcome = outcomeElsewhere(row, found, options);
      if (outcome !== undefined && !isKnown(outcome, row)) journal.record(outcome, now);
      const foreign = foreignEntry(found, plan);
      if (isUnfinishedElsewhere(outcome ?? row.outcome, foreign, row)) waitsFor = foreign.batch;
      if (outcome !== undefined || !isRetried(row)) continue;
      // In another namespace even a paid row keeps a retry from sending this one.
      const isClaimed = foreign?.paid === false;
      const elsewhere = isClaimed ? [] : registry.entries.elsewhere(row.reference);
      const other = isClaimed ? foreign : elsewhere[0];
      if (other !== undefined) {
        waits ??= {batch: other.batch, rows: 0, ended: 0, paid: null};
        const [payment] = row.outcome.state === 'rejected' ? paymentsIn(elsewhere) : [];
        if (payment !== undefined) waits.paid ??= {reference: row.reference, id: payment.id};
        if (row.outcome.state === 'dead_key') waits.ended++;
        else waits.rows++;
      }
    }
    journal.flush();
  }
  journal.flush();
  noteWaitsFor(journal, waitsFor);
  if (JSON.stringify(journal.fact('retryWaits') ?? null) !== JSON.stringify(waits))
    journal.setFact('retryWaits', waits);
}

/** Whether `retry` would send the row again if no other batch had its reference. */
const isRetried = ({outcome: {state, status}}: RowWithOutcome): boolean =>
  state === 'rejected' || state === 'dead_key' || (state === 'accepted' && status === 'failed');

const isKnown = ({state, message}: Outcome, {outcome}: RowWithOutcome): boolean =>
  outcome.state === state && outcome.message === message;

function outcomeElsewhere(
  row: RowWithOutcome,
  found: Entry | undefined,
  options: Recording,
): Outcome | undefined {
  const {plan} = options;
  const {state, code} = row.outcome;
  if (state === 'conflict' && code === REGISTRY_CODE) return registryOutcome({row, found, ...options});
  const ended = paymentEnded(row, found) ?? replacementEnded(row, options);
  if (ended !== undefined) return ended;
  const entry = foreignEntry(found, plan);
  if (
    state === 'already_paid' &&
    code === REGISTRY_CODE &&
    entry?.paid === false &&
    entry.id === row.outcome.id
  )
    return registryOutcome({row, found, ...options}); // its record is not shown as paid any more
  if (state === 'already_paid' || entry?.paid !== true) return undefined;
  if (isSamePayment(entry, row)) return paidByOther(row, entry);
  // A record of its own, which has ended, stays named.
  const id = row.outcome.id ?? entry.id;
  return {...row.outcome, state: 'conflict', id, code: PAID_ELSEWHERE_CODE, message: otherPaymentText(entry)};
}

/** The operator stated that a record of another batch is the payment of the row, and that record has ended since. */
function replacementEnded(row: RowWithOutcome, {registry}: Recording): Outcome | undefined {
  const {state, code, id} = row.outcome;
  if (state !== 'already_paid' || code === REGISTRY_CODE || id === null) return undefined;
  const found = registry.entries.withRecords([id]).find(({standing}) => standing === 'ended');
  return found === undefined ? undefined : endedOutcome(row, found);
}

/**
 * Synchronises a batch at rest with the registry, for a status, list or report. Does nothing while another batch has
 * the registry; the next command does it.
 */
export async function synchroniseBatch(
  {journal, plan}: OpenBatch,
  {stateDir, clock}: {stateDir: string; clock: Clock},
): Promise<void> {
  const binding = journal.fact('binding');
  if (binding === undefined || !existsSync(registryPath(stateDir))) return;
  const {rows} = journal;
  const hasChanges =
    rows.unpaidHere(0, 1).length + rows.endedUntold(1).length + rows.notShownPaid(0, 1).length > 0;
  if (!hasChanges && journal.fact('hasUnpaid') !== true) return;
  const {kind, namespace, batchId, journalId} = plan;
  const profile = journal.fact('typedProfile') ?? '';
  let registry: Registry;
  try {
    registry = await Registry.open({
      ...{stateDir, clock, brief: true},
      scope: {mode: binding.mode, baseUrl: binding.baseUrl, kind, namespace},
      claimant: {profile, batchId, journalId},
    });
  } catch (error) {
    if (error instanceof RemitError && error.code === 'LOCKED') return;
    throw error;
  }
  try {
    recordEnded(journal, registry);
    withdrawUnpaid(journal, registry);
    const exists = othersIn(stateDir, plan);
    recordPaidElsewhere({journal, plan, registry, exists, now: clock.now()});
  } finally {
    await registry.close();
  }
}
