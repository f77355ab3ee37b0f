import {endedAs, mayNeedInitiation} from '../contract/lifecycle.ts';
import {RemitError, type ErrorCode} from '../errors.ts';
import {capital} from '../phrases.ts';
import {differencesFrom} from './answers/created-record.ts';
import {differencesInWords} from './answers/difference.ts';
import {statusOf} from './reading/poll.ts';
import type {Result} from './requests/resource.ts';
import {comparedWith, type KnownRecord, nounOf, type TransferCreate} from './transfer-create.ts';
import type {JsonValue, JsonFields} from '../narrow.ts';

export const RELEASE_LOST = 'the answer to its approval was lost';

export const unapproved = (
  create: TransferCreate,
  result: Result<JsonValue>,
  why: string,
): Result<JsonValue> => ({
  ...{...result, isPartial: true},
  warning: result.warning ?? `the ${nounOf(create)} was not approved: ${why}`,
});

/**
 * Reads a record whose approval was not answered as expected.
 * @throws {RemitError} IN_DOUBT if it cannot be read or is another payment by now, or what interrupted it
 */
export async function readReleased(
  create: TransferCreate,
  known: KnownRecord,
  before?: {message: string},
): Promise<Result<JsonValue>> {
  const why = before?.message ?? RELEASE_LOST;
  let read: Result<JsonValue>;
  try {
    read = await create.read(known.id);
  } catch (error) {
    if (!(error instanceof RemitError)) throw error;
    if (error.code === 'INTERRUPTED' || error.code === 'TERMINATED')
      throw withRecord(create, known, error, 'whether it was approved is not known', null);
    throw releaseInDoubt(create, known, `${why}. It could not be read: ${error.message}`, error);
  }
  const changed = differencesFrom(comparedWith(create, create.recordIn(read.data)));
  if (changed.length === 0) return read;
  const how = create.sanitizer.line(`${why}. Read again, it differs: ${differencesInWords(changed)}`);
  throw releaseInDoubt(create, known, how);
}

/** @param isReleased its approval was sent */
export function deadKey(
  create: TransferCreate,
  id: string,
  record: JsonFields,
  {isReleased}: {isReleased: boolean},
): RemitError {
  const {idempotencyKey, sanitizer} = create;
  const status = statusOf(record) ?? null;
  const was = isReleased
    ? `Its approval was sent before, so it may have been approved and then ${status}`
    : 'Nothing was approved';
  return new RemitError(
    'IDEMPOTENCY_KEY_CONFLICT',
    `idempotency key ${sanitizer.line(idempotencyKey)} belongs to ${nounOf(create)} ${id}, which ${endedAs(status)}. ${was}. A new ${nounOf(create)} needs a new key`,
    {details: {id, status, idempotency_key: idempotencyKey}},
  );
}

export function releaseInDoubt(
  create: TransferCreate,
  {id}: Pick<KnownRecord, 'id'>,
  why: string,
  cause?: RemitError,
): RemitError {
  const {idempotencyKey, options} = create;
  const noun = nounOf(create);
  return new RemitError('IN_DOUBT', `${noun} ${id} exists; whether it was approved is not known: ${why}`, {
    hint: options.hint,
    retryable: true, // the same key is sent again
    cause,
    details: {
      ...{id, status: null, idempotency_key: idempotencyKey, next: options.hint ?? null},
      may_have_taken_effect: true,
    },
  });
}

/** The approval may have taken effect, or was interrupted. */
const OPEN: ReadonlySet<ErrorCode> = new Set(['IN_DOUBT', 'INTERRUPTED', 'TERMINATED']);

/** This error with the record that exists. */
export function withRecord(
  create: TransferCreate,
  {id, first}: Pick<KnownRecord, 'id'> & Partial<KnownRecord>,
  error: RemitError,
  state?: string,
  status = statusOf(create.recordIn(first?.data)) ?? null,
): RemitError {
  const {idempotencyKey, options} = create;
  const {code, httpStatus, requestId, details, body, retryable, request, cause} = error;
  const isOpen = state === undefined && OPEN.has(code) && details?.['may_have_taken_effect'] !== false;
  const closed = mayNeedInitiation(status) ? 'its status is approved' : 'it was not approved';
  const known = state ?? (isOpen ? 'whether it was approved is not known' : closed);
  return new RemitError(code, `${error.message}. ${capital(nounOf(create))} ${id} exists; ${known}`, {
    ...{httpStatus, requestId, body, retryable, request, cause},
    hint: error.openHint ?? options.hint,
    details: {
      ...details,
      ...{id, status: isOpen ? null : status, idempotency_key: idempotencyKey, next: options.hint ?? null},
      ...(isOpen || state !== undefined ? {may_have_taken_effect: true} : {}),
    },
  });
}
