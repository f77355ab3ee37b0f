import {FORMER_GONE_CODE, DIFFERS_CODE, REGISTRY_CODE} from '../../src/batch/model/outcome.ts';
import {cancelExitCodeOf, exitCodeOf, type Summary} from '../../src/batch/standing/summary.ts';
import {formatMajor} from '../../src/money/amount.ts';
import type {EngineReport, EngineRun} from './engine.ts';
import type {Oracle} from './oracle.ts';
import type {Place} from './place.ts';
import type {Fate, SimProcess} from './process.ts';
import {isRefusedParty, isUnapprovedParty, readResults, type SimRow} from './rows.ts';

const BUCKETS = [
  'accepted',
  'already_paid',
  'staged',
  'unapproved',
  'rejected',
  'conflict',
  'in_doubt',
  'not_sent',
] as const;
type Bucket = (typeof BUCKETS)[number];

const BUCKET_OF: Readonly<Record<string, Bucket>> = {
  held: 'staged',
  dead_key: 'conflict',
  collision: 'conflict',
};
/** What is reported about a row. */
type RowReport = EngineReport['states'][number];

const bucketOf = (state: string): string => BUCKET_OF[state] ?? state;

/** Before the first success. */
const LEAST_PATIENCE_MS = 10_000;

/** States that a row leaves only by an operator's will. */
const LASTING: ReadonlySet<string> = new Set(['accepted', 'already_paid', 'collision']);

/** Whether a run may send what a complete batch has left: it has the operator's leave to try again. */
export const isRetry = ({retry, path, settings}: EngineRun): boolean =>
  retry !== undefined || path === 'release' || path === 'cancel' || settings.acceptDifferences;

/** Holds all that a run said at its end against the plan, the journal, the results file, the network and the books. */
export function checkReport(options: {
  place: Place;
  batchId: string;
  report: EngineReport;
  process: SimProcess;
  oracle: Oracle;
  fate: Fate;
  request: EngineRun;
}): void {
  const {place, batchId, report, process, oracle, request} = options;
  const {summary, states} = report;
  const batch = place.batches.get(batchId)!;
  const wasComplete = batch.isComplete;
  checkSums(summary, batch.rows, states, oracle);
  for (const bucket of BUCKETS)
    if (report.counts[bucket] !== summary[bucket])
      oracle.violate(
        'counts',
        `the journal has ${report.counts[bucket]} rows ${bucket}, the summary ${summary[bucket]}`,
      );
  checkResults(place, batchId, states, oracle);
  checkStates({place, batchId, report, oracle});
  if (summary.posts !== process.posts)
    oracle.violate('posts', `${process.posts} POSTs were sent and ${summary.posts} told of`);
  if (wasComplete && !isRetry(request) && process.posts > 0)
    oracle.violate('resume', `${process.posts} POSTs after the batch was complete`);
  // A row in conflict with another batch is sent once that batch, or the registry, gives it free.
  batch.isComplete =
    (summary.state === 'complete' || summary.state === 'incomplete') &&
    summary.in_doubt + summary.not_sent + summary.staged === 0 &&
    states.every(({state}) => state !== 'conflict');
  if (summary.state === 'canceled') oracle.checkCanceled(place, batchId);
  const stop = summary.stopped_because?.reason;
  if (stop === 'unreachable' || stop === 'failing')
    oracle.endedForOutage(process, request.settings.maxWaitMs ?? LEAST_PATIENCE_MS);
  const isPaid = summary.accepted + summary.already_paid === summary.planned;
  const isStaged = request.path === 'stage-only' || summary.state === 'staged';
  if (request.path === 'cancel') {
    if (cancelExitCodeOf(summary) === 0 && summary.state !== 'canceled')
      oracle.violate('exit', `exit 0 of a cancel, and the batch is ${summary.state}`);
  } else if (exitCodeOf(summary) === 0 && !isPaid && !isStaged)
    oracle.violate(
      'exit',
      `exit 0, and only ${summary.accepted + summary.already_paid} of ${summary.planned} are paid`,
    );
}

/** Holds what a refresh said against what it read: an approval that was lost is told, and counted. */
export function checkRefresh(options: {
  place: Place;
  batchId: string;
  report: Pick<EngineReport, 'summary' | 'states'>;
  process: SimProcess;
  oracle: Oracle;
}): void {
  const {place, batchId, report, process, oracle} = options;
  const {summary, states} = report;
  checkSums(summary, place.batches.get(batchId)!.rows, states, oracle);
  checkStates({place, batchId, report, oracle});
  const lost = states.filter(({reference}) => process.shownLost.has(reference));
  for (const {reference, state, code} of lost)
    if (state === 'accepted' && code !== DIFFERS_CODE)
      oracle.violate('lost', `${reference} is reported ${state}, and its record was read created`);
  if (lost.length > 0 && (exitCodeOf(summary) === 0 || summary.state === 'complete'))
    oracle.violate(
      'lost',
      `approvals were lost, and the batch is ${summary.state}, exit ${exitCodeOf(summary)}`,
    );
}

