import {mayNeedInitiation} from '../contract/lifecycle.ts';
import {RemitError} from '../errors.ts';
import {type JsonValue, type JsonFields, stringOf} from '../narrow.ts';
import {checkAnswered, comparedFields, whyIncomparable, whyNotTakenOver} from './answers/created-record.ts';
import {readEarlier, refuseSecond} from './earlier-records.ts';
import {isUsableId, otherIdIn} from './answers/readable.ts';
import {afterOtherAnswer, otherAnswer} from './other-answer.ts';
import {statusOf} from './reading/poll.ts';
import {deadKey, releaseInDoubt, RELEASE_LOST, readReleased, unapproved, withRecord} from './release-ends.ts';
import {asksForApproval} from './requests/approval.ts';
import type {Result} from './requests/resource.ts';
import {
  type Approval,
  approvalOf,
  comparedWith,
  type KnownRecord,
  nounOf,
  partyFieldOf,
  type TransferCreate,
} from './transfer-create.ts';

/**
 * Creates a payin or payout, and never approves a record that is not the requested one. A service answers a create
 * with a known key by the record of that key, and with `auto_approve` it approves that record first. So only a key
 * that no other payment can have is sent with `auto_approve` at once. With any other key the record is created
 * without approval, compared with the request, and then released: the same request again, with `auto_approve`.
 *
 * @throws {RemitError} KEY_REUSED with both sides of every difference; IDEMPOTENCY_KEY_CONFLICT if the record has
 *   failed or was canceled; whatever a request throws, with the id of the record if it is known
 */
export async function createThenRelease(create: TransferCreate): Promise<Result<JsonValue>> {
  const {asked, options, monotonic, isOwnKey} = create;
  const earlier = await readEarlier(create);
  if (earlier.settled !== undefined) return earlier.settled;
  if (!asksForApproval(asked) || isOwnKey || (options.mayApproveAtOnce === true && !earlier.isKnown)) {
    const result = await create.send({endsAtConflict: !isOwnKey});
    refuseSecond(create, result, earlier);
    const isNew = isOwnKey || (result.status === 201 && !asksForApproval(asked));
    return noteUnapproved(create, {...checked(create, result, isNew), replayed: result.status === 200});
  }
  const sentAtMs = monotonic();
  const answered = await create.send({withoutApproval: true, endsAtConflict: true});
  refuseSecond(create, answered, earlier);
  const first = {...checked(create, answered, answered.status === 201), replayed: answered.status === 200};
  const record = create.recordIn(first.data);
  const id = stringOf(record['id']);
  const known = {id, first, sentAtMs};
  const approval = approvalOf(create, record);
  if (approval === 'dead') throw deadKey(create, id, record, {isReleased: false});
  const unchecked = uncheckedEnd(create, first, approval);
  if (unchecked !== undefined) return {...unchecked, isPartial: true, isUnchecked: true};
  if (first.status === 207 || (approval === 'approved' && !mayNeedInitiation(statusOf(record)))) return first;
  const {attempts, replayed} = first;
  const compared = comparedFields(comparedWith(create, record));
  options.onCreated?.({id, status: statusOf(record) ?? null, attempts, replayed, compared});
  return release(create, known);
}

/** @throws {RemitError} KEY_REUSED */
function checked(create: TransferCreate, result: Result<JsonValue>, isNew: boolean): Result<JsonValue> {
  const {idempotencyKey, options, sanitizer} = create;
  const record = create.recordIn(result.data);
  const {id} = record;
  const next = isUsableId(id, sanitizer) ? options.showCommand?.(id) : undefined;
  checkAnswered({...comparedWith(create, record), idempotencyKey, isNew, next, sanitizer});
  return result;
}

/** The first answer, if it does not show whether its record is the requested one, or whether it may be approved. */
function uncheckedEnd(
  create: TransferCreate,
  first: Result<JsonValue>,
  approval: Approval,
): Result<JsonValue> | undefined {
  const why = whyUnchecked(create, first, approval);
  if (why !== undefined && approval === 'approved')
    return {...first, warning: first.warning ?? `${why}: check whether it is this ${nounOf(create)}`};
  const isUnread = approval === 'unknown' && (first.replayed || hasStatus(create.recordIn(first.data)));
  const reason = why ?? (isUnread && first.status !== 207 ? 'its status is missing or unknown' : undefined);
  return reason === undefined
    ? undefined
    : unapproved(create, first, `${reason}; check it before you approve it`);
}

/** Why it is not known whether a record is the requested one. A 201 has made it, whatever the request has left out. */
function whyUnchecked(
  create: TransferCreate,
  {data, status}: Result<JsonValue>,
  approval: Approval,
): string | undefined {
  const field = partyFieldOf(create);
  const answer = whyIncomparable(create.recordIn(data), field);
  if (answer !== undefined) return `the answer ${answer}`;
  const request = status === 201 ? undefined : whyIncomparable(create.asked, field);
  if (request !== undefined) return `the request ${request}`;
  if (status === 201 || approval !== 'open') return undefined;
  const later = whyNotTakenOver(create.asked, create.recordIn(data));
  return later === undefined ? undefined : `the record existed already, and ${later}`;
}

