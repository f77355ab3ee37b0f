import {type Answer, isSuccess} from '../../client/answers/answer.ts';
import type {TransportFailure} from '../../client/transport/transport.ts';
import {meaningOf} from '../../client/answers/verdict.ts';
import {isSameId} from '../../contract/ids.ts';
import {codeOf, isObject, type JsonObject} from '../../narrow.ts';
import {foldReference, REFERENCE_METADATA_KEY} from '../model/identity.ts';
import type {Kind} from '../model/kinds.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import type {Phase} from '../journal/journal.ts';
import {firstUnseen} from '../../sanitize/harmful.ts';
import {
  DIFFERS,
  DIFFERS_AS_ACCEPTED,
  DIFFERS_CODE,
  type FieldDifference,
  type Outcome,
  type RowState,
} from '../model/outcome.ts';
import {differencesOf, differenceText, heldText, notComparedIn} from './difference.ts';
import type {StopReason} from '../model/stop.ts';
import {asFetched, compareEcho, otherParts, otherReferenceIn, otherPaymentIn} from './echo.ts';
import {cameInstead} from './words.ts';
import type {ExchangeResult} from './wire.ts';

/** The verdict on one answer to a create or release. It follows the answers table of the batch rules. */
export type RowVerdict =
  | {
      is: 'known';
      state: RowState;
      id: string | null;
      status: string | null;
      stop?: StopReason;
      orphan?: string;
      /**
       * The payment is already approved and can no longer be held: it is the payment of the row, but differs from
       * what was requested.
       */
      differs?: readonly FieldDifference[];
      /** For a collision or a held row: the values that the record has instead. For a refused one: why. */
      message?: string | undefined;
    }
  /** Replay it; after a release, fetch the record first. */
  | Maybe
  /** Accepted for processing, with a status that we do not know: fetch the record. */
  | {is: 'processing'; id: string}
  /** Surely not taken; `gate`: send again once the gate opens; `crowded`: once a socket is free here. */
  | {is: 'not-sent'; then: 'gate' | 'crowded' | 'streak' | 'forbidden'; throttled: boolean; stop?: undefined}
  | {is: 'not-sent'; then: 'stop'; throttled: boolean; stop: 'credentials' | 'redirect'};

/**
 * It may have taken effect. `stop` ends the run. `isKeyRefused`: 409 to the release of a known record, which shows why.
 */
export interface Maybe {
  is: 'maybe';
  throttled: boolean;
  stop?: 'redirect';
  isKeyRefused?: true;
}

/** The outcome of the row is known. */
export type Known = Extract<RowVerdict, {is: 'known'}>;

/** The request did not take effect. */
export type NotSent = Extract<RowVerdict, {is: 'not-sent'}>;

const MOVING = new Set(['approved', 'initiated', 'debited', 'settled', 'failed']);

/** The request that is judged. */
export interface Judged {
  row: JournalRow;
  kind: Kind;
  phase: Phase;
  /** The known id of this row, if any. */
  stagedId: string | null;
  /** A request has succeeded before. */
  isProven: boolean;
}

/** Judges the end of a create or release. */
export const judgeExchange = (end: ExchangeResult, judged: Judged): RowVerdict =>
  'answer' in end ? judgeAnswer(end.answer, judged) : judgeFailure(end.failure);

/** Judges a complete answer. */
export function judgeAnswer(answer: Answer, judged: Judged): RowVerdict {
  const {status} = answer;
  const meaning = meaningOf(answer);
  switch (meaning) {
    case 'success':
      return judgeSuccess(answer, judged);
    case 'throttled':
      return {is: 'not-sent', then: 'gate', throttled: true};
    case 'redirect':
      return mayFollowWork(answer, judged)
        ? {is: 'maybe', throttled: false, stop: 'redirect'}
        : {is: 'not-sent', then: 'stop', throttled: false, stop: 'redirect'};
    case 'unauthorized':
      return {is: 'not-sent', then: 'stop', throttled: false, stop: 'credentials'};
    case 'forbidden':
      return {is: 'not-sent', then: 'forbidden', throttled: false};
    case 'key-conflict':
      if (isReleaseOfKnown(judged)) return KEY_REFUSED;
      return {is: 'known', state: 'dead_key', id: judged.stagedId, status: null};
    case 'key-in-use':
      return isReleaseOfKnown(judged) ? KEY_REFUSED : {is: 'maybe', throttled: false};
    case 'failing':
      return {is: 'maybe', throttled: status === 503};
    case 'invalid':
    case 'not-found':
      return judgeRefusal(meaning, answer, judged);
    case 'refused':
      return {is: 'not-sent', then: 'streak', throttled: false};
  }
}

