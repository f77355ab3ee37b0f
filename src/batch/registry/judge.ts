import {must} from '../../narrow.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import type {Journal} from '../journal/journal.ts';
import {type Bucket, bucketOf, openDoubt, type Outcome, REGISTRY_CODE} from '../model/outcome.ts';
import {type Entry, isSamePayment, keySince, paidByText, recordText} from './entry.ts';
import type {Plan} from '../model/plan-facts.ts';

/** Whether the journal of a batch still exists; the meaning of its claims depends on it. */
export type JournalExists = (journalId: string, batchId: string) => boolean;

/** An unfinished row without a record, and the registry entry for its reference. */
interface Claimed {
  row: JournalRow;
  found: Entry | undefined;
  journal: Journal;
  plan: Plan;
  exists: JournalExists;
  now: number;
}

/** What the registry decides about a row; undefined if it has nothing to decide and the row is sent as usual. */
export function registryOutcome(claimed: Claimed): Outcome | undefined {
  const {row, found, journal, plan, exists} = claimed;
  const entry = foreignEntry(found, plan);
  if (entry !== undefined)
    return isInDoubt(journal, row) ? outcomeOfDoubt(claimed, entry) : outcomeByRegistry(row, entry, exists);
  return paymentEnded(row, found) ?? ownOutcome(claimed) ?? takenBack(row);
}

/** The registry named a record as the payment of the row, and that record has since failed or was canceled. */
export function paymentEnded(row: JournalRow, found: Entry | undefined): Outcome | undefined {
  const {outcome} = row;
  if (outcome?.state !== 'already_paid' || outcome.code !== REGISTRY_CODE) return undefined;
  return found?.standing === 'ended' && found.id === outcome.id ? endedOutcome(row, found) : undefined;
}

/**
 * Undoes a conflict whose registry entry is gone; paid stays paid, even if the registry that recorded it is lost. A
 * row that was declared not paid keeps the time since which it was in doubt.
 */
function takenBack({outcome}: JournalRow): Outcome | undefined {
  if (isDisputed(outcome)) return {...outcome, code: null, message: UNDISPUTED};
  if (outcome?.code !== REGISTRY_CODE || outcome.state !== 'conflict') return undefined;
  return {...outcome, state: 'not_sent', id: null, code: null, message: null};
}

/**
 * Whether the registry decided the outcome and may decide differently now. A row in doubt with a record is left to
 * the release, which fetches it.
 */
export const isByRegistry = ({state, code, id}: Outcome): boolean =>
  code === REGISTRY_CODE &&
  (state === 'conflict' || state === 'already_paid' || (state === 'in_doubt' && id === null));

/** Whether the row may have been sent and has no known record. */
const isInDoubt = (journal: Journal, row: JournalRow): boolean =>
  bucketNow(journal, row) === 'in_doubt' && (row.outcome?.id ?? null) === null;

/** In doubt, and not sent because another batch has its reference. */
export const isDisputed = (outcome: Outcome | undefined): outcome is Outcome & {state: 'in_doubt'} =>
  outcome?.state === 'in_doubt' && outcome.code === REGISTRY_CODE;

const UNDISPUTED = 'it may have been sent, and no other batch uses its reference now';

/**
 * A row that this batch may have sent, and whose reference another batch has claimed since, because the registry was
 * lost in between. The other batch's request may be in progress, perhaps with other content. If the service has
 * forgotten the key, a replay by this batch would pay a second time. So the row stays in doubt and is not sent until
 * the other batch has freed the reference or a person has checked. A payment by the other batch, even an identical
 * one, does not show that this batch did not pay: the service may have forgotten the key in between.
 */
function outcomeOfDoubt({row, journal, exists, now}: Claimed, entry: Entry): Outcome | undefined {
  const isSame = entry.paid ? isSamePayment(entry, row) : entry.fingerprint === row.fingerprint;
  const isThere = exists(entry.journal, entry.batch);
  const known = knownDoubt(journal, row, now);
  if (isSame && !entry.paid && !isThere) {
    const free = takenBack(row);
    const isOlder = keySince(entry) < known.stagedAt && row.generation === entry.generation;
    return isOlder ? {...known, ...free, stagedAt: keySince(entry)} : free;
  }
  const message = `it may have been sent, and ${wordsOf(entry, isSame, isThere)}`;
  if (isDisputed(row.outcome) && row.outcome.message === message) return undefined;
  return {...known, code: REGISTRY_CODE, message};
}

