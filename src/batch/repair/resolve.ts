import type {Clock} from '../../clock.ts';
import {RemitError} from '../../errors.ts';
import {must} from '../../narrow.ts';
import {readConfirmations} from '../journal/confirmations.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import type {Journal} from '../journal/journal.ts';
import type {OpenBatch} from '../journal/open-batch.ts';
import {DECLARED_NOT_PAID} from '../model/declared.ts';
import {CAME_AGAIN, DIFFERS_CODE, FORMER_GONE_CODE, isLeftForFormer, type Outcome} from '../model/outcome.ts';
import type {Entry} from '../registry/entry.ts';
import {synchroniseBatch} from '../registry/synchronise.ts';
import {Registry} from '../registry/registry.ts';
import type {Mode} from '../../contract/mode.ts';
import {KINDS} from '../model/kinds.ts';
import type {Plan} from '../model/plan-facts.ts';
import {endIfResolved} from '../journal/after-resolve.ts';
import {isRecordedAs} from './recorded.ts';
import {doubtBefore, isWord, type Resolution, resolvedOutcome} from './resolved-outcome.ts';
import {type DeclaredRecord, refuseTaken, refuseTakenElsewhere} from './taken-records.ts';
import {isReplaced, mayBeReplaced, replacedOutcome, replacesOf, replacingEntry} from './replaced.ts';

/** Whether a row is accepted with a record that differs, or that may be one of two. A person has compared them. */
const isToCheck = (outcome: Outcome | undefined): boolean =>
  outcome?.state === 'accepted' && outcome.code === DIFFERS_CODE;

/** A row and what was found out about it. */
export interface Resolving {
  reference: string;
  resolution: Resolution;
  /** Not paid: a GET has just shown that the service does not have the known record. */
  isGone?: boolean;
}

export interface Resolved {
  reference: string;
  state: Outcome['state'];
  id: string | null;
  /** Of a payment that replaces the row: `100.25 USD instead of 99.25 USD`. */
  replaces?: string;
  /** Earlier records of the reference that did not pay it, as stated: the next run reads them once more. */
  not_paid_by?: string[];
  /** It was recorded before; nothing was changed. */
  unchanged?: true;
}

interface ResolveOptions {
  batch: OpenBatch;
  stateDir: string;
  clock: Clock;
  /** Called with what was read into a registry that lacked it. */
  tell?: ((text: string) => void) | undefined;
}

/**
 * Resolves a row in doubt as the operator states. Paid: the given id becomes the row's id. Not paid: the row is sent
 * again with the same key, so that even a wrong statement cannot pay twice while the service remembers the key. A row
 * that was accepted only by a statement (no `status` of its record was seen) may later be declared not paid.
 * @throws RemitError NO_BATCH if there is no such row, USAGE if it is not in doubt or the registry lists it as paid
 */
export async function resolveRow({
  reference,
  resolution,
  isGone,
  ...options
}: ResolveOptions & Resolving): Promise<Resolved> {
  const [resolved] = await resolveRows({
    ...options,
    rows: [{reference, resolution, isGone: isGone === true}],
  });
  return must(resolved, 'row that was resolved');
}

/** The same for several rows: all of them or none. */
export async function resolveRows(
  options: ResolveOptions & {rows: readonly Resolving[]},
): Promise<Resolved[]> {
  const {batch, rows, clock} = options;
  const {journal} = batch;
  const before = journal.fact('declared') ?? {};
  const declared: Record<string, Outcome | null | undefined> = {...before};
  journal.makeDoubtExplicit();
  const recorded = rows.map(({reference, resolution}) => recordedRow(batch, reference, resolution));
  const isNew = (_: unknown, n: number) => recorded[n] === undefined;
  const resolved = rows.filter(isNew).map(({reference, resolution, isGone = false}) => {
    let row = doubtfulRow(batch, reference, resolution);
    if (isReplaced(row.outcome)) {
      declared[reference] = undefined;
      return {row, resolution, outcome: must(before[reference], 'outcome before it was replaced')};
    }
    if (isWord(row.outcome)) row = {...row, outcome: doubtBefore(row, before[reference])};
    else if (resolution !== 'not-paid') declared[reference] = row.outcome ?? null;
    const since = journal.coveredSince(row.n) ?? clock.now();
    return {row, resolution, outcome: resolvedOutcome(row, resolution, {since, isGone})};
  });
  if (resolved.length === 0) return recorded.filter((row) => row !== undefined);
  refuseTaken(batch, paidIn(resolved));
  journal.setFact('declared', declared);
  // Registry first: it must not list a row as paid that the journal lists as unpaid.
  const formers = await tellRegistry(options, resolved);
  if (formers.size > 0)
    journal.setFact('formersUnpaid', {...journal.fact('formersUnpaid'), ...Object.fromEntries(formers)});
  for (const {outcome} of resolved) journal.record(outcome, clock.now());
  journal.flush();
  endIfResolved(batch, clock);
  journal.setFact('pastHorizon', false); // the next run detects it again
  await synchroniseBatch(batch, options); // what is left to do depends on other batches
  const changed = resolved.map(({row, outcome}) => ({
    reference: row.reference,
    state: outcome.state,
    id: outcome.id,
    ...replacesOf(row, outcome, batch.plan.kind),
    ...(waitsForGone(row) ? formersOf(formers.get(row.reference)) : {}),
  }));
  return recorded.flatMap((row) => row ?? changed.shift() ?? []);
}