const KEY_REFUSED: Maybe = {is: 'maybe', throttled: false, isKeyRefused: true};

const isReleaseOfKnown = ({phase, stagedId}: Pick<Judged, 'phase' | 'stagedId'>): boolean =>
  phase === 'release' && stagedId !== null;

/**
 * Whether the service may have done the work before it answered with a redirect. 307 and 308 ask for the same request
 * elsewhere. 301 and 302 are what a wrong address answers, so before anything has succeeded they did nothing that could
 * pay; 303 names the result of the request.
 */
function mayFollowWork({status}: Answer, {phase, isProven}: Judged): boolean {
  if (status === 307 || status === 308) return false;
  return !((status === 301 || status === 302) && phase === 'stage' && !isProven);
}

function judgeRefusal(
  meaning: 'invalid' | 'not-found',
  answer: Answer,
  {phase, stagedId, isProven}: Judged,
): RowVerdict {
  // Refusing the release of a staged row does not change the record: it still exists.
  if (stagedId !== null && phase === 'release')
    return {is: 'known', state: 'unapproved', id: stagedId, status: 'created'};
  // Without a code, the answer may come from a proxy. A 404 then means a wrong path; other statuses count only after
  // a success.
  if (answer.errorCode !== undefined || (meaning === 'invalid' && isProven)) {
    const rejected = {is: 'known', state: 'rejected', id: null, status: null} as const;
    return meaning === 'not-found' && isProven ? {...rejected, message: aboutRow(answer)} : rejected;
  }
  return {is: 'not-sent', then: 'streak', throttled: false};
}

/** Once a create has succeeded, its route is right: a 404 is about a record that the row names. */
function aboutRow({message, assumption}: Answer): string | undefined {
  if (message === undefined || assumption === undefined) return message;
  if (message === assumption.text) return 'the service answered 404 without a reason';
  return message.replace(` (${assumption.text})`, '');
}

/** Judges an exchange without a complete answer. */
export function judgeFailure(failure: TransportFailure): Maybe | NotSent {
  if (failure.sent) return {is: 'maybe', throttled: false};
  return {is: 'not-sent', then: isOwnLimit(failure) ? 'crowded' : 'gate', throttled: false};
}

/** This machine had no file descriptor, buffer or port left. */
export function isOwnLimit({sent, cause}: TransportFailure): boolean {
  return !sent && /^(EMFILE|ENFILE|ENOBUFS|EADDRNOTAVAIL)$/.test(codeOf(cause) ?? '');
}

/** An unprintable id could not be shown, typed or compared by a person. */
const isId = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && (PLAIN_ID.test(value) || firstUnseen(value) === undefined);
const PLAIN_ID = /^[\w-]+$/;

/**
 * Whether a success contains a readable record. The answer to a create must contain an id. A record fetched by id
 * need not, but then its status must be a payment status: `{"status":"ok"}` could come from any server.
 */
export function isReadable({status, json}: Answer, isCreate: boolean): boolean {
  if (!isSuccess(status) || !isObject(json)) return false;
  return isId(json['id']) || (!isCreate && json['id'] === undefined && isKnownStatus(json['status']));
}

const isKnownStatus = (status: unknown): boolean =>
  typeof status === 'string' && (MOVING.has(status) || status === 'created' || status === 'canceled');

/** What came instead of a record, as in "text/html, not a payout". */
export function whatCame(answer: Answer, kind: Kind): string {
  const {status, json, assumption} = answer;
  const readable = isObject(json) ? 'JSON without an id' : 'JSON that is not an object';
  const came = cameInstead(answer) ?? readable;
  return `${status} with ${came}, not a ${kind}${assumption === undefined ? '' : ` (${assumption.text})`}`;
}

