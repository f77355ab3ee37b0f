import {formatMajor, requireExponent} from './amount.ts';

/** Sums per currency, exact at any size: BigInt inside, strings outside (a sum may pass 2^53 although no amount does). */
export class Totals {
  readonly #sums = new Map<string, bigint>();

  /** `minor` may be negative. @throws AmountError for a currency that is unknown or has no minor unit */
  add(currency: string, minor: bigint): this {
    requireExponent(currency);
    this.#sums.set(currency, this.of(currency) + minor);
    return this;
  }

  subtract(currency: string, minor: bigint): this {
    return this.add(currency, -minor);
  }

  merge(other: Totals): this {
    for (const [currency, minor] of other.entries()) this.add(currency, minor);
    return this;
  }

  /** Minor units; 0n for a currency never added. */
  of(currency: string): bigint {
    return this.#sums.get(currency) ?? 0n;
  }

  /** Currency and minor units, in the order of the codes. */
  entries(): [currency: string, minor: bigint][] {
    return [...this.#sums].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** True when every currency has the same sum; one never added counts as zero. */
  equals(other: Totals): boolean {
    const currencies = new Set([...this.#sums.keys(), ...other.#sums.keys()]);
    return [...currencies].every((currency) => this.of(currency) === other.of(currency));
  }

  /** `{EUR: '12.50', USD: '1500.75'}` */
  toMajor(): Record<string, string> {
    return Object.fromEntries(
      this.entries().map(([currency, minor]) => [currency, formatMajor(minor, currency)]),
    );
  }

  /** Minor units as decimal strings, for JSON. */
  toMinor(): Record<string, string> {
    return Object.fromEntries(this.entries().map(([currency, minor]) => [currency, String(minor)]));
  }
}
