import type {Sending, Speed, SpeedLimits} from './speed.ts';
import {RetryBudget} from './budget.ts';
import {Curve} from './curve.ts';
import {Pacer} from './pacer.ts';
import {Window} from './window.ts';

const STEP_MS = 250;
/** Answers that arrived in the same instant are removed from the count before their places are taken again. */
const FULL = 0.95;

/**
 * Finds the speed of a service that does not publish its limits. It has three bounds, each moved by its own evidence:
 * a window, by latency and goodput; and a ceiling on requests in flight and a pacer, both by refusals. How many
 * requests were in flight when the refused one was sent decides which of those two a refusal moves. It is pure: no
 * timer, no randomness, and a few arithmetic steps per event, however many requests are in flight.
 */
export class AdaptiveSpeed implements Speed {
  readonly #cap: number;
  readonly #pacer: Pacer;
  readonly #budget = new RetryBudget();
  /** Exists from the first success on. */
  #window: Window | undefined;
  #ceiling: Curve | undefined;
  #inFlight = 0;
  /** How many requests this machine can have in flight, found when no socket could be opened. */
  #most = Infinity;
  #answeredAt = 0;
  /** Answers since the gate was last opened, to estimate goodput before the first epoch is over. */
  #answers = 0;
  #openSince: number | undefined;
  /** Refusals of requests sent before this time are outdated. */
  #heardUntil = -Infinity;

  constructor(limits: SpeedLimits) {
    this.#cap = limits.maxInFlight;
    this.#pacer = new Pacer(limits.maxRps ?? Infinity);
  }

  /** Requests per second that the pacer allows now; Infinity while it is off. */
  get rps(): number {
    return this.#pacer.rps;
  }

  limit(): number {
    return Math.min(this.#most, this.#bound());
  }

  /** The window and the ceiling, without regard to the sockets of this machine. */
  #bound(): number {
    if (this.#window === undefined) return 1;
    const {size} = this.#window;
    return this.#ceiling === undefined ? size : Math.min(size, Math.floor(this.#ceiling.value));
  }

  earliest(now: number): number {
    return this.#pacer.earliest(now);
  }

  sent(now: number, inFlight: number): void {
    this.#inFlight = inFlight;
    this.#openSince ??= now;
    this.#pacer.sent(now);
    this.#budget.sent(now);
    this.#window?.sent(inFlight);
  }

  succeeded(now: number, sending: Sending): void {
    this.#window ??= new Window(this.#cap, now);
    this.answered(now, sending);
  }

  answered(now: number, {at, inFlight}: Sending): void {
    this.#answers++;
    // The ceiling rises only while it is the limiting bound.
    if (this.#ceiling !== undefined && this.#inFlight >= this.#bound())
      this.#ceiling.advance(Math.min(STEP_MS, now - this.#answeredAt) / 1000 / this.#pacer.stretch);
    this.#answeredAt = now;
    this.#pacer.accepted(now, this.#window?.goodput || Infinity);
    this.#window?.answered(now, at, inFlight);
  }

  refused(now: number, {at, inFlight}: Sending, retryAfterMs = 0): void {
    if (at < this.#heardUntil) return;
    const window = this.#window;
    const limit = this.#bound();
    const full = inFlight >= Math.round(FULL * limit);
    const unusual = window?.isUnusual(inFlight) ?? false;
    const costly = retryAfterMs > 0;
    if (window !== undefined && (full || unusual)) this.#lowerCeiling(Math.min(limit, inFlight) - 1);
    // A refusal at an unusual number in flight is attributed to that number alone: a service that limits requests in
    // flight must not be paced for it. A refusal that costs seconds gets no such credit.
    if (!this.#pacer.isOn)
      this.#pacer.start(now, window?.goodputNow(now) || this.#goodputSinceOpen(now) || 1, costly);
    else if (costly || !unusual) this.#pacer.cut(now);
    this.#pacer.stretch = 1 + retryAfterMs / 1000;
    this.#forget(now, retryAfterMs);
  }

  failed(now: number): void {
    this.#budget.failed(now);
  }

  tooMany(inFlight: number): void {
    this.#most = Math.max(1, Math.min(this.#most, inFlight - 1));
  }

  admitsNewRows(now: number): boolean {
    return this.#budget.admits(now);
  }

  #lowerCeiling(to: number): void {
    this.#ceiling = new Curve({top: Math.max(1, to), guess: this.#ceiling === undefined});
  }

  #goodputSinceOpen(now: number): number | undefined {
    if (this.#answers === 0 || this.#openSince === undefined) return undefined;
    return (this.#answers / Math.max(1, now - this.#openSince)) * 1000;
  }

  /**
   * Requests sent before this time, or before the effect of the change shows, are no evidence about the new bounds.
   */
  #forget(now: number, retryAfterMs: number): void {
    this.#answers = 0;
    this.#openSince = undefined;
    this.#answeredAt = now;
    this.#heardUntil = now + Math.max(retryAfterMs, this.#window?.latency ?? 0);
    this.#window?.restart(now + retryAfterMs);
  }
}