/** Whether the row is left because an earlier record of its reference is not found. */
const waitsForGone = ({outcome}: JournalRow): boolean => outcome?.code === FORMER_GONE_CODE;

/** The record of a row that is not found any more: it is read again before the row is paid. */
const goneRecord = (
  {reference, outcome: before}: JournalRow,
  {state}: Outcome,
): {reference: string; id: string}[] =>
  state === 'not_sent' && before?.state === 'in_doubt' && before.id !== null
    ? [{reference, id: before.id}]
    : [];

const formersOf = (formers: string[] | undefined): Pick<Resolved, 'not_paid_by'> =>
  formers === undefined ? {} : {not_paid_by: formers};

/** The row, if exactly this is recorded already: stating it again changes nothing. */
export function recordedRow(
  {journal}: OpenBatch,
  reference: string,
  resolution: Resolution,
): Resolved | undefined {
  const outcome = journal.rows.of(reference)?.outcome;
  if (outcome === undefined || !isRecordedAs(outcome, resolution)) return undefined;
  return {reference, state: outcome.state, id: outcome.id, unchanged: true};
}

/**
 * The row, if it may be resolved in this way.
 * @throws RemitError NO_BATCH if there is no such row, USAGE if it is not in doubt
 */
export function rowToResolve(batch: OpenBatch, reference: string, resolution: Resolution): JournalRow {
  batch.journal.makeDoubtExplicit();
  return doubtfulRow(batch, reference, resolution);
}

/** The same, after the doubts left by killed runs were made explicit. */
export function doubtfulRow(
  {journal, plan}: OpenBatch,
  reference: string,
  resolution: Resolution,
): JournalRow {
  const row = journal.rows.of(reference);
  if (row === undefined)
    throw new RemitError('NO_BATCH', `batch ${plan.batchId} has no row ${reference}`, {
      hint: (commands) =>
        `the results list every reference: ${commands.read(KINDS[plan.kind].topic, 'batch', 'report', plan.batchId)}`,
    });
  const isDoubt =
    row.outcome === undefined ? journal.coveredSince(row.n) !== undefined : row.outcome.state === 'in_doubt';
  const isRevocable = isWord(row.outcome) || (isReplaced(row.outcome) && isKept(journal, reference));
  const isLeft = row.outcome !== undefined && isLeftForFormer(row.outcome);
  // Its keys cannot pay it any more, or direct mode may have paid it with a record that was not shown.
  const isTakenTwice =
    row.outcome?.state === 'collision' &&
    row.outcome.message?.endsWith(CAME_AGAIN) === true &&
    (journal.left.wasDirect() || journal.left.hasNewKey(row.n));
  const isStatedUnpaid = row.outcome?.message === DECLARED_NOT_PAID && resolution !== 'not-paid';
  if (isDoubt || isLeft || isTakenTwice || isStatedUnpaid || (resolution === 'not-paid' && isRevocable))
    return row;
  // Its key belongs to a record that no answer named, or to another one; the operator may have found its own.
  const isRefused =
    (row.outcome?.state === 'dead_key' && row.outcome.id === null) ||
    row.outcome?.state === 'collision' ||
    mayBeReplaced(row) ||
    isToCheck(row.outcome);
  if (isRefused && resolution !== 'not-paid') return row;
  throw new RemitError('USAGE', `row ${reference} is not in doubt; ${stateOf(row)}`, {
    hint: (commands) =>
      `resolve applies only to rows in doubt; ${commands.read(KINDS[plan.kind].topic, 'batch', 'status', plan.batchId)} shows what is left to do`,
  });
}

function stateOf({outcome}: JournalRow): string {
  if (outcome?.state === 'dead_key')
    return `its record is ${outcome.status ?? 'unknown, and its key was refused'}`;
  return `its state is ${(outcome?.state ?? 'not sent').replace('_', ' ')}`;
}

/** Whether the outcome before a statement is known; it is not for statements of an earlier version. */
const isKept = (journal: Journal, reference: string): boolean =>
  (journal.fact('declared') ?? {})[reference] !== undefined;

