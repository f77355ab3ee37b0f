/** 1/s³. A tenth above the top after 4.6 s, twice the top after 10 s; back from nine tenths of it within 4.6 s. */
const CUBIC = 0.001;
/** Doubles in a third of a second. */
const GROWTH_PER_SECOND = 2;

export interface CurveOptions {
  /** The value that was refused, or the best estimate of it. */
  top: number;
  /** The initial value, as a share of the top. */
  share?: number;
  /** The refusal may have concerned another bound; then the value only grows, until a second refusal confirms it. */
  guess?: boolean;
}

/**
 * A bound that a refusal lowers and time raises again, along a cubic around its top: fast while far below the refused
 * value, slow near it, and fast again once that value has proven too low. The caller counts only the seconds in which
 * the bound limited the run.
 */
export class Curve {
  readonly guess: boolean;
  /** Seconds since it was set. */
  time = 0;
  value: number;
  top: number;
  /** When it is back at its top. */
  readonly #back: number;

  constructor({top, share = 1, guess = false}: CurveOptions) {
    this.guess = guess;
    this.top = top;
    this.value = top * share;
    this.#back = Math.cbrt((1 - share) / CUBIC);
  }

  /** Mean of the value since it was set. */
  get mean(): number {
    if (this.time === 0 || this.guess) return this.value;
    const rise = (this.time - this.#back) ** 4 - this.#back ** 4;
    return this.top * (1 + (CUBIC * rise) / (4 * this.time));
  }

  advance(seconds: number): void {
    if (this.guess) {
      this.top = this.value *= Math.exp(GROWTH_PER_SECOND * seconds);
      return;
    }
    this.time += seconds;
    this.value = this.top * (1 + CUBIC * (this.time - this.#back) ** 3);
  }
}
