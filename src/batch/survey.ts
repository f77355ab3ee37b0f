import {RemitError} from '../errors.ts';
import {readAcknowledged} from './confirmations.ts';
import type {JournalRow} from './journal-row.ts';
import type {Journal} from './journal.ts';
import {type Bucket, bucketOf, type Outcome, REGISTRY_CODE} from './outcome.ts';
import {addRow, emptyPart, type Part} from './part.ts';
import type {Plan} from './plan.ts';
import type {Entry, Registry} from './registry.ts';

/** What the registry says of a batch before it is confirmed. Nothing of it is written yet. */
export interface Survey {
  /**
   * The batches that have paid rows of this one, with the same content: these are skipped. This batch itself is one where
   * it has forgotten that it paid; whoever has only claimed a reference since is none.
   */
  paidBy: Map<string, Part>;
  /** Rows of another batch whose journal is gone: they may have been paid, and are settled first. */
  doubts: number;
  /** Rows in doubt whose reference another batch has taken since: left as they are, for what they would send might be a second payment. */
  disputed: Part;
  /** Rows whose bucket will be another one once the registry's word is written down, by `from>to`. */
  shifts: Map<string, {from: Bucket; to: Bucket; part: Part}>;
  /** Rows that cannot be sent: their reference was given to another payment, or another batch is not done with it. */
  conflicts: number;
  /** References that differ from one in the registry only in case or spaces. */
  similar: {count: number; examples: string[][]};
  /** Rows that look like a payment of another batch in the last thirty days. */
  alike: {count: number; examples: {reference: string; other: string; batch: string}[]};
  /** Where references were found that this batch has too, by the word that allows it: a namespace or a profile. */
  elsewhere: Map<string, {count: number; example: string; batch: string}>;
}

const ALIKE_MS = 30 * 24 * 3_600_000;
const PAGE = 1000;
const EXAMPLES = 5;

/** Whether the journal of a batch is still there: what its claims mean depends on it. */
export type JournalExists = (journalId: string, batchId: string) => boolean;

/**
 * Holds every row that this batch has not sent yet against the registry. Found by the page, so memory does not grow.
 */
export function surveyBatch(options: {
  journal: Journal;
  plan: Plan;
  registry: Registry;
  profile: string;
  exists: JournalExists;
  now: number;
}): Survey {
  const {registry, plan, profile, now} = options;
  // What was claimed before the look-alikes of this plan were acknowledged was seen then.
  const since = readAcknowledged(options.journal, plan)?.at ?? 0;
  const survey: Survey = {
    paidBy: new Map(),
    doubts: 0,
    disputed: emptyPart(),
    shifts: new Map(),
    conflicts: 0,
    similar: {count: 0, examples: []},
    alike: {count: 0, examples: []},
    elsewhere: new Map(),
  };
  const {journal} = options;
  if (registry.isEmpty && !wasSettledByRegistry(journal)) return survey;
  for (const row of unsentRows(journal)) {
    const found = registry.find(row.reference);
    const entry = foreignEntry(found, plan);
    if (entry !== undefined && entry.profile !== profile)
      note(survey.elsewhere, entry.profile || '(environment)', row.reference, entry.batch);
    const outcome = outcomeOf({row, found, ...options});
    noteShift(survey, journal, row, outcome);
    if (outcome?.state === 'already_paid') {
      if (outcome !== row.outcome) addRow(inMap(survey.paidBy, found!.batch, emptyPart), row);
    } else if (outcome?.state === 'conflict') survey.conflicts++;
    else if (isDisputed(outcome)) addRow(survey.disputed, row);
    else if (outcome?.state === 'in_doubt' && row.outcome?.state !== 'in_doubt') survey.doubts++;
    if (entry !== undefined || row.outcome?.state === 'in_doubt') continue;
    for (const {namespace, baseUrl, batch} of registry.elsewhere(row.reference))
      note(survey.elsewhere, namespace === plan.namespace ? baseUrl : namespace, row.reference, batch);
    const similar = registry.similar(row.reference, since);
    if (similar.length > 0 && survey.similar.count++ < EXAMPLES)
      survey.similar.examples.push([row.reference, ...similar]);
    const alike = registry.alike(row, Math.max(since, now - ALIKE_MS));
    if (alike !== undefined && survey.alike.count++ < EXAMPLES)
      survey.alike.examples.push({reference: row.reference, other: alike.reference, batch: alike.batch});
  }
  return survey;
}

/** After the confirmation: writes down the rows that the registry settles. They are never sent by this batch. */
export function settleByRegistry(options: {
  journal: Journal;
  plan: Plan;
  registry: Registry;
  exists: JournalExists;
  now: number;
}): void {
  const {journal, registry, now} = options;
  journal.makeDoubtExplicit(); // with the moment since when
  for (const row of unsentRows(journal)) {
    const outcome = outcomeOf({row, found: registry.find(row.reference), ...options});
    if (outcome !== undefined) journal.record(outcome, now);
    if (journal.unflushed >= PAGE) journal.flush();
  }
  journal.flush();
}