const paidIn = (rows: readonly Stated[]): DeclaredRecord[] =>
  rows.flatMap(({row, resolution}) => (resolution === 'not-paid' ? [] : [{row, id: resolution.paid}]));

/** A row with what was found out about it. */
interface Stated {
  row: JournalRow;
  resolution: Resolution;
  outcome: Outcome;
}

/** @returns the earlier records of the rows that were stated unpaid, by reference */
async function tellRegistry(
  {batch, stateDir, clock, tell = () => undefined}: ResolveOptions,
  rows: readonly Stated[],
): Promise<ReadonlyMap<string, string[]>> {
  const {plan, journal} = batch;
  const binding = boundTo(journal);
  // A statement covers no record that it is not about.
  const unpaid = rows.filter(({row, resolution}) => resolution === 'not-paid' && waitsForGone(row));
  const gone = rows.flatMap(({row, outcome}) => goneRecord(row, outcome));
  const registry = await Registry.open({
    stateDir,
    scope: {...binding, kind: plan.kind, namespace: plan.namespace},
    claimant: {profile: lastProfile(journal), batchId: plan.batchId, journalId: plan.journalId},
    brief: true,
    // Nothing is sent, so a journal that cannot be read is no reason to refuse.
    check: {own: batch, lostJournals: 'all', retype: (words) => words.join(' '), tell},
    clock,
  });
  try {
    refuseTakenElsewhere(registry, plan.kind, paidIn(rows));
    for (const {row, resolution} of rows)
      if (resolution === 'not-paid') refusePaid(registry.entries.find(row.reference), batch, row.reference);
    for (const stated of rows) {
      const {row, resolution} = stated;
      if (isReplaced(row.outcome)) continue; // it is the payment of another batch
      if (resolution === 'not-paid') registry.entries.unpaid(row.reference);
      else if (mayBeReplaced(row)) {
        const refuse = (found: Entry | undefined) => notReplacing(plan, row, resolution.paid, found);
        const entry = replacingEntry(registry, row, resolution.paid, {plan, refuse});
        stated.outcome = replacedOutcome(row, stated.outcome, entry, plan.kind);
      } else notePaid(registry, row, resolution.paid, {journalId: plan.journalId, now: clock.now()});
    }
    for (const {reference, id} of gone) registry.gone(reference, id);
    registry.flush();
    await registry.hasEnded(); // sorts in what was just noted
    const formers = registry.entries.formerRecords(unpaid.map(({row}) => row));
    const covered = new Map(gone.map(({reference, id}) => [reference, [id]]));
    for (const [reference, records] of formers)
      covered.set(
        reference,
        records.map(({id}) => id),
      );
    return covered;
  } finally {
    await registry.close();
  }
}

const notReplacing = (
  {kind, batchId}: Plan,
  {reference}: JournalRow,
  id: string,
  found: Entry | undefined,
): RemitError => {
  const other = found?.paid === true ? `: that is ${found.id}, of batch ${found.batch}` : '';
  return new RemitError(
    'LOCAL_VALIDATION',
    `${kind} ${id} is not the record with which another batch has paid row ${reference}${other}; nothing was changed`,
    {
      hint: (commands) =>
        `to see what is left to do: ${commands.read(KINDS[kind].topic, 'batch', 'status', batchId)}`,
    },
  );
};

/**
 * The batch that has the record has the claim, even if the claim was lost; what another batch has paid is not
 * changed.
 */
function notePaid(
  registry: Registry,
  row: JournalRow,
  id: string,
  {journalId, now}: {journalId: string; now: number},
): void {
  const isOurs = () => registry.entries.find(row.reference)?.journal === journalId;
  if (!isOurs()) registry.keep([row], now);
  if (isOurs()) registry.paid(row.reference, id);
}

/** A declaration cannot revoke what the service has reported, only another declaration. */
function refusePaid(entry: Entry | undefined, {plan, journal}: OpenBatch, reference: string): void {
  const isWord = (journal.fact('declared') ?? {})[reference] !== undefined;
  if (entry?.journal !== plan.journalId || !entry.paid || isWord) return;
  throw new RemitError('USAGE', `row ${reference} was paid: the registry has its record ${entry.id}`, {
    hint: (commands) =>
      `to record it: ${commands.write(KINDS[plan.kind].topic, 'batch', 'resume', plan.batchId)}`,
  });
}

/** Where the batch was last confirmed; its claims are made with this scope. */
const lastProfile = (journal: Journal): string => readConfirmations(journal).at(-1)?.profile ?? '';

function boundTo(journal: Journal): {mode: Mode; baseUrl: string} {
  const binding = journal.fact('binding');
  if (binding === undefined) throw new RemitError('USAGE', 'the batch was never run');
  return binding;
}