/** The outcome of a row in doubt without a record, with the time since which it is in doubt. */
function knownDoubt(journal: Journal, row: JournalRow, now: number): Outcome & {stagedAt: number} {
  const stagedAt = row.outcome?.stagedAt ?? journal.coveredSince(row.n) ?? now;
  return row.outcome === undefined
    ? openDoubt(row.n, stagedAt)
    : {...row.outcome, state: 'in_doubt', stagedAt};
}

function wordsOf({batch, paid, id}: Entry, isSame: boolean, isThere: boolean): string {
  const record = id === null ? '' : `, record ${id}`;
  if (paid && isSame)
    return `batch ${batch} also paid this reference later${record}; check for a double payment, then resolve this row`;
  if (paid)
    return `batch ${batch} paid a different payment under this reference${record}; check whether this one was paid as well, then resolve it`;
  return isThere
    ? `batch ${batch} has claimed this reference since; finish that batch first, or check its record and resolve this row`
    : `batch ${batch}, whose journal is gone, had claimed this reference; check its record and resolve this row`;
}

/** The bucket in which the journal's tally counts the row now. */
export function bucketNow(journal: Journal, row: JournalRow): Bucket {
  if (row.outcome === undefined) return journal.coveredSince(row.n) === undefined ? 'not_sent' : 'in_doubt';
  if (row.outcome.state !== 'not_sent') return bucketOf(row.outcome.state);
  return journal.isTakenAgain(row) ? 'in_doubt' : 'not_sent';
}

/** The claim or payment of another batch, unless it has ended or was freed. */
export const foreignEntry = (entry: Entry | undefined, plan: Plan): Entry | undefined =>
  entry === undefined || entry.journal === plan.journalId || entry.standing !== null ? undefined : entry;

/**
 * Judges our own claim of a row that our journal lists as never sent. The journal is then older than the registry: it
 * was restored from a backup, or could no longer be written while the registry could. A paid claim makes the row
 * accepted, with its record. A claim that is not paid makes it in doubt since the time of the claim. For a row
 * already in doubt, the claim may show that the service has known its key for longer, because a killed run had found
 * out.
 */
function ownOutcome({row, found: entry, journal, plan, now}: Claimed): Outcome | undefined {
  if (entry === undefined || entry.journal !== plan.journalId || entry.generation < row.generation)
    return undefined;
  if (entry.standing !== null) return endedOutcome(row, entry);
  const base: Outcome = {
    ...{
      n: row.n,
      state: 'in_doubt',
      id: null,
      status: null,
      stagedAt: keySince(entry),
      http: null,
      code: null,
    },
    ...{
      message: 'claimed by this batch, but not in its journal',
      requestId: null,
      attempts: 0,
      orphan: null,
    },
  };
  if (entry.paid && !isSamePayment(entry, row))
    return {
      ...{...base, state: 'conflict', stagedAt: row.outcome?.stagedAt ?? null, code: REGISTRY_CODE},
      message: 'this batch has paid a different payment under this reference; it is not sent again',
    };
  if (entry.paid)
    return {
      ...base,
      state: 'accepted',
      id: entry.id,
      message: 'paid by this batch according to the registry; the journal had lost it',
      attempts: row.outcome?.attempts ?? 0,
      orphan: row.outcome?.orphan ?? null,
    };
  if (isInDoubt(journal, row)) return olderDoubt(knownDoubt(journal, row, now), row, entry);
  return row.outcome === undefined ? base : undefined;
}

/** What the claim records about the key is for the key of its own generation. */
function olderDoubt(
  known: Outcome & {stagedAt: number},
  row: JournalRow,
  {since, generation}: Entry,
): Outcome | undefined {
  if (since === null || since >= known.stagedAt || row.generation !== generation) return undefined;
  return {...known, ...takenBack(row), stagedAt: since};
}

/**
 * Judges another batch's claim of a row. Paid with the same content: done. Paid with other content: never sent.
 * Claimed and not paid: that batch must be finished first. If its journal is gone it cannot be finished, and the row
 * has been in doubt since it was claimed: it is replayed with the same key, within the horizon of that key.
 */
