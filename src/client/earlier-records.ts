import {RemitError} from '../errors.ts';
import {capital} from '../phrases.ts';
import {plainValue} from '../sanitize/plain-value.ts';
import {differencesFrom} from './answers/created-record.ts';
import {differencesInWords} from './answers/difference.ts';
import {statusOf} from './reading/poll.ts';
import {deadKey, inDoubt} from './release-ends.ts';
import {asksForApproval} from './requests/approval.ts';
import type {Result} from './requests/resource.ts';
import {
  type Approval,
  approvalOf,
  mayNeedInitiation,
  nounOf,
  type TransferCreate,
} from './transfer-create.ts';

/** What the records of earlier requests with the same key show, before the key is sent again. */
interface Earlier {
  /** One of them is the payment, and is approved. */
  settled?: Result<unknown>;
  /** There are any. A service that has forgotten the key would make another one. */
  isKnown: boolean;
  /** The first of them still waits for its approval, so nothing has been paid. */
  isOpen: boolean;
}

/** A record that an earlier request has shown, as it is now. */
interface EarlierRecord {
  id: string;
  approval: Approval | 'missing';
  /** Undefined if it is missing. */
  read: Result<unknown> | undefined;
}

/**
 * Reads the records that earlier requests with this key have shown: a service that has forgotten the key would answer
 * it with another one.
 * @throws {RemitError} IN_DOUBT if one cannot be read, or both wait for a decision; IDEMPOTENCY_KEY_CONFLICT if they have
 *   failed or were canceled
 */
export async function readEarlier(create: TransferCreate): Promise<Earlier> {
  if (!asksForApproval(create.asked)) return {isKnown: false, isOpen: false};
  const {recordId = null, secondId = null, mayBeApproved = false} = create.options.earlier ?? {};
  const first = recordId === null ? undefined : await readOne(create, recordId);
  const isOpen = first?.approval === 'open';
  const known = {isKnown: recordId !== null || secondId !== null, isOpen};
  if (first?.read !== undefined && first.approval === 'approved') {
    const isWaiting = secondId === null && mayNeedInitiation(create.recordIn(first.read.data));
    return isWaiting ? known : {...known, settled: {...first.read, replayed: true}};
  }
  const second = secondId === null ? undefined : await readOne(create, secondId);
  if (second?.read !== undefined && second.approval === 'approved') {
    const settled = isOpen ? withLeftOver(create, second.read, first) : {...second.read, replayed: true};
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
  let read: Result<unknown>;
  try {
    read = await create.read(id);
  } catch (error) {
    if (!(error instanceof RemitError) || ['INTERRUPTED', 'TERMINATED'].includes(error.code)) throw error;
    if (error.httpStatus === 404) return {id, approval: 'missing', read: undefined};
    throw inDoubt(create, {id}, `it could not be read: ${error.message}. Nothing was sent now`, error);
  }
  const record = create.recordIn(read.data);
  const approval = approvalOf(create, record);
  const differences = approval === 'dead' ? [] : differencesFrom(create.asked, record);
  if (differences.length === 0) return {id, approval, read};
  const how = `it differs from the request: ${differencesInWords(differences)}. Nothing was sent now`;
  throw inDoubt(create, {id}, create.sanitizer.line(how));
}

const stateOf = (create: TransferCreate, {approval, read}: EarlierRecord): string =>
  approval === 'missing' ? 'not found' : plainValue(statusOf(create.recordIn(read?.data)));

function withLeftOver(create: TransferCreate, paid: Result<unknown>, left: {id: string}): Result<unknown> {
  const warning = `${nounOf(create)} ${left.id}, which an earlier request made for the same payment, still waits for approval: cancel it`;
  return {...paid, replayed: true, isPartial: true, warning};
}

function undecided(create: TransferCreate, first: EarlierRecord, second: EarlierRecord): RemitError {
  const noun = nounOf(create);
  const [one, other] = [first, second].map((record) => `${record.id} is ${stateOf(create, record)}`);
  const message = `the idempotency key ${create.idempotencyKey} has two ${noun}s: ${one}, and ${other}. ${capital(noun)} ${first.id} is the earlier one. Nothing was sent now`;
  return twoRecords(create, message, {first, second});
}

/** Two records of one payment, or one whose key was answered with another payment. */
export function twoRecords(
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

type NamedRecord = Pick<EarlierRecord, 'id'> & Partial<Pick<EarlierRecord, 'approval'>>;

const statusIn = (record: NamedRecord | undefined) => (record?.approval === 'open' ? 'created' : null);
