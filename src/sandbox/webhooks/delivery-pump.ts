import type {Clock} from '../../clock.ts';
import type {Context} from '../context.ts';
import type {Faults, StruckDelivery} from '../faults.ts';
import {randomFraction, type RandomBytes} from '../random.ts';
import {signWebhook} from '../../webhooks/signature.ts';
import {WEBHOOK_HEADERS} from '../../contract/events.ts';
import type {DeliveryEntry} from './delivery-log.ts';
import * as deliveries from './deliveries.ts';
import type {Attempt, Claimed, Verdict} from './deliveries.ts';
import type {PostWebhook, Posted} from './post.ts';
import {readRetryAfter, retryDelay} from './schedule.ts';

/** Longer than an attempt can take, twice: a claim that is older belongs to a process that is gone. */
const CLAIM_MS = 30_000;
/** How often a process that shares its store looks for what others left. */
const POLL_MS = 2000;
/** setTimeout takes no more than 2^31 - 1 ms. */
const NAP_MAX_MS = 2 ** 31 - 1;
/** What a stopping sandbox waits for attempts under way. */
const GRACE_MS = 1000;
const FORGED_SECRET = 'not the secret of this endpoint';

export interface DeliveryPumpOptions {
  context: Context;
  /** Wall clock: the timestamp header, claims, durations. */
  machine: Clock;
  faults: Faults;
  random: RandomBytes;
  post: PostWebhook;
  background: boolean;
  onDelivery: ((entry: DeliveryEntry) => void) | undefined;
  onBug: (error: unknown) => void;
}

/**
 * Sends deliveries when they are due: one after the other for each endpoint, all endpoints at once, so that a slow one
 * delays nobody else. In the background it wakes by itself; otherwise somebody calls `catchUp`.
 */
export class DeliveryPump {
  readonly #options: DeliveryPumpOptions;
  readonly #queues = new Map<string, Promise<void>>();
  /** Aborts requests under way. */
  readonly #stop = new AbortController();
  #stopping = false;
  #nextDueMs = Infinity;
  #alarm: NodeJS.Timeout | undefined;
  #poll: NodeJS.Timeout | undefined;
  /** How far the queues go; `advance` lets attempts happen at the time for which they were due. */
  #untilMs = 0;
  #replaying = false;

  constructor(options: DeliveryPumpOptions) {
    this.#options = options;
  }

