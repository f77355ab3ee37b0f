import {DECLARED_NOT_PAID} from '../model/declared.ts';
import {RemitError} from '../../errors.ts';
import {must} from '../../narrow.ts';
import {shellWord} from '../../shell-word.ts';
import type {JournalRow, RecordedRow, RowWithOutcome} from '../journal/rows/row.ts';
import {pagesOf} from '../model/pages.ts';
import type {Journal} from '../journal/journal.ts';
import {KINDS} from '../model/kinds.ts';
import {
  CAME_AGAIN,
  KEY_RETURNED,
  DIFFERS_AS_ACCEPTED,
  DIFFERS_CODE,
  mayBePaidTwice,
  type Outcome,
  RETURNED_OTHER,
  type RowState,
} from '../model/outcome.ts';
import {type Entry, leastGeneration} from '../registry/entry.ts';
import {type Entries, type EntryElsewhere, paymentsIn, type RecordedEntry} from '../registry/entries.ts';
import {isPastHorizon} from '../model/record-age.ts';
import type {Registry} from '../registry/registry.ts';
import {foreignEntry} from '../registry/judge.ts';
import {lostOutcome} from '../send/known-records.ts';
import {lostText} from '../answers/stop-words.ts';
import type {RunStop} from '../model/stop.ts';
import type {Plan} from '../model/plan-facts.ts';
import {isEnd} from '../answers/answers.ts';
import {readRecord, type RecordReading} from './retry-read.ts';
import {isWithdrawn, type ReadRow, writeRead} from './write-read.ts';

/** How a row is sent again. */
export type RetryWay =
  | 'new-key' // its record failed, or was canceled and the row is named: the next generation
  | 'same-key' // it was rejected, so no record has its key
  | 'replay' // its key was answered with the record of another payment: the same key shows which record is its own
  | 'release'; // its record waits for an approval that failed: the same key again, under the rules of a release

/** A row that is sent again after confirmation, and why. */
export interface RetryRow {
  row: RowWithOutcome;
  way: RetryWay;
  why: string;
  /** The generation with which it is sent. */
  generation: number;
}

export interface RetryFacts {
  /** References that are sent again. */
  again: string[];
  /** Those of them that now have a new key. */
  raised: string[];
  /**
   * References left unchanged, and why; `elsewhere` names where else a reference was used, and `paidBy` the record with
   * which it was paid there.
   */
  left: {reference: string; why: string; elsewhere?: string; paidBy?: string}[];
  /** A record was not found: its row is in doubt, nothing is sent again, and the batch stops. */
  stop: RunStop | undefined;
}

const PAGE = 500;

interface Asking extends RecordReading {
  journal: Journal;
  plan: Plan;
  /** References from `--row`; if given, only those rows are sent again. */
  named: readonly string[];
  registry: Pick<Registry, 'ended' | 'paid' | 'withdrawPaid' | 'flush'> & {
    entries: Pick<Entries, 'find' | 'elsewhere' | 'withRecords'>;
  };
  /** A record that was staged longer ago cannot be released; absent: records are approved by their ids. */
  horizonMs?: number | undefined;
  /** Namespaces and addresses from `--accept paid-elsewhere`: what they paid under a reference is another payment. */
  allowedElsewhere?: readonly string[] | undefined;
}

/**
 * Prepares rows to be sent again: rejected rows with the same generation, rows whose record failed with the next one,
 * and rows that were not approved with the same one, under the rules of a release. Each record is read immediately
 * before. A canceled record, or a key whose record is unknown, is included only by name. Nothing else ever raises a
 * generation. Records are read one after the other: there are few, and each mistake costs money.
 *
 * @throws RemitError NO_BATCH for a reference that the batch does not have; UNAVAILABLE if the service cannot be
 *   reached
 */
