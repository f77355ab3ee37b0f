import {RemitError} from '../../errors.ts';
import {must} from '../../narrow.ts';
import {readAcknowledged} from '../journal/confirmations.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import type {Journal, RaisedRow} from '../journal/journal.ts';
import {type Bucket, bucketOf, openDoubt, type Outcome} from '../model/outcome.ts';
import {accepting, type Retype} from '../model/accept.ts';
import {pagesOf} from '../model/pages.ts';
import {addRow, emptyPart, type Part} from '../model/part.ts';
import {type Entry, isSamePayment, keySince, leastGeneration} from './entry.ts';
import type {Registry} from './registry.ts';
import {type LookAlikes, mayBeReleased, newerCounter, noneAlike, noteLookalikes} from './look-alikes.ts';
import {
  bucketNow,
  isByRegistry,
  foreignEntry,
  isDisputed,
  isUnfinishedElsewhere,
  type JournalExists,
  noteWaitsFor,
  registryOutcome,
} from './judge.ts';
import type {Plan} from '../model/plan-facts.ts';

/** What the registry contains about a batch before it is confirmed. None of it is written yet. */
export interface Survey extends LookAlikes {
  /**
   * The other batches that have paid rows of this one with the same content; these rows are skipped. A batch that has
   * only claimed a reference is not included.
   */
  paidBy: Map<string, Part>;
  /** Rows of another batch whose journal is gone: they may have been paid, and are resolved first. */
  doubts: number;
  /**
   * Rows in doubt whose reference another batch has claimed since. They are left unchanged, because sending them
   * might pay a second time.
   */
  disputed: Part;
  /** Rows that move to another bucket once the registry's decisions are written, by `from>to`. */
  shifts: Map<string, {from: Bucket; to: Bucket; part: Part}>;
  /** Rows that cannot be sent: their reference belongs to another payment, or to an unfinished batch. */
  conflicts: number;
  /** The reference of the first of them. */
  conflictExample: string | undefined;
  /**
   * Other places where references of this batch were found, by the name for `--accept paid-elsewhere`: a namespace,
   * profile or address.
   */
  elsewhere: Map<string, {count: number; example: string; batch: string}>;
}

const PAGE = 1000;

/**
 * Compares every row that this batch has not sent yet, or may have sent, with the registry, and every row that it may
 * still pay with newer payments of other batches. Rows are read in pages, so memory does not grow.
 */
export function surveyBatch(options: {
  journal: Journal;
  plan: Plan;
  registry: Registry;
  profile: string;
  exists: JournalExists;
  now: number;
}): Survey {
  const {journal, registry, plan, profile, now} = options;
  // Claims made before the look-alikes of this plan were acknowledged were part of that acknowledgement.
  const acknowledged = readAcknowledged(journal, plan)?.at;
  const since = acknowledged ?? 0;
  const survey: Survey = {
    paidBy: new Map(),
    doubts: 0,
    disputed: emptyPart(),
    shifts: new Map(),
    conflicts: 0,
    conflictExample: undefined,
    similar: {count: 0, examples: []},
    alike: noneAlike(),
    elsewhere: new Map(),
  };
  if (registry.entries.isEmpty && registry.openCreates.isEmpty && !journal.hasOutcomeByRegistry())
    return survey;
  const countNewer = newerCounter(options);
  for (const row of unsentRows(journal, (page) => countNewer(survey, page))) {
    const found = registry.entries.find(row.reference);
    const entry = foreignEntry(found, plan);
    const isDoubt =
      (entry !== undefined || row.outcome?.state === 'in_doubt') && bucketNow(journal, row) === 'in_doubt';
    if (entry !== undefined && entry.profile !== profile && !isDoubt)
      note(survey.elsewhere, entry.profile || '(environment)', row.reference, entry.batch);
    const outcome = registryOutcome({row, found, ...options});
    noteShift(survey, journal, row, outcome);
    if (outcome?.state === 'already_paid') {
      if (outcome !== row.outcome)
        addRow(inMap(survey.paidBy, must(entry, 'entry of a paid row').batch, emptyPart), row);
    } else if (outcome?.state === 'conflict') {
      survey.conflicts++;
      survey.conflictExample ??= row.reference;
    } else if (isDisputed(outcome ?? row.outcome)) addRow(survey.disputed, row);
    else if (outcome?.state === 'in_doubt' && bucketNow(journal, row) !== 'in_doubt') {
      survey.doubts++;
      noteLookalikes(survey, row, {
        registry,
        since: acknowledged ?? outcome.stagedAt ?? 0,
        now,
      });
    }
    if (entry !== undefined || isDoubt) continue;
    if (row.outcome === undefined && journal.coveredSince(row.n) !== undefined) continue; // it may have been sent
    for (const {namespace, baseUrl, batch} of registry.entries.elsewhere(row.reference))
      note(survey.elsewhere, namespace === plan.namespace ? baseUrl : namespace, row.reference, batch);
    noteLookalikes(survey, row, {registry, since, now});
  }
  return survey;
}

/**
 * The survey of a retry. It also counts the look-alikes of rows that are sent again, which a run does not send. Only the
 * first acknowledgement of the plan was about these rows; a later one may have been about others.
 */
export function surveyRetried(
  survey: Survey,
  rows: readonly JournalRow[],
  options: {journal: Journal; plan: Plan; registry: Registry; now: number},
): Survey {
  const {similar, alike} = survey;
  const found = {
    ...survey,
    similar: {count: similar.count, examples: [...similar.examples]},
    alike: {count: alike.count, examples: [...alike.examples]},
  };
  const acknowledged = readAcknowledged(options.journal, options.plan);
  const since = acknowledged?.firstAt ?? acknowledged?.at ?? 0;
  for (const row of rows) if (!mayBeReleased(row)) noteLookalikes(found, row, {...options, since});
  return found;
}

