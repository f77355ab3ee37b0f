import {mayNeedInitiation} from '../contract/lifecycle.ts';
import {RemitError} from '../errors.ts';
import {capital} from '../phrases.ts';
import {isSameId} from '../contract/ids.ts';
import type {JsonValue} from '../narrow.ts';
import {named} from './other-answer.ts';
import {plainValue} from '../sanitize/plain-value.ts';
import {differencesFrom} from './answers/created-record.ts';
import {differencesInWords} from './answers/difference.ts';
import {statusOf} from './reading/poll.ts';
import {deadKey, releaseInDoubt, withRecord} from './release-ends.ts';
import {asksForApproval} from './requests/approval.ts';
import type {Result} from './requests/resource.ts';
import {type Approval, approvalOf, comparedWith, nounOf, type TransferCreate} from './transfer-create.ts';

/** What the records of earlier requests with the same key show, before the key is sent again. */
interface Earlier {
  /** One of them is the payment, and is approved. */
  settled?: Result<JsonValue>;
  /** There are any. A service that has forgotten the key would make another one. */
  isKnown: boolean;
  /** The record of the first request, if it is known. */
  first: NamedRecord | undefined;
}

/** A record that an earlier request has shown, as it is now. */
interface EarlierRecord {
  id: string;
  approval: Approval | 'missing';
  /** Undefined if it is missing. */
  read: Result<JsonValue> | undefined;
}

type NamedRecord = Pick<EarlierRecord, 'id'> & Partial<Pick<EarlierRecord, 'approval'>>;

/**
 * Reads the records that earlier requests with this key have shown: a service that has forgotten the key would answer
 * it with another one.
 * @throws {RemitError} IN_DOUBT if one cannot be read, or both wait for a decision; IDEMPOTENCY_KEY_CONFLICT if they have
 *   failed or were canceled
 */
export async function readEarlier(create: TransferCreate): Promise<Earlier> {
  const {recordId = null, secondId = null, mayBeApproved = false} = create.options.earlier ?? {};
  const isKnown = recordId !== null || secondId !== null;
  if (!asksForApproval(create.asked)) return {isKnown, first: recordId === null ? undefined : {id: recordId}};
  const first = recordId === null ? undefined : await readOne(create, recordId);
  const known = {isKnown, first};
  if (first?.read !== undefined && first.approval === 'approved') {
    const isWaiting = secondId === null && mayNeedInitiation(statusOf(create.recordIn(first.read.data)));
    return isWaiting ? known : {...known, settled: {...first.read, replayed: true}};
  }
  const second = secondId === null ? undefined : await readOne(create, secondId);
  if (second?.read !== undefined && second.approval === 'approved') {
    const isLeft = first?.approval === 'open';
    const settled = isLeft ? withLeftOver(create, second.read, first) : {...second.read, replayed: true};
    return {...known, settled};
  }
  if (first === undefined) return known;
  const isSecondOver = second === undefined || second.approval === 'dead';
  if (first.approval === 'dead' && isSecondOver)
    throw deadKey(create, first.id, create.recordIn(first.read?.data), {isReleased: mayBeApproved});
  if (second === undefined) return known;
  throw undecided(create, first, second);
}

async function readOne(create: TransferCreate, id: string): Promise<EarlierRecord> {
  let read: Result<JsonValue>;
  try {
    read = await create.read(id);
  } catch (error) {
    if (!(error instanceof RemitError)) throw error;
    if (error.code === 'INTERRUPTED' || error.code === 'TERMINATED')
      throw withRecord(create, {id}, error, 'whether it was approved is not known', null);
    if (error.httpStatus === 404) return {id, approval: 'missing', read: undefined};
    throw releaseInDoubt(create, {id}, `it could not be read: ${error.message}. Nothing was sent now`, error);
  }
  const record = create.recordIn(read.data);
  const approval = approvalOf(create, record);
  const differences = approval === 'dead' ? [] : differencesFrom(comparedWith(create, record));
  if (differences.length === 0) return {id, approval, read};
  const how = `it differs from the request: ${differencesInWords(differences)}. Nothing was sent now`;
  throw releaseInDoubt(create, {id}, create.sanitizer.line(how));
}