/** A row that is not sent yet, and what the registry has of its reference. */
interface Question {
  row: JournalRow;
  found: Entry | undefined;
  journal: Journal;
  plan: Plan;
  exists: JournalExists;
  now: number;
}

/** What the registry makes of a row; undefined where it has nothing to say, and the row goes its way. */
function outcomeOf(question: Question): Outcome | undefined {
  const {row, found, journal, plan, exists} = question;
  const entry = foreignEntry(found, plan);
  if (entry !== undefined)
    return isInDoubt(journal, row) ? outcomeOfDoubt(question, entry) : outcomeByRegistry(row, entry, exists);
  if (isDisputed(row.outcome)) return {...row.outcome!, code: null, message: UNDISPUTED};
  if (row.outcome?.state === 'in_doubt') return undefined;
  return ownOutcome(journal, row, found, plan) ?? takenBack(row);
}

/** What the registry said of the row before, it says no more. Paid is paid, also when the registry that said so is lost. */
function takenBack({outcome}: JournalRow): Outcome | undefined {
  if (outcome?.code !== REGISTRY_CODE || outcome.state === 'already_paid') return undefined;
  return {...outcome, state: 'not_sent', id: null, code: null, message: null};
}

/** It may have been sent, and no record of it is known. */
const isInDoubt = (journal: Journal, row: JournalRow): boolean =>
  bucketNow(journal, row) === 'in_doubt' && (row.outcome?.id ?? null) === null;

const isDisputed = (outcome: Outcome | undefined): boolean =>
  outcome?.state === 'in_doubt' && outcome.code === REGISTRY_CODE;

const UNDISPUTED = 'it may have been sent, and no other batch has its reference any more';

/**
 * A row that this batch may have sent, and whose reference another batch has claimed since: the registry was lost in
 * between. The other's request may be under way, with other content perhaps, and where the service has forgotten the key
 * a replay of ours would pay a second time. So it stays in doubt, and is not sent, until the other batch is done with it
 * or a person has looked. Paid by the other with the same content it is paid.
 */
function outcomeOfDoubt({row, journal, exists, now}: Question, entry: Entry): Outcome | undefined {
  const isSame = entry.fingerprint === row.fingerprint;
  const since = row.outcome?.stagedAt ?? journal.coveredSince(row.n) ?? now;
  const known: Outcome = row.outcome ?? {
    ...{n: row.n, state: 'in_doubt', id: null, status: null, stagedAt: since, http: null, code: null},
    ...{message: null, requestId: null, attempts: 0, orphan: null},
  };
  if (isSame && entry.paid) return outcomeByRegistry(row, entry, exists);
  if (isSame && !exists(entry.journal, entry.batch))
    return isDisputed(row.outcome) ? {...known, code: null, message: UNDISPUTED} : undefined;
  const what = entry.paid
    ? `batch ${entry.batch} has paid another payment under this reference; look whether this one was paid too, and resolve it`
    : `batch ${entry.batch} has claimed this reference since; finish that batch first`;
  return {
    ...known,
    state: 'in_doubt',
    stagedAt: since,
    code: REGISTRY_CODE,
    message: `it may have been sent, and ${what}`,
  };
}

/** Notes a row that `settleByRegistry` will move to another bucket. */
function noteShift(survey: Survey, journal: Journal, row: JournalRow, outcome: Outcome | undefined): void {
  if (outcome === undefined) return;
  const to = bucketOf(outcome.state);
  const from = bucketNow(journal, row);
  if (from !== to)
    addRow(inMap(survey.shifts, `${from}>${to}`, () => ({from, to, part: emptyPart()})).part, row);
}

/** As the journal's tally counts the row now. */
function bucketNow(journal: Journal, row: JournalRow): Bucket {
  if (row.outcome === undefined) return journal.coveredSince(row.n) === undefined ? 'not_sent' : 'in_doubt';
  if (row.outcome.state !== 'not_sent') return bucketOf(row.outcome.state);
  const later = journal
    .statement(
      `select 1 from windows where seq > ? and first <= ? and last >= ? and instr(takes, ',not_sent,') > 0 limit 1`,
    )
    .get(row.outcomeWindow, row.n, row.n);
  return later === undefined ? 'not_sent' : 'in_doubt';
}

const wasSettledByRegistry = (journal: Journal): boolean =>
  journal.statement('select 1 from outcomes where code = ? limit 1').get(REGISTRY_CODE) !== undefined;

function inMap<T>(map: Map<string, T>, key: string, make: () => T): T {
  let found = map.get(key);
  if (found === undefined) map.set(key, (found = make()));
  return found;
}