/** After the confirmation: writes the registry's decisions into the journal. Rows without a decision are sent. */
export function recordDecisions(options: {
  journal: Journal;
  plan: Plan;
  registry: Registry;
  exists: JournalExists;
  now: number;
}): void {
  const {journal, registry, now} = options;
  journal.makeDoubtExplicit(); // with the time since which it is in doubt
  let waitsFor: string | null = null;
  const renewed: RaisedRow[] = [];
  for (const row of unsentRows(journal)) {
    const found = registry.entries.find(row.reference);
    const raised = raisedElsewhere(row, found, options);
    if (raised !== undefined) journal.raiseGenerations([raisedTo(raised.generation, row, RAISED)], now);
    const least = leastGeneration(found);
    // If a record of the other batch has ended, the run reads it before it raises the generation.
    const isFree = raised === undefined && least > row.generation && found?.standing === 'freed';
    if (isFree && mayHaveNewKey(journal, row)) {
      renewed.push(raisedTo(least, row, releasedText(found)));
      if (renewed.length >= PAGE) journal.raiseGenerations(renewed.splice(0), now);
      continue;
    }
    const outcome =
      raised === undefined || raised.paid
        ? registryOutcome({
            row: {...row, generation: raised?.generation ?? row.generation},
            found,
            ...options,
          })
        : {...openDoubt(row.n, keySince(raised)), message: RAISED};
    if (outcome !== undefined) {
      journal.record(outcome, now);
      const foreign = foreignEntry(found, options.plan);
      if (isUnfinishedElsewhere(outcome, foreign, row)) waitsFor = foreign.batch;
    }
    if (journal.unflushed >= PAGE) journal.flush();
  }
  if (renewed.length > 0) journal.raiseGenerations(renewed, now);
  journal.flush();
  noteWaitsFor(journal, waitsFor);
}

/** No record of the former key is known. */
const raisedTo = (generation: number, row: JournalRow, reason: string): RaisedRow => ({
  ...{row: {...row, generation: generation - 1}, formerId: null, reason},
});

const RAISED = 'a retry that is not in this journal gave it a new key, and it may have been sent';

/** The row was never sent with its key. */
export const mayHaveNewKey = (journal: Journal, row: JournalRow): boolean =>
  bucketNow(journal, row) !== 'in_doubt' && (row.outcome?.stagedAt ?? null) === null;

const releasedText = ({batch}: Entry): string =>
  `batch ${batch} had this reference and released it; it has a new key`;

/** A claim or payment that is ours, or a claim whose journal is gone, if its generation is above the row's. */
function raisedElsewhere(
  row: JournalRow,
  found: Entry | undefined,
  {plan, exists}: {plan: Plan; exists: JournalExists},
): Entry | undefined {
  if (found === undefined || found.standing !== null) return undefined;
  const isOurs = found.journal === plan.journalId;
  if (found.paid ? !isSamePayment(found, row) : found.fingerprint !== row.fingerprint) return undefined;
  if (!isOurs && (found.paid || exists(found.journal, found.batch))) return undefined;
  return found.generation > row.generation ? found : undefined;
}

/** Counts a row that `recordDecisions` will move to another bucket. */
function noteShift(survey: Survey, journal: Journal, row: JournalRow, outcome: Outcome | undefined): void {
  if (outcome === undefined) return;
  const to = bucketOf(outcome.state);
  const from = bucketNow(journal, row);
  if (from !== to)
    addRow(inMap(survey.shifts, `${from}>${to}`, () => ({from, to, part: emptyPart()})).part, row);
}

function inMap<T>(map: Map<string, T>, key: string, make: () => T): T {
  let found = map.get(key);
  if (found === undefined) map.set(key, (found = make()));
  return found;
}

/**
 * Unfinished rows without a record, and rows that the registry decided earlier, because its entries may have changed.
 * Rows that may have been sent were claimed by this batch, so the registry has no other entry for them unless it was
 * lost since.
 */
function* unsentRows(
  journal: Journal,
  onPage: (page: readonly JournalRow[]) => void = () => undefined,
): Generator<JournalRow> {
  for (const page of pagesOf((after, limit) => journal.rows.after(after, limit), PAGE)) {
    onPage(page);
    for (const row of page) if (isUnsent(row)) yield row;
  }
}

function isUnsent({outcome}: JournalRow): boolean {
  if (outcome === undefined || outcome.state === 'not_sent' || isByRegistry(outcome)) return true;
  return outcome.state === 'in_doubt' && outcome.id === null;
}

function note(elsewhere: Survey['elsewhere'], word: string, reference: string, batch: string): void {
  const known = elsewhere.get(word);
  if (known === undefined) elsewhere.set(word, {count: 1, example: reference, batch});
  else known.count++;
}

/** @throws RemitError GUARD_DUPLICATES if references are known elsewhere and not every place was named */
export function refusePaidElsewhere(
  survey: Survey,
  allowed: readonly string[],
  {batchId, retype}: {batchId: string; retype: Retype},
): void {
  const open = [...survey.elsewhere].filter(([word]) => !allowed.includes(word));
  const [first] = open;
  if (first === undefined) return;
  const [word, {count, example, batch}] = first;
  throw new RemitError(
    'GUARD_DUPLICATES',
    `batch ${batchId}: ${count} of its references (such as ${example}) were used under ${word} by batch ${batch}; nothing was sent`,
    {
      hint: `if these are other payments: ${retype(open.flatMap(([place]) => accepting('paid-elsewhere', place)))}`,
      details: {elsewhere: Object.fromEntries(survey.elsewhere)},
    },
  );
}