export async function prepareRetry(
  options: Asking & {
    /**
     * Called once, with all rows that would be sent again, before the first is changed; throws to leave everything
     * unchanged.
     */
    confirm?: (rows: readonly RetryRow[]) => Promise<void>;
  },
): Promise<RetryFacts> {
  const {journal, clock, stop} = options;
  const facts: RetryFacts = {again: [], raised: [], left: [], stop: undefined};
  const due: RetryRow[] = [];
  const read: ReadRow[] = [];
  journal.sanitizer.conceal(options.wire.secret);
  for (const row of candidates(options)) {
    stop.throwIfAborted();
    const found = await judge(row, options, read);
    if (typeof found !== 'string' && 'lost' in found) {
      writeRead(read, options);
      return {...facts, stop: noteLost(found.lost, options)};
    }
    const elsewhere = typeof found === 'string' ? undefined : usedElsewhere(row, options);
    if (elsewhere !== undefined) facts.left.push({reference: row.reference, ...elsewhere});
    else if (typeof found === 'string')
      facts.left.push({reference: row.reference, why: journal.sanitizer.line(found)});
    else due.push({...found, why: journal.sanitizer.line(found.why)});
  }
  writeRead(read, options);
  await options.confirm?.(due);
  for (const {row, way, why, generation} of due) {
    const at = clock.now();
    const outcome = must(journal.rows.of(row.reference)?.outcome, 'outcome that was just read');
    if (generation > row.generation) {
      const formerId = outcome.state === 'collision' ? null : outcome.id; // it is not the row's record
      journal.raiseGenerations(
        [{row: {...row, outcome, generation: generation - 1}, formerId, reason: why}],
        at,
      );
      facts.raised.push(row.reference);
    } else journal.record({...outcome, ...AGAIN[way], http: null, code: null, message: why}, at);
    facts.again.push(row.reference);
  }
  journal.flush();
  return facts;
}

const AGAIN = {
  'new-key': {state: 'not_sent'},
  'same-key': {state: 'not_sent', status: null},
  replay: {state: 'in_doubt', id: null, status: null},
  release: {state: 'staged', status: 'created'},
} as const satisfies Record<RetryWay, Partial<Outcome>>;

function* candidates({journal, named, plan}: Asking): Generator<JournalRow> {
  for (const reference of new Set(named)) {
    const row = journal.rows.of(reference);
    if (row === undefined)
      throw new RemitError('NO_BATCH', `batch ${plan.batchId} has no row ${reference}`, {
        hint: (commands) =>
          `the results list every reference: ${commands.read(KINDS[plan.kind].topic, 'batch', 'report', plan.batchId)}`,
      });
    yield row;
  }
  if (named.length > 0) return;
  const states: readonly RowState[] = ['accepted', 'dead_key', 'rejected', 'unapproved'];
  for (const page of pagesOf((after, limit) => journal.rows.inStates(states, after, limit), PAGE))
    yield* page.filter(
      ({outcome}) => outcome.state !== 'accepted' || outcome.status === 'failed' || isWithdrawn(outcome),
    );
}

/** The service does not know a record to which it gave an id: the row is in doubt, as in a run. */
function noteLost(row: RecordedRow, {journal, registry, clock}: Asking): RunStop {
  const outcome = lostOutcome(row);
  registry.withdrawPaid(row.reference, row.outcome.id);
  registry.flush();
  if (outcome !== undefined) journal.record(outcome, clock.now());
  journal.flush();
  return {reason: 'lost-record', message: journal.sanitizer.line(lostText(row, row.outcome.id))};
}

/** Why rows in other states cannot be retried. */
const LEFT = {
  staged: 'it is staged: release pays it',
  held: 'its record differs from the row: a release that accepts differences pays it',
  in_doubt: 'it is in doubt: resume asks the service again, resolve records what you have found out',
  not_sent: 'it was not sent: resume sends it',
  conflict: 'its reference belongs to another payment',
  collision: RETURNED_OTHER,
} as const satisfies Partial<Record<RowState, string>>;

/** Why the record of a row that is not approved is not released. */
const TOO_OLD_TO_RELEASE =
  'its record is not approved, and was staged longer ago than the key horizon: only an approval by its id releases it';

/** Why the record of a row that another record may have paid is not released. */
const CREATED_AND_DIFFERS = 'is not approved, and differs from the row: cancel it, and retry the row again';

const NO_AGE =
  'its record is not approved, and since when its key is in use is not known: only an approval by its id releases it';

const LOOK_FOR_IT =
  'look for a payment with this reference. If there is one, resolve it with --paid; if there is none, with --not-paid, and retry it again';

/** Why a row is not given a new key that direct mode has sent. */
const MAY_HAVE_PAID = `${RETURNED_OTHER} twice, and it was sent with approval, so it may have been paid: ${LOOK_FOR_IT}`;

