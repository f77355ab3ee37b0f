import type {SandboxContext} from './context.ts';
import {RemitError} from '../../errors.ts';
import type {WriteOptions} from '../../store/port/port.ts';
import {followClock} from './shared-clock.ts';
import {fireDue, nextDue, parkTimer, type FireTimer, type Timer} from './timers.ts';
import {isInstant} from '../time/timing.ts';
import type {OnBug} from '../base/on-bug.ts';

/** Timers per transaction. Small, so that requests get their turn in between. */
const BATCH = 50;
/** setTimeout accepts at most 2^31 - 1 ms. */
const NAP_MAX_MS = 2 ** 31 - 1;
/** If several processes set timers, each checks this often for those of a process that is gone. */
const SHARED_NAP_MS = 1000;
/** How soon the pump tries again after a failure of the store, which may have recovered. */
const RETRY_MS = 1000;

/**
 * Fires timers when they are due. In the background it wakes by itself. `catchUp`, called before each request, fires
 * due timers first if the answer could otherwise depend on how fast the background is.
 */
export class TimerPump {
  readonly #context: SandboxContext;
  readonly #fire: FireTimer;
  readonly #background: boolean;
  readonly #onBug: OnBug;
  #nextDueMs = Infinity;
  /** The earliest timer noticed since `look` began to read, which that read may have missed. */
  #noticedMs = Infinity;
  #catchingUp: Promise<unknown> | undefined;
  #alarm: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #running: Promise<number> = Promise.resolve(0);
  #stopped = false;
  readonly #shared: boolean;

  constructor(options: {context: SandboxContext; fire: FireTimer; background: boolean; onBug: OnBug}) {
    this.#context = options.context;
    this.#fire = options.fire;
    this.#background = options.background;
    this.#onBug = options.onBug;
    this.#shared = options.context.store.dialect === 'postgres';
  }

  /** A timer was set. It may not be committed yet: its transaction was queued before ours will be. */
  notice(dueMs: number): void {
    this.#noticedMs = Math.min(this.#noticedMs, dueMs);
    if (dueMs >= this.#nextDueMs) return;
    this.#nextDueMs = dueMs;
    this.#setAlarm();
  }

  /** Reads from the store when the next timer is due: at the start, and after a reset. */
  async look(): Promise<void> {
    this.#noticedMs = Infinity;
    const due = await this.#context.store.read(nextDue);
    this.#nextDueMs = Math.min(due ?? Infinity, this.#noticedMs);
    this.#setAlarm();
  }

  /**
   * Whether requests wait for due timers. With a frozen clock, or a bank that takes no time, a script expects the
   * same answer however fast it asks. With a running clock a step that is slightly late does no harm, and requests
   * under load would pay for waiting.
   */
  get #isExact(): boolean {
    return (
      !this.#background || this.#context.clock.state.mode === 'frozen' || isInstant(this.#context.timing)
    );
  }

  /** Whether `catchUp` has nothing to do: checked before each request, so it must cost almost nothing. */
  get isCaughtUp(): boolean {
    return !this.#shared && (this.#nextDueMs > this.#context.clock.now() || !this.#isExact);
  }

  /** Takes over the store's clock and fires due timers; called before each request. */
  async catchUp(): Promise<void> {
    const moved = await followClock(this.#context);
    if (moved || (this.#shared && this.#isExact)) await this.look(); // another process may have set timers too
    const untilMs = this.#context.clock.now();
    while (this.#isExact && this.#nextDueMs <= untilMs && !this.#stopped) await this.#catchUpOnce(untilMs);
  }

  /** Requests that arrive together wait for one run. */
  async #catchUpOnce(untilMs: number): Promise<void> {
    this.#catchingUp ??= this.run(untilMs).finally(() => (this.#catchingUp = undefined));
    await this.#catchingUp;
  }

  /**
   * Fires everything due until `untilMs`, including timers set on the way; returns how many. One run at a time.
   * `alone`: in chronological order even if other processes fire timers as well. A timer that throws is parked and
   * reported; a failure of the store is thrown, and due timers stay due.
   */
  run(untilMs: number, options: WriteOptions = {}): Promise<number> {
    const after = this.#running.catch(() => 0); // its caller has seen the error
    this.#running = after.then(() => this.#drain(untilMs, options));
    return this.#running;
  }

  async #drain(untilMs: number, options: WriteOptions): Promise<number> {
    let total = 0;
    for (let fired = 1; fired > 0 && !this.#stopped; total += fired) {
      const limits = {untilMs, most: BATCH};
      try {
        fired = await this.#context.store.write(
          (queries) => fireDue(queries, this.#context, limits, this.#fire),
          options,
        );
      } catch (error) {
        if (error instanceof RemitError) throw error;
        fired = await this.#fireSingly(untilMs, options); // the batch is undone: all timers but one can still run
      }
    }
    if (!this.#stopped) await this.look();
    return total;
  }

  /** Up to one batch, each in its own transaction, so that one that throws undoes no other. */
  async #fireSingly(untilMs: number, options: WriteOptions): Promise<number> {
    let total = 0;
    for (let fired = 1; fired > 0 && total < BATCH && !this.#stopped; total += fired)
      fired = await this.#fireOne(untilMs, options);
    return total;
  }

  async #fireOne(untilMs: number, options: WriteOptions): Promise<number> {
    const {store} = this.#context;
    let failing: Timer | undefined;
    const watched: FireTimer = async (queries, context, timer) => {
      failing = timer;
      await this.#fire(queries, context, timer);
      failing = undefined;
    };
    try {
      return await store.write(
        (queries) => fireDue(queries, this.#context, {untilMs, most: 1}, watched),
        options,
      );
    } catch (error) {
      const bad = failing;
      if (bad === undefined || error instanceof RemitError) throw error;
      this.#onBug(error);
      await store.write((queries) => parkTimer(queries, bad, String(error)));
      return 1;
    }
  }

  #setAlarm(): void {
    clearTimeout(this.#alarm);
    if (!this.#background || this.#stopped) return;
    const waitMs = this.#context.clock.waitMs(this.#nextDueMs);
    if (waitMs === Infinity && !this.#shared) return;
    this.#alarm = setTimeout(() => this.#wake(), Math.min(waitMs, this.#shared ? SHARED_NAP_MS : NAP_MAX_MS));
    this.#alarm.unref(); // a server keeps the process alive, if it should be
  }

  #wake(): void {
    followClock(this.#context)
      .then(() => this.run(this.#context.clock.now()))
      .catch((error: unknown) => {
        if (this.#stopped) return;
        this.#onBug(error);
        this.#nextDueMs = Infinity; // otherwise later timers would set an alarm
        clearTimeout(this.#retry);
        this.#retry = setTimeout(() => this.#wake(), RETRY_MS);
        this.#retry.unref();
      });
  }

  /** Waits for a running batch; afterwards nothing fires any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#alarm);
    clearTimeout(this.#retry);
    await this.#running.catch(() => 0);
  }
}
