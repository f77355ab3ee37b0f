import {unwrapRecord} from '../../client/answers/readable.ts';
import {RemitError} from '../../errors.ts';
import {isObject} from '../../narrow.ts';
import {valueAt} from '../../output/records/select.ts';
import {plainValue} from '../../output/records/view.ts';
import type {Context} from '../core/context.ts';

/**
 * The record left by a write on a known id: from the answer itself, or read again if the answer has none (204, an
 * empty object, another record). Undefined, after a warning, if neither is available.
 */
export async function recordAfter(
  {out}: Pick<Context, 'out'>,
  write: {noun: string; id: string; answer: unknown; read: () => Promise<unknown>; next: string},
): Promise<unknown> {
  const {noun, id, answer, read} = write;
  const answered = recordWithId(answer, id);
  if (answered !== undefined) return answered;
  try {
    const found = recordWithId(await read(), id);
    if (found !== undefined) return found;
    out.warn(
      `the service accepted the request without a record, and its answer to a read of ${noun} ${id} has none either`,
    );
  } catch (error) {
    if (!(error instanceof RemitError) || error.code === 'INTERRUPTED' || error.code === 'TERMINATED')
      throw error;
    out.warn(
      `the service accepted the request without a record, and ${noun} ${id} could not be read: ${error.message}`,
    );
  }
  out.hint(write.next);
  return undefined;
}

/** The record with this id in an answer; one with a status but no id is accepted too. */
export function recordWithId(answer: unknown, id: string): unknown {
  const record = unwrapRecord(answer);
  if (!isObject(record)) return undefined;
  const own = record['id'];
  if (own === undefined || own === null)
    return Object.keys(record).length === 0 ? undefined : {...record, id};
  return plainValue(own).toLowerCase() === id.toLowerCase() ? record : undefined;
}

/** A create as it was requested and answered. */
export interface Created {
  noun: 'payin' | 'payout';
  asked: Readonly<Record<string, unknown>>;
  record: unknown;
  idempotencyKey: string;
  /** No earlier request can have had this key, or the answer shows that the record is new. */
  isNew: boolean;
  /** The command that shows the record. */
  next: string;
}

interface Difference {
  field: string;
  asked: unknown;
  answered: unknown;
}

/**
 * Compares the record in the answer to a create with the request. A key that was used before returns its first
 * record, whatever the second request contains: if that were taken for success, the second one would never be made.
 * Only what the answer contains is compared.
 * @returns the rail, if only it differs: services use their own names for rails, so that proves nothing
 * @throws {RemitError} KEY_REUSED with both sides of every difference
 */
export function checkAnswered(created: Created): Difference | undefined {
  const {noun, asked, record, idempotencyKey, isNew, next} = created;
  const differences = [
    ...FIELDS.flatMap((field) => compare(asked, record, field)),
    ...metadata(asked, record),
  ];
  if (differences.length === 0) return compare(asked, record, 'rail')[0];
  const id = plainValue(valueAt(record, 'id'));
  const words = differences
    .map((each) => `${each.field} is ${plainValue(each.answered)}, requested ${plainValue(each.asked)}`)
    .join('; ');
  const message = isNew
    ? `the service created ${noun} ${id}, but not as requested: ${words}. Check it before you create another one`
    : `idempotency key ${idempotencyKey} belongs to another ${noun}, ${id}: ${words}. Check it before you create this one with a new key`;
  throw new RemitError('KEY_REUSED', message, {
    hint: next,
    details: {
      ...{id, status: valueAt(record, 'status') ?? null, idempotency_key: idempotencyKey},
      ...{next, differences, record},
    },
  });
}

/** The fields that distinguish one payin or payout from another; the service may fill in the rest. */
const FIELDS = ['payee_id', 'payer_id', 'amount_in_minor_units', 'currency_code', 'subaccount_id'];

function compare(asked: Readonly<Record<string, unknown>>, record: unknown, field: string): Difference[] {
  const wanted = asked[field] ?? (field === 'subaccount_id' ? null : undefined); // no subaccount: the main account
  const answered = statedBy(record, field);
  if (wanted === undefined || answered === undefined || same(wanted, answered)) return [];
  return [{field, asked: wanted, answered}];
}

/** Undefined if the answer does not contain the field; a subaccount of null means the main account. */
function statedBy(record: unknown, field: string): unknown {
  const value = valueAt(record, field);
  if (field === 'subaccount_id') return value;
  if (field === 'amount_in_minor_units') return value ?? valueAt(record, 'amount_in_cents') ?? undefined;
  return value ?? undefined;
}

/** Every entry that was sent must be there; the service may add its own. */
function metadata(asked: Readonly<Record<string, unknown>>, record: unknown): Difference[] {
  const wanted = asked['metadata'];
  const got = valueAt(record, 'client_metadata');
  if (!isObject(wanted) || !isObject(got)) return [];
  const differs = Object.entries(wanted).some(
    ([key, value]) => !Object.hasOwn(got, key) || got[key] !== value,
  );
  return differs ? [{field: 'client_metadata', asked: wanted, answered: got}] : [];
}

/** Ids may be returned in another case, amounts as text. */
const same = (a: unknown, b: unknown): boolean => plainValue(a).toLowerCase() === plainValue(b).toLowerCase();