function outcomeByRegistry(row: JournalRow, entry: Entry, exists: JournalExists): Outcome | undefined {
  if (row.outcome !== undefined && wasPaidUnderAnother(row.outcome, entry)) return row.outcome;
  const base: Outcome = {
    ...{n: row.n, state: 'conflict', id: null, status: null, http: null, code: REGISTRY_CODE},
    stagedAt: row.outcome?.state === 'already_paid' ? null : (row.outcome?.stagedAt ?? null), // by which a declared row is told
    ...{message: null, requestId: null, attempts: 0, orphan: null},
  };
  if (entry.paid && isSamePayment(entry, row)) return paidByOther(row, entry);
  if (entry.paid || entry.fingerprint !== row.fingerprint)
    return {...base, id: entry.paid ? entry.id : null, message: otherPaymentText(entry)};
  if (!exists(entry.journal, entry.batch))
    return {
      ...{
        ...base,
        state: 'in_doubt',
        code: null,
        stagedAt: Math.min(keySince(entry), base.stagedAt ?? Infinity),
      },
      message: `batch ${entry.batch} may have sent it, and its journal is gone`,
    };
  const record = entry.id === null ? '' : `, and its record ${entry.id} is not shown as paid`;
  return {
    ...base,
    message: `batch ${entry.batch} has this row and is not finished${record}; finish that batch first`,
  };
}

/** The outcome of a row that is not sent, because a record of another batch has not ended, as a GET just showed. */
export const outcomeOfOther = (row: JournalRow, entry: Entry): Outcome =>
  must(
    outcomeByRegistry(row, entry, () => true),
    'outcome of a claimed row',
  );

/** Whether a row waits for another batch to finish the same payment. */
export const isUnfinishedElsewhere = (
  {state}: Outcome,
  entry: Entry | undefined,
  row: JournalRow,
): entry is Entry =>
  state === 'conflict' && entry !== undefined && !entry.paid && entry.fingerprint === row.fingerprint;

/** The batch that must be finished before this one can be; null if there is none. */
export function noteWaitsFor(journal: Journal, batch: string | null): void {
  if ((journal.fact('waitsFor') ?? null) !== batch) journal.setFact('waitsFor', batch);
}

/** Another batch has paid the same: the outcome names that batch and its record. */
export const paidByOther = (row: JournalRow, entry: Entry): Outcome => ({
  ...{n: row.n, state: 'already_paid', id: entry.id, status: null, stagedAt: entry.at, http: null},
  ...{code: REGISTRY_CODE, message: paidByText(entry), requestId: null},
  ...{attempts: row.outcome?.attempts ?? 0, orphan: row.outcome?.orphan ?? null},
});

export const otherPaymentText = (entry: Entry): string =>
  entry.paid
    ? `batch ${entry.batch} has paid a different payment under this reference${recordText(entry)}; this row is not sent. Compare the two first: if that payment replaces this row, record that with resolve --paid; a new reference would be a second payment`
    : `batch ${entry.batch} has claimed this reference for a different payment; this row is not sent`;

/**
 * The record that was sent under this reference has failed or was canceled. This batch sends the row again only by
 * `retry`, which reads the record first: a row without any trace of the record must not be paid automatically.
 */
export function endedOutcome(
  row: JournalRow,
  {standing, id}: Pick<Entry, 'standing' | 'id'>,
): Outcome | undefined {
  if (standing !== 'ended' || id === null) return undefined;
  return {
    ...{n: row.n, state: 'dead_key', id, status: null, stagedAt: row.outcome?.stagedAt ?? null, http: null},
    ...{code: null, message: ENDED, requestId: null, attempts: row.outcome?.attempts ?? 0},
    orphan: row.outcome?.orphan ?? null,
  };
}

const ENDED = 'its record has failed or was canceled; retry reads the record and sends the row again';

/**
 * The claim that paid the row is not this one, so the registry was lost since then: a later claim of the reference
 * does not undo the payment. `stagedAt` of such a row is the time of the claim that paid it.
 */
const wasPaidUnderAnother = ({state, stagedAt}: Outcome, entry: Entry): boolean =>
  state === 'already_paid' && stagedAt !== null && stagedAt !== entry.at;