function judgeSuccess(answer: Answer, {row, kind, phase, stagedId}: Judged): RowVerdict {
  const record = answer.json;
  const id = idIn(answer);
  if (!isObject(record) || !isId(id)) return {is: 'maybe', throttled: false}; // truncated, not JSON, or not a record
  const status = typeof record['status'] === 'string' ? record['status'] : null;
  const echo = compareEcho(record, row, kind);
  const foreign = stagedId !== null && stagedId !== id;
  if (echo === 'other')
    return {
      ...{is: 'known', state: 'collision', id, status, stop: 'collision'},
      message: `record ${id} came back, with ${otherParts(record, row, kind).join(' and ')}`,
      ...(foreign && phase !== 'stage' ? {orphan: stagedId} : {}),
    };
  // A second record for a forgotten key, or one that an earlier release has paid, would have the reference of the row.
  const isPaid = status !== null && MOVING.has(status);
  const isOtherPayment = !isKnownToDiffer(row) && otherReferenceIn(record, row) !== undefined;
  // Direct mode pays a row again whose record has ended: only a record of the row may be that.
  const isOtherEnd = phase === 'direct' && isEnd(status) && lacksReference(record, row);
  if (isOtherEnd || (isOtherPayment && (foreign || (phase === 'stage' && isPaid))))
    return {
      ...{is: 'known', state: 'collision', id, status, stop: 'collision'},
      message: `record ${id} came back, which has ${isOtherPayment ? 'another' : 'no'} reference${foreign ? `; the record of the row is ${stagedId}` : ''}`,
    };
  const differs = echo === 'differs' ? {differs: differencesOf(record, row, kind)} : {};
  if (phase === 'stage') {
    if (isPaid) return {is: 'known', state: 'accepted', id, status, ...differs}; // by an earlier release
    if (status === 'canceled') return {is: 'known', state: 'dead_key', id, status};
    // What a retry of an unapproved row would pay must be known.
    const isCompared = notComparedIn(differs.differs ?? []).length === 0;
    if (answer.status === 207 && isCompared) return {is: 'known', state: 'unapproved', id, status};
    // Processing continues; a replay shows whether it ends in a staged record. A probe compares only the id.
    const isFinished =
      [200, 201].includes(answer.status) || status === 'created' || (answer.status === 207 && !isCompared);
    if (!isFinished && stagedId === null) return {is: 'maybe', throttled: false};
    return differs.differs === undefined
      ? {is: 'known', state: 'staged', id, status}
      : {
          is: 'known',
          state: 'held',
          id,
          status,
          ...differs,
          message: heldText(differs.differs, kind) + whyNotCompared(answer),
        };
  }
  const leftBehind = foreign ? {orphan: stagedId, stop: 'key-forgotten' as const} : {};
  // A 202 means that processing continues, so `created` may still change.
  const isLeftOpen = answer.status === 207 ? status === 'created' || status === null : status === 'created';
  if (isLeftOpen && answer.status !== 202)
    return {is: 'known', state: 'unapproved', id, status, ...leftBehind};
  if (status === 'canceled') return {is: 'known', state: 'dead_key', id, status, ...leftBehind};
  if (isPaid) return {is: 'known', state: 'accepted', id, status, ...leftBehind, ...differs};
  if (foreign) return {is: 'known', state: 'in_doubt', id, status, ...leftBehind};
  return {is: 'processing', id};
}

/** Whether a record that repeats metadata has no reference, or another one than the row. */
function lacksReference({client_metadata: metadata}: JsonObject, {reference}: JournalRow): boolean {
  if (!isObject(metadata) || Object.keys(metadata).length === 0) return false;
  const shown = metadata[REFERENCE_METADATA_KEY];
  return typeof shown !== 'string' || foldReference(shown) !== foldReference(reference);
}

/** Judges a record that was fetched by its id. `open` means still `created`, so it may be released (again). */
export function judgeLook(
  answer: Pick<Answer, 'json' | 'status'>,
  id: string,
): {state: 'accepted' | 'dead_key' | 'open' | 'unknown'; status: string | null} {
  const record = answer.json;
  if (!isSuccess(answer.status) || !isObject(record) || isOtherId(record['id'], id))
    return {state: 'unknown', status: null};
  const status = typeof record['status'] === 'string' ? record['status'] : null;
  if (status === 'created') return {state: 'open', status};
  if (status === 'canceled') return {state: 'dead_key', status};
  return {state: status !== null && MOVING.has(status) ? 'accepted' : 'unknown', status};
}

/** The id of the record that an answer holds. */
export const idIn = ({json}: Answer): unknown => (isObject(json) ? json['id'] : undefined);

/**
 * A record may omit its id: the interface document promises only a status in the answer to a GET. If it has an id, it
 * must be the right one.
 */
export const isOtherId = (found: unknown, id: string): boolean =>
  found !== undefined && found !== null && (typeof found !== 'string' || !isSameId(found, id));

/** Message of the outcome for a payment that is made but differs from what was requested. */
type Differs = {code: typeof DIFFERS_CODE; message: string};

