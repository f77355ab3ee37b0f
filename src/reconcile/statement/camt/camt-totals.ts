import {byName, keysOf} from '../../../narrow.ts';
import type {CamtElement} from './camt-elements.ts';
import type {CamtEntry} from './camt-entry.ts';
import type {Refuse, StatementPlace} from '../file/refusal.ts';
import {signedMinor} from '../file/values.ts';

/** Entries that a summary may be about. */
const KINDS = {
  TtlNtries: () => true,
  TtlCdtNtries: (amount: bigint) => amount > 0n,
  TtlDbtNtries: (amount: bigint) => amount < 0n,
};
type Kind = keyof typeof KINDS;

/** Entries of one kind, with and without those that are not booked; sums have no signs. */
interface KindTotals {
  all: {count: bigint; sum: bigint};
  booked: {count: bigint; sum: bigint};
}

const nothing = (): KindTotals => ({all: {count: 0n, sum: 0n}, booked: {count: 0n, sum: 0n}});

/** Compares `TxsSummry` with the entries of a statement. Banks count all entries, or only the booked ones. */
export class CamtTotals {
  readonly #refuse: Refuse;
  readonly #totals = byName(keysOf<Kind>(KINDS), nothing);
  readonly #currencies = new Set<string>();
  readonly #stated: CamtElement[] = [];

  constructor(refuse: Refuse) {
    this.#refuse = refuse;
  }

  stated(summary: CamtElement): void {
    this.#stated.push(summary);
  }

  entry({amount, currency, isBooked}: Pick<CamtEntry, 'amount' | 'currency' | 'isBooked'>): void {
    this.#currencies.add(currency);
    for (const kind of keysOf<Kind>(KINDS)) {
      if (!KINDS[kind](amount)) continue;
      const {all, booked} = this.#totals[kind];
      for (const total of isBooked ? [all, booked] : [all]) {
        total.count += 1n;
        total.sum += amount < 0n ? -amount : amount;
      }
    }
  }

  check(place: StatementPlace): void {
    for (const kind of keysOf<Kind>(KINDS))
      for (const summary of this.#stated) this.#checkKind(summary, kind, place);
  }

  #checkKind(summary: CamtElement, kind: Kind, place: StatementPlace): void {
    const number = summary.at(`TxsSummry/${kind}/NbOfNtries`);
    const sum = summary.at(`TxsSummry/${kind}/Sum`);
    const [currency, ...others] = this.#currencies;
    const stated =
      sum === undefined || currency === undefined || others.length > 0
        ? undefined
        : signedMinor(sum, currency, '.', {refuse: this.#refuse, place});
    const {all, booked} = this.#totals[kind];
    const isRight = [all, booked].some(
      (counted) =>
        (number === undefined || (/^\d{1,15}$/.test(number) && BigInt(number) === counted.count)) &&
        (stated === undefined || stated === counted.sum),
    );
    if (!isRight)
      throw this.#refuse(
        place,
        `TxsSummry/${kind} states ${number ?? 'some'} entries${sum === undefined ? '' : ` of ${sum}`}, which is not what the statement has`,
      );
  }
}
