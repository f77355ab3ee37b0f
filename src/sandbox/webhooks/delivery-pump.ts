import {setMaxListeners} from 'node:events';
import type {SandboxContext} from '../world/context.ts';
import * as deliveries from './deliveries.ts';
import type {Claimed} from './deliveries.ts';
import {DeliverySender, type SenderOptions} from './delivery-sender.ts';
import type {OnBug} from '../base/on-bug.ts';

/** Twice the maximum duration of an attempt: an older claim belongs to a process that is gone. */
const CLAIM_MS = 30_000;
/** How often a process that shares its store checks for deliveries left by others. */
const POLL_MS = 2000;
/** setTimeout takes no more than 2^31 - 1 ms. */
const NAP_MAX_MS = 2 ** 31 - 1;
/** How long a stopping sandbox waits for attempts in progress. */
const GRACE_MS = 1000;

export interface DeliveryPumpOptions extends Omit<SenderOptions, 'signal'> {
  background: boolean;
  onBug: OnBug;
}

/**
 * Sends deliveries when they are due: one after the other for each endpoint, all endpoints in parallel, so that a
 * slow one does not delay the others. In the background it wakes by itself; otherwise `catchUp` runs it.
 */
export class DeliveryPump {
  readonly #options: DeliveryPumpOptions;
  readonly #sender: DeliverySender;
  readonly #queues = new Map<string, Promise<void>>();
  /** Aborts requests in progress. */
  readonly #stop = new AbortController();
  #stopping = false;
  #nextDueMs = Infinity;
  /** The earliest delivery noticed since `look` began to read, which that read may have missed. */
  #noticedMs = Infinity;
  #alarm: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;
  /** When claims held at the time of an error have expired; machine's time. */
  #lapseMs: number | undefined;
  #isRecovering = false;
  /** Runs in progress, during which attempts happen at the time for which they were due. */
  #runs = 0;
  /** Number of clock moves in progress, during which no delivery is claimed. */
  #holds = 0;

  constructor(options: DeliveryPumpOptions) {
    this.#options = options;
    this.#sender = new DeliverySender({...options, signal: this.#stop.signal});
    setMaxListeners(0, this.#stop.signal); // one for each request in progress: as many as there are endpoints
  }

  get #context(): SandboxContext {
    return this.#options.context;
  }

  async start(): Promise<void> {
    await this.resume();
    if (!this.#shared || !this.#options.background) return;
    this.#poll = setInterval(() => void this.#pollOnce(), POLL_MS);
    this.#poll.unref();
  }

  /**
   * Resumes what an earlier process left unfinished. No other process sends from an embedded store; on a shared one,
   * claims of others are valid until they expire, unless the whole store was replaced by an older one.
   */
  async resume({restored = false} = {}): Promise<void> {
    const before = this.#shared && !restored ? this.#options.machine.now() : Infinity;
    await this.#context.store.write((queries) => deliveries.releaseClaims(queries, before));
    await this.look();
  }

  get #shared(): boolean {
    return this.#context.store.dialect === 'postgres';
  }

  async #pollOnce(): Promise<void> {
    try {
      await this.resume();
    } catch (error) {
      if (!this.#stopping) this.#options.onBug(error);
    }
  }

