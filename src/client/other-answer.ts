import type {JsonValue, JsonFields} from '../narrow.ts';
import {endedAs} from '../contract/lifecycle.ts';
import {capital} from '../phrases.ts';
import {plainValue} from '../sanitize/plain-value.ts';
import {differencesFrom} from './answers/created-record.ts';
import {differencesInWords} from './answers/difference.ts';
import {otherIdIn} from './answers/readable.ts';
import {statusOf} from './reading/poll.ts';
import {deadKey, releaseInDoubt, readReleased} from './release-ends.ts';
import type {Result} from './requests/resource.ts';
import {approvalOf, comparedWith, type KnownRecord, nounOf, type TransferCreate} from './transfer-create.ts';

/** A record that is not the one whose approval was requested. */
interface OtherAnswer {
  /** It is the same payment, under another id. */
  isTwin: boolean;
  /** `the service answered its approval with another payout, 5f0c… (status: created)`. */
  words: string;
}

/** Undefined if the answer to an approval contains the known record, as it was requested. */
export function otherAnswer(
  create: TransferCreate,
  {id}: KnownRecord,
  {data}: Result<JsonValue>,
): OtherAnswer | undefined {
  const record = create.recordIn(data);
  const differences = differencesFrom(comparedWith(create, record));
  const otherId = otherIdIn(record, id);
  if (otherId === undefined && differences.length === 0) return undefined;
  const what = otherId === undefined ? 'other values' : `another ${nounOf(create)}, ${named(record)}`;
  const how = differences.length === 0 ? '' : ` (${differencesInWords(differences)})`;
  const words = `the service answered its approval with ${what}${how}`;
  return {isTwin: differences.length === 0, words: create.sanitizer.line(words)};
}

/**
 * The first answer has shown that the known record belongs to this request, so an approval that is answered with
 * another record may have paid it all the same. Its own status decides.
 * @throws {RemitError} IN_DOUBT with the id of the known record; IDEMPOTENCY_KEY_CONFLICT if it is dead
 */
export async function afterOtherAnswer(
  create: TransferCreate,
  known: KnownRecord,
  {whole, other: {isTwin, words}}: {whole: Result<JsonValue>; other: OtherAnswer},
): Promise<Result<JsonValue>> {
  const read = await readReleased(create, known, {message: words});
  const record = create.recordIn(read.data);
  const approval = approvalOf(create, record);
  const title = `${capital(nounOf(create))} ${known.id}`;
  if (approval === 'unknown') throw releaseInDoubt(create, known, `${words}. Its status cannot be read`);
  const {attempts, replayed} = whole;
  const own = (state: string): Result<JsonValue> => {
    const warning = `${words}. ${title} ${state}. Check the other one`;
    return {...read, attempts, replayed, isPartial: true, warning};
  };
  if (!isTwin) {
    if (approval === 'dead') throw deadKey(create, known.id, record, {isReleased: true});
    if (approval === 'open') throw releaseInDoubt(create, known, `${words}. Its status is still created`);
    return own(`is ${plainValue(statusOf(record))}`);
  }
  // The other record waits for approval and may be another payment's, so the result is about our own.
  if (approvalOf(create, create.recordIn(whole.data)) === 'open' && approval !== 'dead')
    return own(approval === 'open' ? 'was not approved' : `is ${plainValue(statusOf(record))}`);
  const state =
    approval === 'approved'
      ? `exists too and is ${plainValue(statusOf(record))}. Both are approved: check whether the ${nounOf(create)} was paid twice`
      : `exists too and was not approved${approval === 'open' ? ': cancel it' : `: it ${endedAs(statusOf(record))}`}`;
  return {...whole, isPartial: true, warning: `${words}. ${title} ${state}`};
}

export function named(record: JsonFields): string {
  const {id} = record;
  const status = statusOf(record);
  return status === undefined ? plainValue(id) : `${plainValue(id)} (status: ${plainValue(status)})`;
}
