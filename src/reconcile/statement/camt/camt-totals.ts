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

type Counted = Pick<CamtEntry, 'amount' | 'currency' | 'isBooked'>;

/** Compares `TxsSummry` with the entries of a statement. Banks count all entries, or only the booked ones. */
export class CamtTotals {
  readonly #refuse: Refuse;
  readonly #entries: Counted[] = [];
  readonly #stated: CamtElement[] = [];

  constructor(refuse: Refuse) {
    this.#refuse = refuse;
  }

  stated(summary: CamtElement): void {
    this.#stated.push(summary);
  }

  entry({amount, currency, isBooked}: CamtEntry): void {
    this.#entries.push({amount, currency, isBooked});
  }

  check(place: StatementPlace): void {
    for (const [kind, isOf] of Object.entries(KINDS))
      for (const summary of this.#stated) this.#checkKind(summary, kind, isOf, place);
  }

  #checkKind(
    summary: CamtElement,
    kind: string,
    isOf: (amount: bigint) => boolean,
    place: StatementPlace,
  ): void {
    const number = summary.at(`TxsSummry/${kind}/NbOfNtries`);
    const sum = summary.at(`TxsSummry/${kind}/Sum`);
    const [first] = this.#entries;
    const isOneCurrency = this.#entries.every(({currency}) => currency === first?.currency);
    const candidates = [this.#entries, this.#entries.filter(({isBooked}) => isBooked)].map((entries) =>
      entries.filter(({amount}) => isOf(amount)),
    );
    const isRight = candidates.some((entries) => {
      if (number !== undefined && !(/^\d{1,15}$/.test(number) && BigInt(number) === BigInt(entries.length)))
        return false;
      if (sum === undefined || first === undefined || !isOneCurrency) return true;
      const stated = signedMinor(sum, first.currency, '.', {refuse: this.#refuse, place});
      return stated === entries.reduce((total, {amount}) => total + (amount < 0n ? -amount : amount), 0n);
    });
    if (!isRight)
      throw this.#refuse(
        place,
        `TxsSummry/${kind} states ${number ?? 'some'} entries${sum === undefined ? '' : ` of ${sum}`}, which is not what the statement has`,
      );
  }
}
