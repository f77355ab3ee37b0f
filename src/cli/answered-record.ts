import {RemitError} from '../errors.ts';
import {valueAt} from '../output/select.ts';
import {plainValue} from '../output/view.ts';

/** What makes one payin or payout another than the one asked for; the rest may be filled in by the service. */
const FIELDS = [
  'payee_id',
  'payer_id',
  'amount_in_minor_units',
  'currency_code',
  'rail',
  'subaccount_id',
] as const;

/**
 * Holds the record that a creation was answered with against what was asked for. A key that was used before brings its
 * first record back, whatever the second request says: taken for success, the second one would never be made.
 * Only what was sent and what the answer states is compared.
 * @throws {RemitError} KEY_REUSED with both sides of every difference
 */
export function checkAnswered(
  noun: 'payin' | 'payout',
  asked: Readonly<Record<string, unknown>>,
  record: unknown,
  idempotencyKey: string,
): void {
  const differences = FIELDS.flatMap((field) => {
    const [wanted, got] = [asked[field], valueAt(record, field)];
    if (wanted === undefined || got === undefined || (got === null && field !== 'subaccount_id')) return [];
    return same(wanted, got) ? [] : [{field, asked: wanted, answered: got}];
  });
  if (differences.length === 0) return;
  const id = plainValue(valueAt(record, 'id'));
  const words = differences.map(
    ({field, asked: wanted, answered}) => `${field} ${plainValue(answered)}, asked for ${plainValue(wanted)}`,
  );
  throw new RemitError(
    'KEY_REUSED',
    `the service answered with another ${noun} than the one asked for, ${id}: ${words.join('; ')}. Its idempotency key belongs to that one; a new ${noun} needs a new key`,
    {
      hint: `remit ${noun}s get ${id}`,
      details: {id, idempotency_key: idempotencyKey, differences, record},
    },
  );
}

/** Ids may come back in other letters, amounts as text. */
const same = (a: unknown, b: unknown): boolean => plainValue(a).toLowerCase() === plainValue(b).toLowerCase();