const stateOf = (create: TransferCreate, {approval, read}: EarlierRecord): string =>
  approval === 'missing' ? 'not found' : plainValue(statusOf(create.recordIn(read?.data)));

function withLeftOver(
  create: TransferCreate,
  paid: Result<JsonValue>,
  left: {id: string},
): Result<JsonValue> {
  const warning = `${nounOf(create)} ${left.id}, which an earlier request made for the same payment, still waits for approval: cancel it`;
  return {...paid, replayed: true, isPartial: true, warning};
}

function undecided(create: TransferCreate, first: EarlierRecord, second: EarlierRecord): RemitError {
  const noun = nounOf(create);
  const [one, other] = [first, second].map((record) => `${record.id} is ${stateOf(create, record)}`);
  const message = `the idempotency key ${create.idempotencyKey} has two ${noun}s: ${one}, and ${other}. ${capital(noun)} ${first.id} is the earlier one. Nothing was sent now`;
  return twoRecords(create, message, {first, second});
}

/**
 * A service that has forgotten a key creates a second record under it. If an earlier request with the key may have
 * paid, the second one must not be released without a decision.
 * @param first the record of the first request with this key, if it is known
 * @throws {RemitError} IN_DOUBT with both records
 */
export function refuseSecond(
  create: TransferCreate,
  {data, status}: Result<JsonValue>,
  {first}: Earlier,
): void {
  const {options, idempotencyKey} = create;
  const {secondId = null, mayBeApproved = false} = options.earlier ?? {};
  const record = create.recordIn(data);
  const {id} = record;
  if (typeof id !== 'string') return;
  const noun = nounOf(create);
  if (first !== undefined) {
    if (isSameId(first.id, id)) return;
    const differences = differencesFrom(comparedWith(create, record));
    if (differences.length > 0)
      throw twoRecords(
        create,
        `${noun} ${first.id} exists; whether it was approved is not known: its idempotency key ${idempotencyKey} was answered with another ${noun}, ${named(record)} (${differencesInWords(differences)})`,
        {first: {id: first.id}, second: undefined},
      );
  } else {
    const isAgain = secondId !== null && isSameId(secondId, id);
    const isStepped = approvalOf(create, record) === 'open' && options.mayApproveAtOnce !== true;
    if (!isAgain && !(mayBeApproved && status === 201 && isStepped)) return;
  }
  const second = {id, approval: approvalOf(create, record)};
  const forgot = `the service has forgotten idempotency key ${idempotencyKey}: ${noun} ${named(record)} is new`;
  if (first?.approval === 'open')
    throw twoRecords(
      create,
      `${forgot}, and ${noun} ${first.id}, which an earlier request made for the same payment, still waits for approval`,
      {first, second},
    );
  const state = second.approval === 'open' ? 'was not approved' : 'may be the second payment';
  const earlier = first === undefined ? 'an earlier request' : `${noun} ${first.id}`;
  throw twoRecords(
    create,
    `${forgot} and ${state}, because ${earlier} with the same key may have paid this already. Check that first`,
    {first, second},
  );
}

/** Two records of one payment, or one whose key was answered with another payment. */
function twoRecords(
  {idempotencyKey, options, sanitizer}: TransferCreate,
  message: string,
  {first, second}: {first: NamedRecord | undefined; second: NamedRecord | undefined},
): RemitError {
  const shown = first ?? second;
  const next = shown && options.showCommand?.(shown.id);
  return new RemitError('IN_DOUBT', sanitizer.line(message), {
    hint: next,
    details: {
      ...{id: first?.id ?? null, status: statusIn(first)},
      ...{idempotency_key: idempotencyKey, next: next ?? null},
      ...(second === undefined ? {} : {second_id: second.id, second_status: statusIn(second)}),
      may_have_taken_effect: true,
    },
  });
}

const statusIn = (record: NamedRecord | undefined) => (record?.approval === 'open' ? 'created' : null);