/** Why a row is not given a third key: each may have made a record that no answer has shown. */
const TWO_KEYS = `a new key returned the record of another payment too, so another one would hardly help: ${LOOK_FOR_IT}`;

/** How a row is sent again, or why it is not. `lost`: its record is not found. */
type Found = RetryRow | {lost: RecordedRow} | string;

async function judge(row: JournalRow, asking: Asking, read: ReadRow[]): Promise<Found> {
  const {plan, registry} = asking;
  const claim = registry.entries.find(row.reference);
  const other = foreignEntry(claim, plan);
  if (other?.paid === true) return `batch ${other.batch} has paid it, record ${other.id}`;
  if (other !== undefined) return `batch ${other.batch} has claimed its reference; finish that batch first`;
  if (claim?.standing === null && claim.generation > row.generation)
    return 'a retry that is not in this journal has sent it again; check that record';
  const {outcome} = row;
  // A refusal frees the claim, so this one was made by a retry after the journal was backed up.
  if (outcome?.state === 'rejected' && claim?.standing === null)
    return claim.paid
      ? `this batch has paid it, record ${claim.id}; its journal is older than that`
      : 'a retry that is not in this journal has sent it again; find out whether that paid it';
  if (outcome?.state === 'rejected')
    return {
      ...{
        row: {...row, outcome},
        way: 'same-key',
        generation: sameKeyGeneration(row, claim, plan),
      },
      why: `it was rejected${outcome.code === null ? '' : ` (${outcome.code})`}`,
    };
  if (outcome?.state === 'already_paid') return outcome.message ?? 'another batch has paid it';
  if (outcome === undefined) return LEFT.not_sent;
  const {state} = outcome;
  if (state === 'collision') return judgeTaken({...row, outcome}, claim, asking);
  if (state !== 'accepted' && state !== 'dead_key' && state !== 'unapproved') return LEFT[state];
  const generation = Math.max(row.generation + 1, leastGeneration(claim));
  return judgeRecord({row: {...row, outcome}, way: 'new-key', generation, why: ''}, asking, read);
}

const isOther =
  ({reference}: RowWithOutcome) =>
  (found: RecordedEntry): boolean =>
    found.reference !== reference || !found.isOurScope;

/**
 * The service answered the row with the record of another payment. Answers may have been mixed up, once: the same request
 * shows that, and a row in doubt is not paid a second time. If the record is that of another row of the batch and came
 * back again, the key of this row can never pay it, and a new key pays it once, unless the service made a second record
 * that it did not show: so only a row that is named comes here.
 */
function judgeTaken(
  row: RowWithOutcome,
  claim: Entry | undefined,
  {journal, named, registry}: Asking,
): Found {
  const {id, message} = row.outcome;
  const owner = id === null ? undefined : journal.rows.ofRecord(id);
  const isOwned = owner !== undefined && owner.n !== row.n;
  const isStatedUnpaid = message === DECLARED_NOT_PAID;
  const mayBeMixedUp = !isStatedUnpaid && message?.endsWith(CAME_AGAIN) !== true;
  if (!named.includes(row.reference)) return LEFT.collision;
  const holder = id === null ? undefined : registry.entries.withRecords([id]).find(isOther(row));
  // Otherwise the key may belong to a payment of this reference that was made elsewhere, with other content.
  const isKnown = isOwned || holder !== undefined || isStatedUnpaid;
  if (!isKnown || mayBeMixedUp) return {row, way: 'replay', generation: row.generation, why: LEFT.collision};
  if (!isStatedUnpaid && journal.left.wasDirect()) return MAY_HAVE_PAID;
  if (!isStatedUnpaid && journal.left.hasNewKey(row.n)) return TWO_KEYS;
  const why = `${KEY_RETURNED}${id}${isOwned ? `, which is that of row ${owner.reference}` : ', which is that of another payment'}`;
  const generation = Math.max(row.generation + 1, leastGeneration(claim));
  return {row, way: 'new-key', generation, why};
}

