/**
 * The window after the first success. Latency never makes it smaller, because so few requests form no relevant queue.
 */
const FIRST_WINDOW = 4;
/** Latency relative to that of an idle service. Below this nothing queues, and the window may double. */
const NO_QUEUE = 1.25;
/** Below this, a larger window still increases goodput: by at least a third for twice the window. */
const SOME_QUEUE = 1.5;
/** Above this, requests only wait in the service, and the window shrinks. */
const LONG_QUEUE = 2;
/** Growth per epoch while something queues already. */
const GROWTH = 1.1;
const SHRINK = 0.95;
/** After shrinking by this much, latency must have fallen in proportion, or by at least half of that. */
const SHRUNK = 0.7;
const IN_VAIN = 0.85;
const STILL_RISING = 1.2;
/**
 * After this many epochs at one size, it is shrunk to check whether there is a queue: this reveals a base latency
 * that was measured too low. A small window has less to lose, and waits for as many epochs as its size.
 */
const PATIENCE = 40;
const MIN_SAMPLES = 8;
const MIN_SPAN_MS = 50;
/** A mean latency is judged once it is known to within a quarter, or after this many windows. */
const TOLERANCE = 0.25;
const MAX_WINDOWS = 8;

/**
 * Determines how many requests in flight are useful, from latency and goodput; refusals are handled elsewhere. It
 * works in epochs: during one round trip a new window takes effect, and the next one is measured. With a full window,
 * goodput is window / latency (Little's law), so "goodput rises with the window" and "latency does not rise" are the
 * same test.
 */
export class Window {
  /** Answers per second in the last epoch; 0 before the first. */
  goodput = 0;
  /** Mean of the last epoch, ms; 0 before the first. */
  latency = 0;
  readonly #cap: number;
  readonly #floor: number;
  #size: number;
  /** While true, it doubles each epoch, until latency rises. */
  #ramping = true;
  #suspect = false;
  /** Latency of the service without a queue caused by this run. */
  #base: number | undefined;
  /** Epochs since it last grew. */
  #stuck = 0;
  #shrunkFrom: {size: number; latency: number} | undefined;
  // The current epoch.
  #measureFrom: number;
  #full = false;
  #count = 0;
  #sum = 0;
  #squares = 0;
  #inFlightSum = 0;
  // Requests in flight when the answered ones were sent: mean of the last epoch, and maximum of this and the last.
  #usual = 0;
  #most = 0;
  #mostBefore = 0;

  constructor(cap: number, now: number) {
    this.#cap = cap;
    this.#floor = Math.min(cap, FIRST_WINDOW);
    this.#size = this.#floor;
    this.#measureFrom = now;
  }

  get size(): number {
    return Math.floor(this.#size);
  }

  sent(inFlight: number): void {
    if (inFlight >= this.size) this.#full = true;
  }

  answered(now: number, sentAt: number, inFlight: number): void {
    if (inFlight > this.#most) this.#most = inFlight;
    if (now < this.#measureFrom) return;
    const took = now - sentAt;
    this.#count++;
    this.#sum += took;
    this.#squares += took * took;
    this.#inFlightSum += inFlight;
    if (this.#count < Math.max(MIN_SAMPLES, this.#size)) return;
    const latency = this.#sum / this.#count;
    const span = now - this.#measureFrom;
    if (span < Math.max(MIN_SPAN_MS, latency)) return;
    const error = Math.sqrt(Math.max(0, this.#squares / this.#count - latency * latency) / this.#count);
    if (error > TOLERANCE * latency && this.#count < MAX_WINDOWS * this.#size) return;
    this.#close(now, latency, error);
  }

  /** Starts a new measurement once the requests that are sent now will have been answered. */
  restart(now: number): void {
    this.#measureFrom = now + this.latency;
    this.#full = false;
    this.#count = this.#sum = this.#squares = this.#inFlightSum = 0;
  }

  /** Goodput of the current epoch if it is known already, otherwise of the last one. */
  goodputNow(now: number): number {
    const isKnown = this.#count >= MIN_SAMPLES / 2 && now - this.#measureFrom >= this.latency;
    return isKnown ? this.#measure(now) : this.goodput;
  }

  /**
   * Whether this many in flight are more than the service accepted recently; then a refusal concerns their number.
   */
  isUnusual(inFlight: number): boolean {
    const mean = this.#count >= MIN_SAMPLES / 2 ? this.#inFlightSum / this.#count : this.#usual;
    return inFlight > Math.min(Math.max(this.#most, this.#mostBefore), 1.15 * mean + 1);
  }

  /**
   * Answers per second. Answers in bursts count one burst too many; size / latency is an upper bound that does not.
   */
  #measure(now: number): number {
    const bound = (this.size * this.#count) / this.#sum;
    return 1000 * Math.min(bound, this.#count / Math.max(1, now - this.#measureFrom));
  }

  #close(now: number, latency: number, error: number): void {
    this.goodput = this.#measure(now);
    this.latency = latency;
    this.#usual = this.#inFlightSum / this.#count;
    this.#mostBefore = this.#most;
    this.#most = 0;
    const base = this.#settleBase(latency, error);
    // A window that was not filled, for lack of work or because of the pacer, is no evidence about a larger one.
    if (this.#full && this.#ramping) this.#ramp(latency - error, base);
    else if (this.#full) this.#steady(latency, error, base);
    this.restart(now);
  }

  /**
   * Follows latency in both directions within its error, and otherwise only downwards: a higher one may be a queue
   * caused by this run.
   */
  #settleBase(latency: number, error: number): number {
    this.#base ??= latency;
    const above = latency - this.#base;
    if (above < -2 * error) this.#base += above / 2;
    else if (above <= 2 * error) this.#base += above / 8;
    return this.#base;
  }

  #ramp(latency: number, base: number): void {
    if (latency <= SOME_QUEUE * base) {
      this.#double();
      return;
    }
    // One bad epoch may be a pause on either side: measure again before the ramp ends.
    this.#suspect = !this.#suspect;
    if (this.#suspect) return;
    this.#ramping = false;
    const enough = (SOME_QUEUE * this.goodput * base) / 1000;
    this.#size = Math.max(this.#floor, this.#size / 2, Math.min(this.#size, enough));
  }

  #double(): void {
    this.#ramping = true;
    this.#suspect = false;
    this.#grow(2);
  }

  #steady(latency: number, error: number, base: number): void {
    if (latency <= NO_QUEUE * base) this.#double();
    else if (latency <= SOME_QUEUE * base) this.#grow(GROWTH);
    else {
      this.#stuck++;
      if (latency - 2 * error > LONG_QUEUE * base || this.#stuck > Math.min(PATIENCE, this.#size))
        this.#shrink(latency);
    }
  }

  #grow(factor: number): void {
    this.#stuck = 0;
    this.#shrunkFrom = undefined;
    this.#size = Math.min(this.#cap, this.#size * factor);
  }

  /**
   * Shrinks, and checks whether that helps: a service that became slower by itself has no queue, but a new base
   * latency.
   */
  #shrink(latency: number): void {
    const from = this.#shrunkFrom;
    // While latency still rises by itself, the effect of the window cannot be determined.
    if (from === undefined || latency > STILL_RISING * from.latency)
      this.#shrunkFrom = {size: this.#size, latency};
    else if (this.#size <= SHRUNK * from.size) {
      this.#shrunkFrom = undefined;
      this.#stuck = 0;
      if (latency > IN_VAIN * from.latency) this.#base = latency;
    }
    if (this.#size <= this.#floor) this.#base = latency;
    this.#size = Math.max(this.#floor, this.#size * SHRINK);
  }
}