  get #context(): Context {
    return this.#options.context;
  }

  /** Takes up what an earlier run left: nothing else sends from an embedded store. */
  async start(): Promise<void> {
    const {store} = this.#context;
    const shared = store.dialect === 'postgres';
    const before = shared ? this.#options.machine.now() : Infinity;
    await store.write((queries) => deliveries.releaseClaims(queries, before));
    await this.look();
    if (!shared || !this.#options.background) return;
    this.#poll = setInterval(() => void this.#pollOnce(), POLL_MS);
    this.#poll.unref();
  }

  async #pollOnce(): Promise<void> {
    try {
      const {machine} = this.#options;
      await this.#context.store.write((queries) => deliveries.releaseClaims(queries, machine.now()));
      await this.look();
    } catch (error) {
      if (!this.#stopping) this.#options.onBug(error);
    }
  }

  /** A delivery was written down. It may not be committed yet: its transaction was queued before ours will be. */
  notice(dueMs: number): void {
    if (dueMs >= this.#nextDueMs) return;
    this.#nextDueMs = dueMs;
    this.#setAlarm();
  }

  /** When the next delivery falls due, in sandbox time; undefined when none waits. */
  async nextDue(): Promise<number | undefined> {
    return (await this.#context.store.read(deliveries.dueTimes))[0]?.dueMs;
  }

  async look(): Promise<void> {
    const due = await this.#context.store.read(deliveries.dueTimes);
    // A queue that is at work looks for itself.
    this.#nextDueMs = due.find(({endpointId}) => !this.#queues.has(endpointId))?.dueMs ?? Infinity;
    this.#setAlarm();
  }

  /** Sends what is due by now, unless the background does so anyway. */
  async catchUp(): Promise<void> {
    if (!this.#options.background && this.#nextDueMs <= this.#context.clock.now()) await this.run();
  }

  /** Sends everything due until now, retries as well, each at its own sandbox time. */
  async run(): Promise<void> {
    this.#replaying = true;
    try {
      await this.#startQueues();
      while (this.#queues.size > 0) {
        await Promise.all(this.#queues.values());
        await this.#startQueues();
      }
    } finally {
      this.#replaying = false;
    }
    if (!this.#stopping) await this.look();
  }

  /** `run`, but waits no longer than `mostMs` of the machine's time, where the rest can go on in the background. */
  async runFor(mostMs: number): Promise<void> {
    const work = this.run();
    if (!this.#options.background) return work;
    let late: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => (late = setTimeout(resolve, mostMs)));
    work.catch(this.#options.onBug);
    await Promise.race([work.catch(() => undefined), patience]);
    clearTimeout(late);
  }

  async #startQueues(): Promise<void> {
    if (this.#stopping) return;
    this.#untilMs = this.#context.clock.now();
    for (const {endpointId, dueMs} of await this.#context.store.read(deliveries.dueTimes))
      if (dueMs <= this.#untilMs && !this.#queues.has(endpointId)) this.#startQueue(endpointId);
  }

  #startQueue(endpointId: string): void {
    const work = this.#workOff(endpointId)
      .catch((error: unknown) => {
        if (!this.#stopping) this.#options.onBug(error);
      })
      .finally(() => this.#queues.delete(endpointId));
    this.#queues.set(endpointId, work);
    if (this.#options.background && !this.#replaying)
      void work.then(() => (this.#stopping ? undefined : this.look())).catch(this.#options.onBug);
  }

  async #workOff(endpointId: string): Promise<void> {
    const {store, clock} = this.#context;
    while (!this.#stopping) {
      const untilMs = this.#replaying ? this.#untilMs : clock.now();
      const claimUntilMs = this.#options.machine.now() + CLAIM_MS;
      const claimed = await store.write((queries) =>
        deliveries.claimNext(queries, store.dialect, {endpointId, untilMs, claimUntilMs}),
      );
      if (!claimed) return;
      await this.#deliver(claimed);
    }
  }

  async #deliver(claimed: Claimed): Promise<void> {
    const atMs = this.#replaying ? claimed.dueMs : this.#context.clock.now();
    const struck =
      claimed.fault === null
        ? this.#options.faults.judgeDelivery({
            mode: claimed.mode,
            event: claimed.eventType,
            endpoint: claimed.endpointId,
          })
        : undefined;
    if (struck?.effect.kind === 'delay' || struck?.effect.kind === 'reorder') {
      await this.#postpone(claimed, struck, atMs);
      return;
    }
    const attempts = await this.#attempts(claimed, {atMs, byHand: false, struck});
    if (attempts === 'stopped') {
      await this.#context.store.write((queries) => deliveries.giveBack(queries, claimed.id));
      return;
    }
    const verdict = this.#judge(claimed, attempts[0]!, struck);
    await this.#context.store.write(async (queries) => {
      await deliveries.recordAttempts(queries, claimed.id, attempts, verdict);
      await deliveries.releaseHeld(queries, claimed.endpointId, atMs);
    });
    for (const attempt of attempts) this.#say(claimed, attempt, verdict);
  }

  async #postpone(claimed: Claimed, {effect, delayMs}: StruckDelivery, atMs: number): Promise<void> {
    const held = effect.kind === 'reorder';
    const nextMs = atMs + (effect.kind === 'reorder' ? effect.ms : delayMs);
    const fault = effect.kind;
    await this.#context.store.write((queries) =>
      deliveries.postpone(queries, {id: claimed.id, nextMs, held, fault}),
    );
  }

  /**
   * Sends a delivery now, whatever its state, without touching its schedule.
   * @throws nothing of its own: what went wrong stands in the attempt
   */
  async sendByHand(claimed: Claimed): Promise<void> {
    const atMs = this.#context.clock.now();
    const attempts = await this.#attempts(claimed, {atMs, byHand: true, struck: undefined});
    if (attempts === 'stopped') return;
    const arrived = isSuccess(attempts[0]!);
    const verdict: Verdict | undefined = arrived
      ? {state: 'delivered', nextMs: null, tries: claimed.tries}
      : undefined;
    await this.#context.store.write((queries) =>
      deliveries.recordAttempts(queries, claimed.id, attempts, verdict),
    );
    for (const attempt of attempts) this.#say(claimed, attempt, verdict);
  }

  /** One attempt; two of a duplicate; one that never left of a dropped delivery. */
  async #attempts(
    claimed: Claimed,
    how: {atMs: number; byHand: boolean; struck: StruckDelivery | undefined},
  ): Promise<Attempt[] | 'stopped'> {
    const {atMs, byHand, struck} = how;
    const fault = struck?.effect.kind ?? claimed.fault;
    const made: Attempt[] = [];
    for (let left = fault === 'duplicate' ? 2 : 1; left > 0; left -= 1) {
      const sentMs = this.#options.machine.now();
      const {headers, signedAt} = headersOf(claimed, sentMs, struck);
      const posted: Posted =
        fault === 'drop'
          ? {elapsedMs: 0, status: null, response: ''}
          : await this.#options.post({url: claimed.url, headers, body: claimed.body}, this.#stop.signal);
      if (posted.error?.code === 'aborted') return 'stopped';
      made.push({
        byHand,
        sentMs,
        atMs: atMs + Math.round(posted.elapsedMs),
        elapsedMs: posted.elapsedMs,
        signedAt,
        status: posted.status,
        errorCode: posted.error?.code ?? null,
        error: posted.error?.message ?? null,
        response: posted.response,
        fault,
        retryAfterMs: readRetryAfter(posted.retryAfter, sentMs),
      });
    }
    return made;
  }

  #judge(claimed: Claimed, attempt: Attempt, struck: StruckDelivery | undefined): Verdict {
    const tries = claimed.tries + 1;
    if (struck?.effect.kind === 'drop') return {state: 'dropped', nextMs: null, tries};
    if (isSuccess(attempt)) return {state: 'delivered', nextMs: null, tries};
    const {status, errorCode, retryAfterMs, atMs} = attempt;
    const delay = retryDelay(
      tries,
      {status, timedOut: errorCode === 'timeout', retryAfterMs},
      randomFraction(this.#options.random),
    );
    return delay === undefined
      ? {state: 'failed', nextMs: null, tries}
      : {state: 'pending', nextMs: atMs + delay, tries};
  }

  #say(claimed: Claimed, attempt: Attempt, verdict: Verdict | undefined): void {
    this.#options.onDelivery?.({
      type: 'delivery',
      at: new Date(attempt.sentMs).toISOString(),
      delivery_id: claimed.id,
      endpoint_id: claimed.endpointId,
      event_id: claimed.eventId,
      event_type: claimed.eventType,
      url: claimed.url,
      mode: claimed.mode,
      status: attempt.status,
      elapsed_ms: Math.round(attempt.elapsedMs * 10) / 10,
      attempt: claimed.tries + (attempt.byHand ? 0 : 1),
      state: verdict?.state ?? null,
      next_attempt_at:
        verdict?.nextMs === undefined || verdict.nextMs === null
          ? null
          : new Date(verdict.nextMs).toISOString(),
      ...(attempt.error === null ? {} : {error: attempt.error}),
      ...(attempt.fault === null ? {} : {fault: attempt.fault}),
      ...(attempt.byHand ? {by_hand: true} : {}),
    });
  }

  #setAlarm(): void {
    clearTimeout(this.#alarm);
    if (!this.#options.background || this.#stopping || this.#nextDueMs === Infinity) return;
    const waitMs = this.#context.clock.waitMs(this.#nextDueMs);
    if (waitMs === Infinity) return;
    this.#alarm = setTimeout(() => this.#wake(), Math.min(waitMs, NAP_MAX_MS));
  }

  #wake(): void {
    this.#nextDueMs = Infinity; // what comes from now on sets a new alarm
    this.#startQueues()
      .then(() => this.look())
      .catch((error: unknown) => {
        if (!this.#stopping) this.#options.onBug(error);
      });
  }

  /** Waits shortly for attempts under way, then hangs up; nothing is sent afterwards. */
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

const isSuccess = ({status}: Attempt): boolean => status !== null && status >= 200 && status < 300;

/** Interface document, "Signature". The time is the wall clock's, or every correct receiver would refuse it. */
function headersOf(
  claimed: Claimed,
  nowMs: number,
  struck: StruckDelivery | undefined,
): {headers: Record<string, string>; signedAt: string} {
  const ageMs = struck?.effect.kind === 'stale_timestamp' ? struck.effect.age_ms : 0;
  const secret = struck?.effect.kind === 'bad_signature' ? FORGED_SECRET : claimed.secret;
  const signedAt = String(Math.floor((nowMs - ageMs) / 1000));
  return {
    signedAt,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'remit-sandbox',
      [WEBHOOK_HEADERS.timestamp]: signedAt,
      [WEBHOOK_HEADERS.signature]: signWebhook(secret, signedAt, claimed.body),
    },
  };
}