/** A status that is there and cannot be read may be any, such as canceled. */
const hasStatus = ({status}: JsonFields): boolean => (status ?? null) !== null;

/** The second request. The record is read before it is repeated, and if it ends without a usable answer. */
async function release(create: TransferCreate, known: KnownRecord): Promise<Result<JsonValue>> {
  const {id, first} = known;
  let decided: RemitError | undefined;
  let found: Result<JsonValue> | undefined;
  const lookUp = async (answered: number | undefined): Promise<Result<JsonValue> | undefined> => {
    try {
      return (found = await readBeforeRepeat(create, known, answered));
    } catch (error) {
      if (error instanceof RemitError) decided = error;
      throw error;
    }
  };
  let result: Result<JsonValue>;
  try {
    result = await create.send({recordId: id, endsAtConflict: true, lookUp});
  } catch (error) {
    if (!(error instanceof RemitError) || error === decided) throw error;
    if (error.code === 'IN_DOUBT' || error.httpStatus === 409) return afterOpenRelease(create, known, error);
    throw withRecord(create, known, error);
  }
  const {replayed} = first;
  const whole = {...result, replayed, attempts: first.attempts + result.attempts};
  if (found !== undefined) return whole;
  const other = otherAnswer(create, known, result);
  if (other === undefined) return noteUnapproved(create, whole);
  return afterOtherAnswer(create, known, {whole, other});
}

async function readBeforeRepeat(
  create: TransferCreate,
  known: KnownRecord,
  answered: number | undefined,
): Promise<Result<JsonValue> | undefined> {
  const read = await readReleased(create, known);
  const approval = approvalOf(create, create.recordIn(read.data));
  if (approval === 'approved')
    return answered === 503 && mayNeedInitiation(statusOf(create.recordIn(read.data))) ? undefined : read;
  if (approval === 'dead') throw deadKey(create, known.id, create.recordIn(read.data), {isReleased: true});
  if (approval === 'open' && create.monotonic() - known.sentAtMs < create.horizonMs) return undefined;
  const why = approval === 'open' ? 'its key is past the horizon' : 'its status cannot be read';
  throw releaseInDoubt(create, known, `${RELEASE_LOST}, and ${why}`);
}

/** A record whose release was answered 409, or whose answers were all lost. */
async function afterOpenRelease(
  create: TransferCreate,
  known: KnownRecord,
  error: RemitError,
): Promise<Result<JsonValue>> {
  const {first} = known;
  const read = await readReleased(create, known, error);
  const approval = approvalOf(create, create.recordIn(read.data));
  const sent = Number(error.details?.['attempts'] ?? 1);
  const whole = {...first, data: read.data, status: read.status, attempts: first.attempts + sent};
  if (error.httpStatus === 503 && mayNeedInitiation(statusOf(create.recordIn(read.data))))
    throw withRecord(create, known, error, 'it is approved, but the service could not start it', 'approved');
  if (approval === 'approved') return whole;
  if (approval === 'dead') throw deadKey(create, known.id, create.recordIn(read.data), {isReleased: true});
  if (approval === 'unknown')
    throw releaseInDoubt(create, known, `${error.message}. Its status cannot be read`);
  const isConflictAlone = error.httpStatus === 409 && (sent === 1 || error.code !== 'IN_DOUBT');
  if (!isConflictAlone) throw withRecord(create, known, error);
  if (create.approve === undefined)
    return unapproved(create, whole, 'the service answered 409 to the same create with auto_approve');
  return approveById(create, known, create.approve);
}

async function approveById(
  create: TransferCreate,
  known: KnownRecord,
  approve: (id: string) => Promise<Result<JsonValue>>,
): Promise<Result<JsonValue>> {
  const {first, id} = known;
  let result: Result<JsonValue>;
  try {
    result = await approve(id);
  } catch (error) {
    throw error instanceof RemitError ? withRecord(create, known, error) : error;
  }
  const record = create.recordIn(result.data);
  const hasRecord = statusOf(record) !== undefined && otherIdIn(record, id) === undefined;
  const {data} = hasRecord ? result : await readReleased(create, known);
  return noteUnapproved(create, {
    ...{...first, ...result, data},
    ...{replayed: first.replayed, attempts: first.attempts + 1 + result.attempts},
  });
}

/** Adds a warning if an approval was requested, and the answer neither shows nor warns that there was none. */
function noteUnapproved(create: TransferCreate, result: Result<JsonValue>): Result<JsonValue> {
  const approval = approvalOf(create, create.recordIn(result.data));
  if (!asksForApproval(create.asked) || result.status === 202 || result.status === 207) return result;
  if (approval === 'open') return unapproved(create, result, 'its status is still created');
  if (approval !== 'unknown') return result;
  const status = statusOf(create.recordIn(result.data));
  const why = status === undefined ? 'it has no status' : `its status is ${status}, which is not documented`;
  const warning = create.sanitizer.line(`whether the ${nounOf(create)} was approved is unknown: ${why}`);
  return {...result, warning: result.warning ?? warning};
}
