import type {Context} from './context.ts';
import {RemitError} from '../../errors.ts';
import type {WriteOptions} from '../../store/port.ts';
import {followClock} from './shared-clock.ts';
import {fireDue, nextDue, parkTimer, type FireTimer, type Timer} from './timers.ts';
import {isInstant} from '../time/timing.ts';

/** Timers in one transaction. Small, so that requests get their turn in between. */
const BATCH = 50;
/** setTimeout takes no more than 2^31 - 1 ms. */
const NAP_MAX_MS = 2 ** 31 - 1;
/** Where several processes set timers, each looks this often for those of one that is gone. */
const SHARED_NAP_MS = 1000;
/** After trouble with the store: it may be back. */
const RETRY_MS = 1000;

/**
 * Fires timers when they are due. In the background it wakes by itself. `catchUp`, called before each request, fires what is
 * due first wherever the answer could otherwise depend on how soon the background gets to it.
 */
export class TimerPump {
  readonly #context: Context;
  readonly #fire: FireTimer;
  readonly #background: boolean;
  readonly #onBug: (error: unknown) => void;
  #nextDueMs = Infinity;
  /** The earliest timer noticed since `look` began to read, which its read may have missed. */
  #noticedMs = Infinity;
  #catchingUp: Promise<unknown> | undefined;
  #alarm: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #running: Promise<number> = Promise.resolve(0);
  #stopped = false;
  readonly #shared: boolean;

  constructor(options: {
    context: Context;
    fire: FireTimer;
    background: boolean;
    onBug: (error: unknown) => void;
  }) {
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
   * Whether requests wait for what is due. Behind a frozen clock, or a bank that takes no time, a script expects the same
   * answer however fast it asks. Behind a running clock a step that is a moment late is only a moment late, and requests
   * under load would pay for waiting.
   */
  get #isExact(): boolean {
    return (
      !this.#background || this.#context.clock.state.mode === 'frozen' || isInstant(this.#context.timing)
    );
  }

  /** Whether `catchUp` has nothing to do: asked before each request, so it must cost next to nothing. */
  get isCaughtUp(): boolean {
    return !this.#shared && (this.#nextDueMs > this.#context.clock.now() || !this.#isExact);
  }

  /** Before a request: takes over the store's clock, and fires what is due. */
  async catchUp(): Promise<void> {
    const moved = await followClock(this.#context);
    if (moved || (this.#shared && this.#isExact)) await this.look(); // another process may have set timers too
    const untilMs = this.#context.clock.now();
    while (this.#isExact && this.#nextDueMs <= untilMs && !this.#stopped) await this.#catchUpOnce(untilMs);
  }

  /** Requests that come together wait for one run. */
  async #catchUpOnce(untilMs: number): Promise<void> {
    this.#catchingUp ??= this.run(untilMs).finally(() => (this.#catchingUp = undefined));
    await this.#catchingUp;
  }

  /**
   * Fires everything due until `untilMs`, also what is set meanwhile; returns how many. One run at a time.
   * `alone`: in the order of time even where other processes fire as well. A timer that throws is parked and told of;
   * trouble with the store is thrown, and what was due stays so.
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

  /** As many as a batch, each in a transaction of its own, so that one that throws undoes no other. */
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
  }

  #wake(): void {
    followClock(this.#context)
      .then(() => this.run(this.#context.clock.now()))
      .catch((error: unknown) => {
        if (this.#stopped) return;
        this.#onBug(error);
        this.#nextDueMs = Infinity; // or no timer that is set from now on would set an alarm
        clearTimeout(this.#retry);
        this.#retry = setTimeout(() => this.#wake(), RETRY_MS);
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
