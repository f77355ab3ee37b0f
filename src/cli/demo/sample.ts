import {writeFileSync} from 'node:fs';
import {must} from '../../narrow.ts';

export interface SampleFile {
  /** Rows that every plan must refuse. */
  refused: number;
  /** Rows whose payee does not exist: valid in format, but refused by the service. */
  unknown: number;
}

const NOBODY = '00000000-0000-4000-8000-00000000dead';
const EVERY = 45;
/**
 * Placed early in the file: a row that the kill leaves open and the service then refuses stays in doubt, needs
 * attention, and holds the release of all others.
 */
const STRAY_EVERY = 20;

type Cells = readonly [reference: string, payee: string, amount: string, currency: string, note: string];

/** Typical damage to a CSV, one kind every forty rows or so. */
const DAMAGES: readonly ((cells: Cells) => string[])[] = [
  withSeparator,
  ([reference, payee, , currency, note]) => [reference, payee, '0.00', currency, note],
  ([reference, payee, amount, , note]) => [reference, payee, amount, 'Dollar', note],
  ([, payee, amount, currency, note]) => ['1.91431E+18', payee, amount, currency, note],
  ([reference, payee, amount, currency]) => [reference, payee.slice(0, 20), amount, currency, 'cut id'],
  ([reference, payee, amount, currency]) => [reference, payee, amount, currency],
];

/** A plan reads it, and says how. */
function withSeparator([reference, payee, , currency, note]: Cells): string[] {
  return [reference, payee, '"1,250.00"', currency, note];
}

/** Writes a payout file to the given payees, including some damaged rows. */
export function writeSample(path: string, payees: readonly string[], rows: number): SampleFile {
  const lines = ['reference,payee_id,amount,currency_code,metadata.note'];
  let refused = 0;
  let unknown = 0;
  for (let n = 1; n <= rows; n++) {
    const cents = 1000 + ((n * 7919) % 250_000);
    const stray = n % STRAY_EVERY === 0 && n <= STRAY_EVERY * 3;
    if (stray) unknown++;
    const payee = stray ? NOBODY : must(payees[n % payees.length], 'payee of the sample');
    const amount = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
    const cells: Cells = [`INV-2026-${String(n).padStart(5, '0')}`, payee, amount, 'USD', `invoice ${n}`];
    const damage = n % EVERY === 0 ? DAMAGES[(n / EVERY - 1) % DAMAGES.length] : undefined;
    if (damage !== undefined && damage !== withSeparator) refused++;
    lines.push((damage?.(cells) ?? cells).join(','));
  }
  writeFileSync(path, `${lines.join('\n')}\n`, {mode: 0o600});
  return {refused, unknown};
}