/**
 * Rows without a record and without an end, and those that the registry settled before: what it says may have changed
 * since. Rows that may have been sent were claimed by this batch: of them the registry has nothing foreign to say, unless
 * it was lost since.
 */
function* unsentRows(journal: Journal): Generator<JournalRow> {
  let after = 0;
  for (;;) {
    const page = journal.rowsAfter(after, PAGE);
    for (const row of page) if (isUnsent(row)) yield row;
    if (page.length < PAGE) return;
    after = page.at(-1)!.n;
  }
}

function isUnsent({outcome}: JournalRow): boolean {
  if (outcome === undefined || outcome.code === REGISTRY_CODE || outcome.state === 'not_sent') return true;
  return outcome.state === 'in_doubt' && outcome.id === null;
}

const foreignEntry = (entry: Entry | undefined, plan: Plan): Entry | undefined =>
  entry === undefined || entry.journal === plan.journalId ? undefined : entry;

/**
 * What our own claim says of a row that our journal says was never sent. That journal is older than the registry then: it
 * was restored from a backup. Paid is paid; claimed and not paid has been in doubt since it was claimed.
 */
function ownOutcome(
  journal: Journal,
  row: JournalRow,
  entry: Entry | undefined,
  plan: Plan,
): Outcome | undefined {
  if (entry === undefined || entry.journal !== plan.journalId || entry.generation < row.generation)
    return undefined;
  const base: Outcome = {
    ...{n: row.n, state: 'in_doubt', id: null, status: null, stagedAt: entry.at, http: null, code: null},
    ...{
      message: 'claimed by this batch, which has no memory of it',
      requestId: null,
      attempts: 0,
      orphan: null,
    },
  };
  if (entry.paid)
    return {
      ...base,
      state: 'already_paid',
      id: entry.id,
      code: REGISTRY_CODE,
      message: 'paid by this batch, whose journal is older than that',
    };
  if (row.outcome !== undefined || journal.coveredSince(row.n) !== undefined) return undefined;
  return base;
}

/**
 * What another batch's claim means for a row. Paid with the same content: done. With other content: never sent. Claimed
 * and not paid: that batch must be finished first; when its journal is gone nobody can finish it, and the row has been in
 * doubt since it was claimed: it is replayed with the very same key, within the horizon of that key.
 */
function outcomeByRegistry(row: JournalRow, entry: Entry, exists: JournalExists): Outcome | undefined {
  if (row.outcome !== undefined && wasPaidUnderAnother(row.outcome, entry)) return row.outcome;
  const base: Outcome = {
    ...{n: row.n, state: 'conflict', id: null, status: null, stagedAt: null, http: null, code: REGISTRY_CODE},
    ...{message: null, requestId: null, attempts: 0, orphan: null},
  };
  if (entry.fingerprint !== row.fingerprint)
    return {
      ...base,
      message: `the reference was given to another payment by batch ${entry.batch}; it is never sent again`,
    };
  if (entry.paid)
    return {
      ...{...base, state: 'already_paid', id: entry.id, stagedAt: entry.at},
      message: `paid by batch ${entry.batch}`,
    };
  if (!exists(entry.journal, entry.batch))
    return {
      ...{...base, state: 'in_doubt', code: null, stagedAt: entry.at},
      message: `batch ${entry.batch} may have sent it, and its journal is gone`,
    };
  return {
    ...base,
    message: `batch ${entry.batch} has this row and is not done with it; finish that batch first`,
  };
}

/**
 * The claim that paid it is not this one, so the registry was lost since: whoever claimed the reference after that takes
 * nothing back. `stagedAt` of such a row is when the claim was made that paid it.
 */
const wasPaidUnderAnother = ({state, stagedAt}: Outcome, entry: Entry): boolean =>
  state === 'already_paid' && stagedAt !== null && stagedAt !== entry.at;

function note(elsewhere: Survey['elsewhere'], word: string, reference: string, batch: string): void {
  const known = elsewhere.get(word);
  if (known === undefined) elsewhere.set(word, {count: 1, example: reference, batch});
  else known.count++;
}

/** @throws RemitError GUARD_DUPLICATES when references are known elsewhere and not every place was named */
export function refusePaidElsewhere(survey: Survey, allowed: readonly string[], batchId: string): void {
  const open = [...survey.elsewhere].filter(([word]) => !allowed.includes(word));
  if (open.length === 0) return;
  const [word, {count, example, batch}] = open[0]!;
  throw new RemitError(
    'GUARD_DUPLICATES',
    `batch ${batchId}: ${count} of its references (such as ${example}) were used under ${word} by batch ${batch}; nothing was sent`,
    {
      hint: `if these are other payments all the same, say ${open.map(([name]) => `--allow-paid-elsewhere ${name}`).join(' ')}`,
      details: {elsewhere: Object.fromEntries(survey.elsewhere)},
    },
  );
}
