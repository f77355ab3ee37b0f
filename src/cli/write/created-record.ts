import {RemitError} from '../../errors.ts';
import {isObject} from '../../narrow.ts';
import {valueAt} from '../../output/records/select.ts';
import {plainValue} from '../../output/records/view.ts';
import type {Context} from '../core/context.ts';
import {type Difference, inWords} from './difference.ts';

/** A create as it was requested and answered. */
interface Created {
  noun: 'payin' | 'payout' | 'move' | 'account transfer' | 'bank transaction';
  asked: Readonly<Record<string, unknown>>;
  record: unknown;
  /** Null if the operation has none. */
  idempotencyKey: string | null;
  /** No earlier request can have had this key, or the answer shows that the record is new. */
  isNew: boolean;
  /** The command that shows the record. */
  next: string;
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
  const words = inWords(differences);
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

/**
 * Compares the answer to a create without an idempotency key with the request; another rail is only a warning.
 * @throws {RemitError} KEY_REUSED if the record is not the requested one
 */
export function checkCreated(
  {out, commands}: Pick<Context, 'out' | 'commands'>,
  created: Pick<Created, 'noun' | 'asked' | 'record'> & {shownBy: (id: string) => readonly string[]},
): void {
  const {noun, asked, record, shownBy} = created;
  const id = plainValue(valueAt(record, 'id'));
  const next = commands.read(...shownBy(id));
  noteRail(out, noun, id, checkAnswered({noun, asked, record, idempotencyKey: null, isNew: true, next}));
}

/** Services use their own names for rails, so another one proves nothing. */
export function noteRail(
  out: Pick<Context['out'], 'warn'>,
  noun: string,
  id: string,
  rail: Difference | undefined,
): void {
  if (rail === undefined) return;
  out.warn(`the rail of ${noun} ${id} is ${plainValue(rail.answered)}, requested ${plainValue(rail.asked)}`);
}

/** The fields that distinguish one record from another; the service may fill in the rest. */
const FIELDS = [
  ...['payee_id', 'payer_id', 'amount_in_minor_units', 'currency_code', 'subaccount_id'],
  ...['source_account_id', 'destination_account_id', 'source_subaccount_id', 'destination_subaccount_id'],
];

function compare(asked: Readonly<Record<string, unknown>>, record: unknown, field: string): Difference[] {
  const isFunded = 'payee_id' in asked || 'payer_id' in asked;
  const wanted = asked[field] ?? (field === 'subaccount_id' && isFunded ? null : undefined); // no subaccount: the main account
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