  /** A delivery was stored. It may not be committed yet: its transaction was queued before ours will be. */
  notice(dueMs: number): void {
    this.#noticedMs = Math.min(this.#noticedMs, dueMs);
    if (dueMs >= this.#nextDueMs) return;
    this.#nextDueMs = dueMs;
    this.#setAlarm();
  }

  /** When the next delivery is due, in sandbox time; undefined if none waits. */
  async nextDue(): Promise<number | undefined> {
    return (await this.#context.store.read(deliveries.dueTimes))[0]?.dueMs;
  }

  async look(): Promise<void> {
    this.#noticedMs = Infinity;
    const due = await this.#context.store.read(deliveries.dueTimes);
    // A working queue checks by itself.
    const next = due.find(({endpointId}) => !this.#queues.has(endpointId))?.dueMs;
    this.#nextDueMs = Math.min(next ?? Infinity, this.#noticedMs);
    this.#setAlarm();
  }

  /** Whether `catchUp` has nothing to do: in the background, receivers are served at their own speed. */
  get isCaughtUp(): boolean {
    return this.#options.background;
  }

  /** Sends what is due by now, unless the background does so anyway. */
  async catchUp(): Promise<void> {
    if (this.isCaughtUp) return;
    if (this.#shared) await this.look(); // another process may have stored some
    if (this.#nextDueMs <= this.#context.clock.now()) await this.run();
  }

  /**
   * Sends everything due until now, including retries, each at its own sandbox time. `waits`: also waits for claimed
   * deliveries, which are not counted as due; not for a caller whom a receiver may ask before it answers.
   */
  async run({waits = false} = {}): Promise<void> {
    const untilMs = this.#context.clock.now();
    await this.#releaseLapsed();
    this.#runs += 1;
    try {
      for (let isFirst = waits; (await this.#startQueues(untilMs)) || isFirst; isFirst = false)
        await Promise.all(this.#queues.values());
    } finally {
      this.#runs -= 1;
    }
    if (!this.#stopping) await this.look();
  }

  /**
   * Starts no attempt while `work` moves the clock and stores what happens on the way: a delivery claimed at that
   * time would be sent at the target time, and before earlier events.
   */
  async hold<T>(work: () => Promise<T>): Promise<T> {
    this.#holds += 1;
    try {
      return await work();
    } finally {
      this.#holds -= 1;
    }
  }

  /** `run`, but waits at most until `patience` ends; the rest continues in the background. */
  async runWithin(patience: Promise<void>): Promise<void> {
    const work = this.run({waits: true});
    if (!this.#options.background) return work;
    work.catch(this.#options.onBug);
    await Promise.race([work.catch(() => undefined), patience]);
  }

  /** How many are due by now, or in progress, here or in another process; `ever`: or due at any time. */
  underWay(ever: boolean): Promise<number> {
    const untilMs = ever ? Number.MAX_SAFE_INTEGER : this.#context.clock.now();
    return this.#context.store.read((queries) => deliveries.countUnderWay(queries, untilMs));
  }

  /** Starts every endpoint with something due by then; false if there is none. */
  async #startQueues(untilMs: number): Promise<boolean> {
    const due = (await this.#context.store.read(deliveries.dueTimes)).filter(({dueMs}) => dueMs <= untilMs);
    if (this.#stopping || this.#holds > 0) return false;
    for (const {endpointId} of due) if (!this.#queues.has(endpointId)) this.#startQueue(endpointId, untilMs);
    return due.length > 0;
  }

  #startQueue(endpointId: string, untilMs: number): void {
    const work = this.#workOff(endpointId, untilMs)
      .catch((error: unknown) => {
        if (this.#stopping) return;
        this.#options.onBug(error);
        this.#lapseMs = this.#options.machine.now() + CLAIM_MS;
        if (this.#options.background) void this.#recover();
      })
      .finally(() => this.#queues.delete(endpointId));
    this.#queues.set(endpointId, work);
    if (this.#options.background)
      void work.then(() => (this.#stopping ? undefined : this.look())).catch(this.#options.onBug);
  }

  /**
   * The result of an attempt may not have been stored, for example on a full disk: then it is repeated, never lost.
   */
  async #releaseLapsed(): Promise<void> {
    const now = this.#options.machine.now();
    if (this.#lapseMs === undefined || now < this.#lapseMs) return;
    await this.#context.store.write((queries) => deliveries.releaseClaims(queries, now));
    this.#lapseMs = undefined;
  }

  async #recover(): Promise<void> {
    if (this.#isRecovering) return;
    this.#isRecovering = true;
    while (this.#lapseMs !== undefined && !this.#stopping) {
      try {
        await this.#options.machine.sleep(this.#lapseMs - this.#options.machine.now(), this.#stop.signal);
        await this.#releaseLapsed();
        await this.look();
      } catch (error) {
        if (this.#stopping) break;
        this.#options.onBug(error);
        this.#lapseMs = this.#options.machine.now() + CLAIM_MS;
      }
    }
    this.#isRecovering = false;
  }

  async #workOff(endpointId: string, beforeMs: number): Promise<void> {
    const {store, clock} = this.#context;
    while (!this.#stopping && this.#holds === 0) {
      const untilMs = this.#runs > 0 ? beforeMs : clock.now();
      const claimUntilMs = this.#options.machine.now() + CLAIM_MS;
      const claimed = await store.write((queries) =>
        deliveries.claimNext(queries, store.dialect, {endpointId, untilMs, claimUntilMs}),
      );
      if (!claimed) return;
      await this.#sender.deliver(claimed, this.#runs > 0 ? claimed.dueMs : clock.now());
    }
  }

  /** Sends a delivery now, whatever its state, without changing its schedule. */
  sendByHand(claimed: Claimed): Promise<void> {
    return this.#sender.sendByHand(claimed);
  }

  #setAlarm(): void {
    clearTimeout(this.#alarm);
    if (!this.#options.background || this.#stopping || this.#nextDueMs === Infinity) return;
    const waitMs = this.#context.clock.waitMs(this.#nextDueMs);
    if (waitMs === Infinity) return;
    this.#alarm = setTimeout(() => this.#wake(), Math.min(waitMs, NAP_MAX_MS));
    this.#alarm.unref(); // a server keeps the process alive, if it should be
  }

  #wake(): void {
    this.#nextDueMs = Infinity; // later deliveries set a new alarm
    this.#startQueues(this.#context.clock.now())
      .then(() => this.look())
      .catch((error: unknown) => {
        if (!this.#stopping) this.#options.onBug(error);
      });
  }

  /** Waits briefly for attempts in progress, then disconnects; nothing is sent afterwards. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#alarm);
    clearInterval(this.#poll);
    const done = Promise.all(this.#queues.values());
    let late: NodeJS.Timeout | undefined;
    const patience = new Promise((resolve) => (late = setTimeout(resolve, GRACE_MS)));
    await Promise.race([done, patience]);
    clearTimeout(late);
    this.#stop.abort();
    await done;
  }
}