/** Facts about an accepted row whose record, fetched by its id, differs from the row. */
export function differsIn({json}: Pick<Answer, 'json'>, row: JournalRow, kind: Kind): Differs | undefined {
  if (!isObject(json)) return undefined;
  const record = asFetched(json, row, kind);
  const found = compareEcho(record, row, kind);
  if (found === 'other') return differing(otherParts(record, row, kind).join(' and '));
  return found === 'same' ? undefined : DIFFERS;
}

/**
 * Why a fetched record is not the payment of its row; see `otherPaymentIn`. The currency and the reference of a held row,
 * and of one whose difference was accepted, are known to differ. Rail and other metadata never count: the service may
 * represent them differently.
 */
export function paysOtherwise(
  {json}: Pick<Answer, 'json'>,
  row: JournalRow,
  kind: Kind,
): Differs | undefined {
  const parts = isObject(json) ? otherPaymentIn(json, row, kind, isKnownToDiffer(row)) : undefined;
  return parts === undefined ? undefined : differing(parts);
}

/**
 * The same for a record that is shown as failed or canceled. Only the record of the row itself may free its reference: the
 * next payment of that reference has a new key.
 * @param isKnownEnd an earlier GET has already shown that this record ended
 */
export function endsOtherwise(
  {json}: Pick<Answer, 'json'>,
  row: JournalRow,
  {kind, isKnownEnd = false}: {kind: Kind; isKnownEnd?: boolean},
): Differs | undefined {
  if (!isObject(json) || !isEnd(json['status'])) return undefined;
  const parts = otherPaymentIn(json, row, kind, isKnownEnd || isKnownToDiffer(row));
  return parts === undefined
    ? undefined
    : {
        code: DIFFERS_CODE,
        message: `its record is shown as ${json['status']}, but as another payment: ${parts}; the row is not counted as ${json['status']}`,
      };
}

/**
 * Why a record that is shown as created does not show that a release, which was not answered, had no effect: it has another
 * reference. One with another party or amount is a collision, which `compareFetched` finds.
 */
export function opensOtherwise(json: JsonObject, row: JournalRow, kind: Kind): string | undefined {
  if (isKnownToDiffer(row) || otherReferenceIn(json, row) === undefined) return undefined;
  return `its record is shown as created, but as another payment: ${otherPaymentIn(json, row, kind, false)}`;
}

/**
 * The same for a record that is shown as approved: another payment does not show that the row is paid. If only the currency
 * differs, it is the payment of the row, which is reported as one that differs.
 */
export function approvedOtherwise(
  {json}: Pick<Answer, 'json'>,
  row: JournalRow,
  kind: Kind,
): Differs | undefined {
  if (!isObject(json)) return undefined;
  return paysOtherwise({json: {...json, currency_code: row.currency}}, row, kind);
}

/** Statuses that allow the reference to be paid again. */
export const isEnd = (status: unknown): status is 'failed' | 'canceled' =>
  status === 'failed' || status === 'canceled';

const isKnownToDiffer = ({outcome}: JournalRow): boolean =>
  outcome?.state === 'held' || outcome?.code === DIFFERS_AS_ACCEPTED.code;

/** What the outcome of an approved row records about a difference between the row and its record. */
export function noteOfDifference(
  row: JournalRow,
  differs: Differs | undefined,
  isAccepted: boolean,
): Differs | typeof DIFFERS_AS_ACCEPTED | undefined {
  if (differs !== undefined && differs !== DIFFERS) return differs; // another payment is never accepted
  if (row.outcome?.state === 'in_doubt' && row.outcome.code === DIFFERS_AS_ACCEPTED.code)
    return DIFFERS_AS_ACCEPTED; // accepted for a release that was not answered
  if (!isAccepted) return differs;
  return differs === DIFFERS || row.outcome?.state === 'held' ? DIFFERS_AS_ACCEPTED : undefined;
}

/** The same for a create or release: its answer shows the fields. */
export function noteOfAnswer(
  row: JournalRow,
  {differs}: Known,
  kind: Kind,
  isAccepted: boolean,
): Pick<Outcome, 'differences'> & Partial<Pick<Outcome, 'code' | 'message'>> {
  const note = noteOfDifference(row, differs && DIFFERS, isAccepted);
  const text = note === DIFFERS && differs !== undefined ? `: ${differenceText(differs, kind)}` : '';
  return note === undefined ? {} : {...note, message: note.message + text, differences: differs};
}

/** The codec may say why a record cannot be compared. */
const whyNotCompared = ({assumption}: Answer): string =>
  assumption === undefined ? '' : `. ${assumption.text}`;

const differing = (parts: string): Differs => ({
  code: DIFFERS_CODE,
  message: `its record differs from the row: ${parts}`,
});
