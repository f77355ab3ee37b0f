/** The window after the first success; latency never makes it smaller, for so few are no queue worth a thought. */
const FIRST_WINDOW = 4;
/** Latency over that of an idle service: up to here nothing queues, the window may double. */
const NO_QUEUE = 1.25;
/** Up to here a larger window still brings goodput: a third more at least for twice the window. */
const SOME_QUEUE = 1.5;
/** From here on requests only wait in the service: the window shrinks. */
const LONG_QUEUE = 2;
/** Growth of an epoch while some queue is there already: twice as much after each that did no harm. */
const LEAST_CREEP = 0.02;
const MOST_CREEP = 0.25;
const SHRINK = 0.95;
/** After so much of it, latency must have fallen in proportion, or at least half of that. */
const SHRUNK = 0.7;
const IN_VAIN = 0.85;
const STILL_RISING = 1.2;
/** Epochs at one size after which it is shrunk to see whether the queue is one: a base once taken too low
 * shows so. A small window has less to lose, and waits as many epochs as it is large. */
const PATIENCE = 40;
const MIN_SAMPLES = 8;
const MIN_SPAN_MS = 50;
/** A mean latency is judged when it is known to a quarter, or after so many windows. */
const TOLERANCE = 0.25;
const MAX_WINDOWS = 8;
const MAX_HOLD = 16;

/**
 * How many requests in flight pay, judged by latency and goodput; refusals are not its business. It works in epochs: one
 * round trip lets a new window take effect, the next is measured. With a full window, goodput is window / latency
 * (Little's law), so "goodput rises with the window" and "latency does not rise" are one and the same test.
 */
export class Window {
  /** Answers a second in the last epoch; 0 before the first. */
  goodput = 0;
  /** Mean of the last epoch, ms; 0 before the first. */
  latency = 0;
  readonly #cap: number;
  readonly #floor: number;
  #size: number;
  /** It doubles each epoch, until latency says stop. */
  #ramping = true;
  #suspect = false;
  /** Epochs until doubling is tried again; twice as many after each try in vain. */
  #hold = 0;
  #nextHold = 1;
  #creep = LEAST_CREEP;
  /** Latency of the service without a queue caused by this run. */
  #base: number | undefined;
  /** Epochs since it last grew. */
  #stuck = 0;
  #shrunkFrom: {size: number; latency: number} | undefined;
  // The running epoch.
  #measureFrom: number;
  #full = false;
  #count = 0;
  #sum = 0;
  #squares = 0;
  #inFlightSum = 0;
  // In flight at the sending of those that were taken: mean of the last epoch, most of this and of the last.
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

  /** Goodput of the running epoch if it is known already, else of the last. */
  goodputNow(now: number): number {
    const isKnown = this.#count >= MIN_SAMPLES / 2 && now - this.#measureFrom >= this.latency;
    return isKnown ? this.#measure(now) : this.goodput;
  }

  /** Whether so many in flight are more than the service took of late: then a refusal speaks of their number. */
  isUnusual(inFlight: number): boolean {
    const mean = this.#count >= MIN_SAMPLES / 2 ? this.#inFlightSum / this.#count : this.#usual;
    return inFlight > Math.min(Math.max(this.#most, this.#mostBefore), 1.15 * mean + 1);
  }

  /** Answers a second. Those that come in clumps count one clump too many; size / latency is a bound that does not. */
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
    // A window that was not filled, by lack of work or by the pacer, is no evidence about a larger one.
    if (this.#full && this.#ramping) this.#ramp(latency - error, base);
    else if (this.#full) this.#steady(latency, error, base);
    this.restart(now);
  }

  /** Follows latency both ways within its error, beyond that only down: a higher one may be a queue caused by this run. */
  #settleBase(latency: number, error: number): number {
    this.#base ??= latency;
    const above = latency - this.#base;
    if (above < -2 * error) this.#base += above / 2;
    else if (above <= 2 * error) this.#base += above / 8;
    return this.#base;
  }

  #ramp(latency: number, base: number): void {
    if (latency <= SOME_QUEUE * base) {
      this.#nextHold = 1;
      this.#double();
      return;
    }
    // One bad epoch may be a pause on either side: measure again before the ramp ends.
    this.#suspect = !this.#suspect;
    if (this.#suspect) return;
    this.#ramping = false;
    this.#hold = this.#nextHold;
    this.#nextHold = Math.min(MAX_HOLD, this.#nextHold * 2);
    const enough = (SOME_QUEUE * this.goodput * base) / 1000;
    this.#size = Math.max(this.#floor, this.#size / 2, Math.min(this.#size, enough));
  }

  #double(): void {
    this.#stuck = 0;
    this.#shrunkFrom = undefined;
    this.#ramping = true;
    this.#suspect = false;
    this.#size = Math.min(this.#cap, this.#size * 2);
  }

  #steady(latency: number, error: number, base: number): void {
    if (this.#hold > 0) this.#hold--;
    if (latency <= NO_QUEUE * base && this.#hold === 0) this.#double();
    else if (latency <= SOME_QUEUE * base) this.#grow();
    else {
      this.#creep = LEAST_CREEP;
      this.#stuck++;
      if (latency - 2 * error > LONG_QUEUE * base || this.#stuck > Math.min(PATIENCE, this.#size))
        this.#shrink(latency);
    }
  }

  #grow(): void {
    this.#stuck = 0;
    this.#shrunkFrom = undefined;
    this.#size = Math.min(this.#cap, this.#size * (1 + this.#creep));
    this.#creep = Math.min(MOST_CREEP, this.#creep * 2);
  }

  /** Shrinks, and looks whether that helps: a service that became slower by itself has no queue, but a new base. */
  #shrink(latency: number): void {
    const from = this.#shrunkFrom;
    // While latency still rises by itself, nothing can be said of what the window did to it.
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
