import {formatMajor, requireExponent} from './amount.ts';

/** Two numbers up to this size can be added and stay exact. */
const EXACT = 2 ** 52;

interface Sum {
  exact: bigint;
  /** Not in `exact` yet: adding plain numbers costs a tenth of adding BigInts. */
  open: number;
}

/**
 * Sums per currency, exact at any size: BigInt inside, strings outside (a sum may exceed 2^53 although no amount
 * does).
 */
export class Totals {
  readonly #sums = new Map<string, Sum>();

  /**
   * `minor` may be negative; a number must be whole. @throws AmountError for a currency that is unknown or has no
   * minor unit
   */
  add(currency: string, minor: bigint | number): this {
    const sum = this.#sums.get(currency) ?? this.#begin(currency);
    if (typeof minor === 'number' && Math.abs(minor) <= EXACT) {
      sum.open += minor;
      if (Math.abs(sum.open) > EXACT) carry(sum);
    } else sum.exact += BigInt(minor);
    return this;
  }

  #begin(currency: string): Sum {
    requireExponent(currency);
    const sum = {exact: 0n, open: 0};
    this.#sums.set(currency, sum);
    return sum;
  }

  subtract(currency: string, minor: bigint | number): this {
    return this.add(currency, -minor);
  }

  merge(other: Totals): this {
    for (const [currency, minor] of other.entries()) this.add(currency, minor);
    return this;
  }

  /** Minor units; 0n for a currency that was never added. */
  of(currency: string): bigint {
    const sum = this.#sums.get(currency);
    return sum === undefined ? 0n : carry(sum);
  }

  /** Currency and minor units, in the order of the codes. */
  entries(): [currency: string, minor: bigint][] {
    return [...this.#sums.keys()].sort().map((currency) => [currency, this.of(currency)]);
  }

  /** `{EUR: '12.50', USD: '1500.75'}` */
  toMajor(): Record<string, string> {
    return Object.fromEntries(
      this.entries().map(([currency, minor]) => [currency, formatMajor(minor, currency)]),
    );
  }
}

function carry(sum: Sum): bigint {
  if (sum.open !== 0) sum.exact += BigInt(sum.open);
  sum.open = 0;
  return sum.exact;
}