/** After calm runs, and after each record was read, a row that is reported accepted, and not to be checked, is approved. */
export function checkApproved(states: readonly RowReport[], oracle: Oracle): void {
  for (const {reference, state, code} of states)
    if (
      state === 'accepted' &&
      code !== DIFFERS_CODE &&
      oracle.wasLost(reference) &&
      !oracle.isPaidNow(reference)
    )
      oracle.violate('lost', `${reference} is reported accepted in the end, and its approval was lost`);
}

function checkSums(
  summary: Summary,
  rows: readonly SimRow[],
  states: readonly RowReport[],
  oracle: Oracle,
): void {
  const byReference = new Map(rows.map((row) => [row.reference, row]));
  const expected = new Map<string, {count: number; sums: Map<string, bigint>}>();
  for (const {reference, state} of states) {
    const row = byReference.get(reference);
    if (row === undefined) oracle.violate('sums', `${reference} is reported and not planned`);
    else addTo(expected, bucketOf(state), row);
  }
  if (states.length !== rows.length || summary.planned !== rows.length)
    oracle.violate('sums', `${rows.length} rows planned, ${states.length} reported, ${summary.planned} said`);
  for (const bucket of BUCKETS) {
    const {count, sums} = expected.get(bucket) ?? {count: 0, sums: new Map<string, bigint>()};
    if (summary[bucket] !== count)
      oracle.violate('sums', `${count} rows are ${bucket} and the summary says ${summary[bucket]}`);
    for (const [currency, totals] of Object.entries(summary.totals)) {
      const sum = formatMajor(sums.get(currency) ?? 0n, currency);
      if (totals[bucket] !== sum)
        oracle.violate('sums', `${sum} ${currency} are ${bucket} and the summary says ${totals[bucket]}`);
    }
  }
}

function addTo(
  expected: Map<string, {count: number; sums: Map<string, bigint>}>,
  bucket: string,
  row: SimRow,
): void {
  let entry = expected.get(bucket);
  if (entry === undefined) expected.set(bucket, (entry = {count: 0, sums: new Map()}));
  entry.count++;
  entry.sums.set(row.currency, (entry.sums.get(row.currency) ?? 0n) + BigInt(row.amount));
}

function checkResults(place: Place, batchId: string, states: readonly RowReport[], oracle: Oracle): void {
  const bytes = place.disk.peek(`${place.inbox}/${batchId}.results.csv`);
  if (bytes === undefined) {
    oracle.violate('results', `there are no results of ${batchId}`);
    return;
  }
  const results = readResults(Buffer.from(bytes).toString('utf8'));
  const said = results.map(({reference, state}) => `${reference} ${bucketOf(state)}`).join();
  const known = states.map(({reference, state}) => `${reference} ${bucketOf(state)}`).join();
  if (said !== known) oracle.violate('results', `the results say ${said}, the journal ${known}`);
}

/** Holds the state of each row against the books, and against what was said of it before. */
export function checkStates(options: {
  place: Place;
  batchId: string;
  report: Pick<EngineReport, 'summary' | 'states'>;
  oracle: Oracle;
}): void {
  const {
    place,
    batchId,
    report: {summary, states},
    oracle,
  } = options;
  const {rows, reported} = place.batches.get(batchId)!;
  // It has sent nothing, so a plan of the edited file replaces its journal, and what the registry had shown of the rows.
  if (summary.state === 'planned') reported.clear();
  const byReference = new Map(rows.map((row) => [row.reference, row]));
  for (const {reference, state} of states) {
    const row = byReference.get(reference);
    if (row !== undefined) checkBooks(place, batchId, row, state, oracle);
    const before = reported.get(reference);
    const isOver = before !== undefined && LASTING.has(before) && !oracle.mayHaveBeenRaised(reference);
    // A retry by name, or a cancel, sends a row again whose key was answered with another record.
    const isSentAgain = oracle.wasRetried(reference) || place.canceling.has(batchId);
    const isTaken = before === 'collision' && isSentAgain;
    // It looked unapproved to a cancel, which the service then refused.
    const isInCancel = state === 'in_doubt' && place.canceling.has(batchId);
    // A retry, or a release with leave after a read that showed the lost approval, sends it again.
    const isReleasedAgain = oracle.wasRetried(reference) || place.shownLost.has(`${batchId} ${reference}`);
    const looksLost = oracle.wasLost(reference) || oracle.wasMixedUp(reference);
    const isLost =
      before === 'accepted' &&
      (state === 'unapproved' || isInCancel || (AGAIN.has(state) && isReleasedAgain)) &&
      looksLost;
    // The batch that paid it has reported its lost approval, and still claims the reference.
    const isClaimed = before === 'already_paid' && state === 'conflict' && looksLost;
    if (isOver && before !== state && !isTaken && !isLost && !isClaimed)
      oracle.violate('terminal', `${reference} was ${before} and is ${state} now`);
    reported.set(reference, state);
  }
  checkShared(byReference, states, oracle);
}