/** A key belongs to one namespace: in another one, the same reference would be paid again. */
function usedElsewhere(
  row: JournalRow,
  {registry, plan, allowedElsewhere = []}: Asking,
): {why: string; elsewhere: string; paidBy?: string} | undefined {
  const wordOf = ({namespace, baseUrl}: EntryElsewhere) =>
    namespace === plan.namespace ? baseUrl : namespace;
  const found = registry.entries
    .elsewhere(row.reference)
    .find((entry) => !allowedElsewhere.includes(wordOf(entry)));
  if (found === undefined) return undefined;
  const word = wordOf(found);
  const [payment] = paymentsIn([found]);
  return {
    why: `its reference was used under ${word} by batch ${found.batch}`,
    elsewhere: word,
    ...(payment === undefined ? {} : {paidBy: payment.id}),
  };
}

/** Reads the record of a row and decides how the row is sent again, or why it is not. */
async function judgeRecord(due: RetryRow, asking: Asking, read: ReadRow[]): Promise<Found> {
  const {row} = due;
  const {state, id, code} = row.outcome;
  const isNamed = asking.named.includes(row.reference);
  const byName = `to pay it anyway: --row ${shellWord(row.reference)}`;
  // For a key that was refused without a known id there is no record to read, and a request with the key could create
  // one.
  if (id === null) {
    const why = 'its key was refused, and no record of it is known';
    return isNamed
      ? {...due, why}
      : `${why}: look for a payment with this reference first; if there is none, --row ${shellWord(row.reference)}`;
  }
  const mayBePaid = state === 'accepted' && mayBePaidTwice(row.outcome);
  if (mayBePaid && !isNamed)
    return `another record may have paid it: look for one with this reference; if there is none, --row ${shellWord(row.reference)}`;
  const isKnownEnd = asking.journal.former.hasEnded(id);
  const seen = await readRecord({row, id, isKnownEnd}, asking);
  const {is, status, httpStatus, isLost, other, differences} = seen;
  const recorded = {...row, outcome: {...row.outcome, id}};
  if (isLost) return {lost: recorded};
  if (other !== undefined) {
    const withdrawn = isEnd(row.outcome.status) ? null : row.outcome.status;
    if (state === 'accepted')
      read.push({row: recorded, status: withdrawn, isEnded: false, code: DIFFERS_CODE, message: other});
    return other;
  }
  if (is !== 'open' && is !== 'moved') return `its record could not be read (${httpStatus})`;
  const isEnded = isEnd(status);
  const isBack = state === 'accepted' && isEnd(row.outcome.status) && !isEnded; // it was shown as failed, and now is not
  if (isBack || (status !== null && (isEnded || (is === 'moved' && state !== 'accepted'))))
    read.push({row: recorded, status: status ?? 'created', isEnded});
  if (status === 'failed')
    return {
      ...due,
      why: `record ${id} has failed${code === null || state !== 'accepted' || OWN_CODES.has(code) ? '' : ` (${code})`}`,
    };
  if (status === 'canceled')
    return isNamed ? {...due, why: `record ${id} was canceled`} : `record ${id} was canceled; ${byName}`;
  // A 409 to the release does not make the key dead: the record decides.
  if (is === 'open' && (state !== 'accepted' || mayBePaid)) {
    if (differences.length > 0) {
      if (mayBePaid) return `record ${id} ${CREATED_AND_DIFFERS}`;
      read.push({row: recorded, status: 'created', isEnded: false, differences});
      return LEFT.held;
    }
    const {horizonMs, clock} = asking;
    const {stagedAt} = row.outcome;
    if (horizonMs !== undefined && stagedAt === null) return NO_AGE;
    if (horizonMs !== undefined && isPastHorizon(stagedAt ?? 0, clock.now(), horizonMs))
      return TOO_OLD_TO_RELEASE;
    return {...due, way: 'release', generation: row.generation, why: `record ${id} was not approved`};
  }
  if (status === 'settled')
    return `record ${id} is settled; if the bank has returned it since, pay it under a new reference`;
  return `record ${id} is ${status ?? 'created'}`;
}

/** Codes of an accepted row that are not the service's reason for a failure. */
const OWN_CODES: ReadonlySet<string> = new Set([DIFFERS_CODE, DIFFERS_AS_ACCEPTED.code]);

/** If a record of another batch has ended, the run reads it before it raises the generation. */
const sameKeyGeneration = (row: JournalRow, claim: Entry | undefined, {journalId}: Plan): number =>
  claim?.standing === 'ended' && claim.journal !== journalId
    ? row.generation
    : Math.max(row.generation, leastGeneration(claim));
