import {Curve} from './curve.ts';

/** How far a send may lag behind its time and still be made up for: timers are coarse, and an event loop has pauses. */
export const CATCH_UP_MS = 10;
/** However often nothing but refusals come, one request in ten seconds asks again. */
const LEAST_RPS = 0.1;
/** A success lifts the rate for this long at most: below four requests a second, successes count instead of seconds. */
const STEP_MS = 250;
const DEEP_CUT = 0.7;
const SHALLOW_CUT = 0.9;
/** Seconds between two refusals from which on the rate is taken to be nearly right. */
const SETTLED_S = 5;
const SMOOTHING = 1 / 16;

/**
 * The least distance between two sends. Without a user's limit it is off until a refusal switches it on, at the goodput
 * measured by then. Rates are requests a second.
 */
export class Pacer {
  /** How much slower than usual it probes: a refusal that closes the gate for seconds must come less often. */
  stretch = 1;
  readonly #maxRps: number;
  #curve: Curve | undefined;
  /** When the next send is due. */
  #next = -Infinity;
  /** Share of the latest sends that went out when they were due: the others waited for something else. */
  #punctual = 1;
  #accepted = 0;
  #acceptedAt = 0;

  constructor(maxRps: number) {
    this.#maxRps = maxRps;
  }

  get rps(): number {
    return Math.min(this.#maxRps, this.#curve?.value ?? Infinity);
  }

  /** Some refusal has set a rate. */
  get isOn(): boolean {
    return this.#curve !== undefined;
  }

  /** It is what holds the sends back. */
  get isFelt(): boolean {
    return this.isOn && this.#punctual > 0.5;
  }

  earliest(now: number): number {
    return Math.max(now, this.#next);
  }

  sent(now: number): void {
    const {rps} = this;
    if (rps === Infinity) return;
    const punctual = now - this.#next < CATCH_UP_MS / 2 ? 1 : 0;
    this.#punctual += (punctual - this.#punctual) * SMOOTHING;
    this.#next = Math.max(this.#next, now - CATCH_UP_MS) + 1000 / rps;
  }

  /** `goodput` as measured of late: a rate far above it was never tried, so it is not raised further. */
  accepted(now: number, goodput: number): void {
    this.#accepted++;
    const step = Math.min(STEP_MS, now - this.#acceptedAt) / 1000;
    this.#acceptedAt = now;
    if (this.#curve !== undefined && this.isFelt && this.#curve.value < 2 * goodput)
      this.#curve.advance(step / this.stretch);
  }

  /** The first refusal. Where another one costs little, the rate is a guess: the window may have been to blame. */
  start(now: number, goodput: number, costly: boolean): void {
    if (costly) this.#set(goodput, DEEP_CUT);
    else this.#curve = new Curve({top: Math.max(LEAST_RPS, goodput), guess: true});
    this.#pause(now);
  }

  /** Another refusal, for which the rate is to blame. */
  cut(now: number, goodput: number): void {
    const curve = this.#curve!; // switched on by the first refusal
    // Nothing was taken since the last cut: halve it, but keep the top to come back to when the service is back.
    if (this.#accepted === 0) this.#set(curve.top, curve.value / 2 / curve.top);
    else {
      // A bucket with a reserve refuses late, so the rate at the refusal overstates, and the mean since the last one
      // understates; a refusal soon after the last says that the rate is far off, a late one that it is nearly right.
      const felt = Math.max((curve.mean + curve.value) / 2, 0.85 * curve.value);
      const top = this.isFelt ? felt : Math.min(curve.value, goodput);
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
    this.#next = now + 1000 / this.rps;
  }
}
