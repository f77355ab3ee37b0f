import {must} from '../../narrow.ts';
import {Curve} from './curve.ts';

/** How far a send may be late and still be made up for: timers are coarse, and an event loop has pauses. */
export const CATCH_UP_MS = 10;
/** Even if there are only refusals, one request is sent every ten seconds. */
const LEAST_RPS = 0.1;
/**
 * A success raises the rate for at most this time: below four requests per second, successes count instead of
 * seconds.
 */
const STEP_MS = 250;
const DEEP_CUT = 0.7;
const SHALLOW_CUT = 0.9;
/** If two refusals are at least this many seconds apart, the rate is considered nearly right. */
const SETTLED_S = 5;

/**
 * The minimum interval between two sends. Without a limit from the user it is off until a refusal switches it on, at
 * the goodput measured by then. Rates are in requests per second.
 */
export class Pacer {
  /** How much more slowly than usual it raises the rate: a refusal that closes the gate for seconds must be rarer. */
  stretch = 1;
  readonly #maxRps: number;
  #curve: Curve | undefined;
  /** When the next send is due. */
  #next = -Infinity;
  #accepted = 0;
  #acceptedAt = 0;

  constructor(maxRps: number) {
    this.#maxRps = maxRps;
  }

  get rps(): number {
    return Math.min(this.#maxRps, this.#curve?.value ?? Infinity);
  }

  /** A refusal has set a rate. */
  get isOn(): boolean {
    return this.#curve !== undefined;
  }

  earliest(now: number): number {
    return Math.max(now, this.#next);
  }

  sent(now: number): void {
    const {rps} = this;
    if (rps === Infinity) return;
    this.#next = Math.max(this.#next, now - CATCH_UP_MS) + 1000 / rps;
  }

  /** `goodput` is the recent measurement. A rate far above it was never tried, so it is not raised further. */
  accepted(now: number, goodput: number): void {
    this.#accepted++;
    const step = Math.min(STEP_MS, now - this.#acceptedAt) / 1000;
    this.#acceptedAt = now;
    if (this.#curve !== undefined && this.#curve.value < 2 * goodput)
      this.#curve.advance(step / this.stretch);
  }

  /**
   * The first refusal. If another refusal costs little, the rate is a guess, because the window may have been the
   * cause.
   */
  start(now: number, goodput: number, costly: boolean): void {
    if (costly) this.#set(goodput, DEEP_CUT);
    else this.#curve = new Curve({top: Math.max(LEAST_RPS, goodput), guess: true});
    this.#pause(now);
  }

  /** Another refusal that was caused by the rate. */
  cut(now: number): void {
    const curve = must(this.#curve, 'curve, which the first refusal begins');
    // Nothing was accepted since the last cut: halve it, but keep the top, to return to it when the service recovers.
    if (this.#accepted === 0) this.#set(curve.top, curve.value / 2 / curve.top);
    else {
      // A token bucket with a reserve refuses late, so the rate at the refusal is too high, and the mean since the
      // last refusal is too low. A refusal soon after the last one means that the rate is far off; a late one means
      // that it is nearly right.
      const top = Math.max((curve.mean + curve.value) / 2, 0.85 * curve.value);
      this.#set(top, DEEP_CUT + (SHALLOW_CUT - DEEP_CUT) * Math.min(1, curve.time / SETTLED_S));
    }
    this.#pause(now);
  }

  #set(wanted: number, share: number): void {
    const value = Math.max(LEAST_RPS, wanted * share);
    const top = Math.max(value, wanted);
    this.#curve = new Curve({top, share: value / top});
  }

  #pause(now: number): void {
    this.#accepted = 0;
    this.#acceptedAt = now;
    this.#next = Math.max(this.#next, now + 1000 / this.rps); // the rate may have risen since the last send
  }
}