/** A record pays one row, also if the service answers several rows with it. */
function checkShared(rows: ReadonlyMap<string, SimRow>, states: readonly RowReport[], oracle: Oracle): void {
  for (const {references, n} of oracle.sharedRecords()) {
    const paid = states.filter(
      ({reference, state}) =>
        references.includes(reference) &&
        (state === 'accepted' || state === 'already_paid') &&
        !isPaidAlone(rows.get(reference)!, n, oracle),
    );
    if (paid.length > 1)
      oracle.violate(
        'books',
        `record ${n} paid once, and ${paid.map(({reference}) => reference).join(' and ')} are reported paid`,
      );
  }
}

/** It was paid by another record than this one. */
const isPaidAlone = (row: SimRow, n: number, oracle: Oracle): boolean =>
  oracle.paymentsOf(row.reference).some(({record}) => record.n !== n && pays(record.body, row));

const pays = (body: Record<string, unknown>, row: SimRow): boolean =>
  body['amount_in_minor_units'] === row.amount && Object.values(body).includes(row.party);

function checkBooks(place: Place, batchId: string, row: SimRow, state: string, oracle: Oracle): void {
  const {reference} = row;
  if (state === 'accepted' || state === 'already_paid') {
    const isPaid =
      oracle.paymentsOf(reference).some(({record}) => pays(record.body, row)) ||
      oracle.sharedRecords().some(({references, wasPaid}) => wasPaid && references.includes(reference));
    if (!isPaid) oracle.violate('books', `${reference} is reported ${state} and was not paid as planned`);
  }
  // What is under way for a rejected row will be rejected like the rest: the service judges by the body.
  if (oracle.isDeclaredUnpaid(reference)) return; // by an operator's word, which may be wrong
  // `cancel` stages what direct mode left in doubt, and `retry` what a release was refused for: both read the record open.
  // A copy of an earlier request may still arrive; it is the same record with the same key, and can be paid once.
  const wasReadOpen =
    state === 'staged' &&
    (place.canceling.has(batchId) ||
      oracle.wasRetried(reference) ||
      oracle.wasTakenUp(place, batchId, reference));
  const isUnpaid = state === 'not_sent' || state === 'staged' || state === 'held';
  const isContradicted = wasReadOpen
    ? oracle.wasShownPaid(place, batchId, reference)
    : isUnpaid
      ? oracle.mayBePaidBy(place, batchId, reference)
      : state === 'rejected' && oracle.isPaidBy(place, batchId, reference);
  if (isContradicted)
    oracle.violate('books', `${reference} is reported ${state}, and was or may yet be paid`);
  if (state === 'dead_key' && oracle.hasStaged(place, batchId, reference))
    oracle.violate('books', `${reference} is reported as having a record that ended, and it is still open`);
  if (state === 'rejected' && oracle.hasOpenRecord(place, batchId, reference))
    oracle.violate('books', `${reference} is reported rejected, and the service has a record of it`);
}

/** After calm runs nothing is left open, unless keys may have been forgotten. */
export function checkFinal(options: {
  last: EngineReport | undefined;
  place: Place;
  batchId: string;
  oracle: Oracle;
  mustEnd: boolean;
}): void {
  const {last, place, batchId, oracle, mustEnd} = options;
  if (!mustEnd || last?.summary.state === 'canceled') return;
  if (last === undefined) {
    oracle.violate('end', `${batchId} could not be run to its end`);
    return;
  }
  const {rows} = place.batches.get(batchId)!;
  const sharing = new Set(oracle.sharedRecords().flatMap(({references}) => references));
  const isHeldUp = last.states.some(({reference, state}) => state === 'in_doubt' && sharing.has(reference));
  const open = last.states.filter(({reference, state, code}) => {
    const {party} = rows.find((row) => row.reference === reference)!;
    const isLost = state === 'unapproved' && oracle.wasLost(reference) && !isUnapprovedParty(party);
    if (!OPEN.has(state) && !isLost) return false;
    if (code === FORMER_GONE_CODE) return false; // `next` is resolve: a person has to say what became of that record
    // Another batch took the reference when the registry was lost, and paid something else or came to no end: a person must look.
    if (state === 'in_doubt' && code === REGISTRY_CODE) return false;
    // The record that its key returns is that of another payment: the same.
    if ((state === 'in_doubt' || isLost) && sharing.has(reference)) return false;
    if ((state === 'staged' || state === 'in_doubt') && isHeldUp) return false; // each run stops when it reads that record
    // Direct mode made its record, and the service compares bodies: staging cannot find out, a person must.
    if (state === 'in_doubt' && oracle.isOtherBody(reference)) return false;
    // Sent by an earlier run and refused now: a person must say that it was never taken.
    return state !== 'in_doubt' || !isRefusedParty(party);
  });
  if (open.length > 0)
    oracle.violate('end', `${batchId} ends with ${JSON.stringify(open)}: ${JSON.stringify(last.summary)}`);
}

const OPEN: ReadonlySet<string> = new Set(['not_sent', 'staged', 'held', 'in_doubt']);
/** States of a row whose lost approval is given again by a retry; its release may have been killed. */
const AGAIN: ReadonlySet<string> = new Set(['staged', 'in_doubt']);
