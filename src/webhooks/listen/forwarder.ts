import {setMaxListeners} from 'node:events';
import type {Clock} from '../../clock.ts';
import {hasArrived, type ForwardResult, type HeaderPairs} from '../delivery/delivery.ts';
import type {TypePattern} from '../delivery/patterns.ts';
import type {PostedAnswer} from '../delivery/post.ts';
import {WaitingJobs, type ForwardedDelivery, type Job} from './waiting-jobs.ts';

/** A target, and the event types that it receives. */
export interface ForwardRoute {
  target: string;
  matches: TypePattern;
}

export interface ForwarderOptions {
  routes: readonly ForwardRoute[];
  clock: Clock;
  post: (
    target: string,
    headers: HeaderPairs,
    body: Uint8Array,
    signal: AbortSignal,
  ) => Promise<PostedAnswer>;
  /** New signature headers for a body, with --resign. */
  resign?: ((delivery: ForwardedDelivery) => HeaderPairs) | undefined;
  /** Concurrent requests to one target. */
  concurrency: number;
  /** Maximum number of waiting deliveries, over all targets. */
  maxBacklog: number;
  /** Deliveries leave in order of arrival; a failing one blocks the others until it is accepted or given up. */
  ordered: boolean;
  attempts: number;
  /** A number in [0, 1). */
  random: () => number;
  onResult: (result: ForwardResult, response: Buffer, delivery: ForwardedDelivery) => void;
  onBusy: (target: string, active: number) => void;
}

interface Lane {
  target: string;
  waiting: WaitingJobs;
  active: number;
  warned: boolean;
}

const NO_TARGETS: readonly string[] = [];
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 30_000;
/** The time limit of --respond downstream: the service waits 10 s. */
const DOWNSTREAM_MS = 8000;

/** Forwards deliveries in the background: byte for byte, with retries, and within the backlog limit. */
export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #lanes = new Map<string, Lane>();
  /** The target of the only route, in the usual case. */
  readonly #only: readonly string[];
  readonly #stopped = new AbortController();
  #draining = false;
  /** Deliveries that wait for this target. */
  #toOne = 0;
  /** Deliveries to several targets, and how many targets each still waits for. */
  readonly #left = new Map<string, number>();
  /** Forwards that are waiting or in progress, over all deliveries. */
  #pending = 0;
  #idle: (() => void) | undefined;
  #retrying = 0;

  constructor(options: ForwarderOptions) {
    this.#options = options;
    this.#only = options.routes.map(({target}) => target);
    setMaxListeners(0, this.#stopped.signal); // one for each request in progress
    for (const {target} of options.routes)
      this.#lanes.set(target, {target, waiting: new WaitingJobs(), active: 0, warned: false});
  }

  /** Deliveries that wait for one or more targets. */
  get waiting(): number {
    return this.#toOne + this.#left.size;
  }

  targetsFor(eventType: string | null): readonly string[] {
    const {routes} = this.#options;
    const [first, second] = routes;
    if (first !== undefined && second === undefined)
      return first.matches(eventType) ? this.#only : NO_TARGETS;
    return [...new Set(routes.filter(({matches}) => matches(eventType)).map(({target}) => target))];
  }

  /** A delivery counts once, whatever the number of its targets; one without targets does not count. */
  hasRoom({targets}: Pick<ForwardedDelivery, 'targets'>): boolean {
    return targets.length === 0 || this.waiting < this.#options.maxBacklog;
  }

  /** Counts a delivery before it is recorded, so that many at once cannot exceed the backlog. */
  reserve({id, targets}: ForwardedDelivery): void {
    if (targets.length === 0) return;
    if (targets.length === 1) this.#toOne += 1;
    else this.#left.set(id, targets.length);
    this.#pending += targets.length;
  }

  release(delivery: ForwardedDelivery): void {
    for (let left = delivery.targets.length; left > 0; left -= 1) this.#finished(delivery);
  }

  /** Starts to forward a delivery that was reserved. */
  start(delivery: ForwardedDelivery): void {
    for (const target of delivery.targets) {
      const lane = this.#lanes.get(target);
      if (lane === undefined) this.#finished(delivery);
      else this.#add(lane, {delivery, attempt: 1});
    }
  }

  /** Forwards once, and returns the status for the service: the worst of the targets' answers. */
  async now(delivery: ForwardedDelivery): Promise<number> {
    const within = AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(DOWNSTREAM_MS)]);
    const statuses = await Promise.all(
      delivery.targets.map(async (target) => {
        const result = await this.#attempt(target, {delivery, attempt: 1}, within, 'returned');
        this.#finished(delivery);
        return result.status ?? (within.aborted ? 504 : 502);
      }),
    );
    return statuses.find((status) => status < 200 || status >= 300) ?? statuses[0] ?? 200;
  }

  /** Waits for what can be sent now. Returns how many deliveries still wait; they are in the record. */
  async drain(): Promise<number> {
    this.#draining = true;
    if (this.#pending > this.#retrying && !this.#stopped.signal.aborted)
      await new Promise<void>((resolve) => (this.#idle = resolve));
    this.stop();
    return this.waiting;
  }

  /** Aborts requests in progress. */
  stop(): void {
    this.#draining = true;
    this.#stopped.abort(new Error('stopped'));
    this.#idle?.();
  }

  get #mostActive(): number {
    return this.#options.ordered ? 1 : this.#options.concurrency;
  }

  #add(lane: Lane, job: Job): void {
    if (lane.waiting.length === 0 && this.#isFree(lane)) return this.#begin(lane, job);
    lane.waiting.push(job);
    if (lane.warned || lane.active < this.#mostActive) return;
    lane.warned = true;
    this.#options.onBusy(lane.target, lane.active);
  }

  #isFree({active}: Lane): boolean {
    return active < this.#mostActive && !this.#stopped.signal.aborted;
  }

  #begin(lane: Lane, job: Job): void {
    lane.active += 1;
    void this.#work(lane, job).finally(() => {
      lane.active -= 1;
      while (this.#isFree(lane)) {
        const next = lane.waiting.shift();
        if (next === undefined) break;
        this.#begin(lane, next);
      }
      if (lane.waiting.length === 0) lane.warned = false;
    });
  }

  async #work(lane: Lane, job: Job): Promise<void> {
    const last = job.attempt >= this.#options.attempts;
    const result = await this.#attempt(lane.target, job, this.#stopped.signal, last ? 'dead' : 'retried');
    if (this.#stopped.signal.aborted && result.error === 'stopped') return; // it stays recorded as waiting
    if (hasArrived(result) || last) return this.#finished(job.delivery);
    const again = {...job, attempt: job.attempt + 1};
    const retry = async () => {
      this.#retrying += 1;
      this.#checkIdle();
      const waited = await this.#options.clock.sleep(this.#delay(job.attempt), this.#stopped.signal).then(
        () => true,
        () => false,
      );
      this.#retrying -= 1;
      return waited && !this.#draining;
    };
    if (this.#options.ordered) {
      if (await retry()) await this.#work(lane, again);
      return;
    }
    void retry().then((go) => {
      if (go) this.#add(lane, again);
    });
  }

  async #attempt(
    target: string,
    {delivery, attempt}: Job,
    signal: AbortSignal,
    failed: 'retried' | 'dead' | 'returned',
  ): Promise<ForwardResult> {
    const {post, resign, clock, onResult} = this.#options;
    const headers = resign === undefined ? delivery.headers : resign(delivery);
    const atMs = clock.now();
    const answer = await post(target, headers, delivery.body, signal);
    const {status, latencyMs, error} = answer;
    const result: ForwardResult = {
      ...{delivery: delivery.id, target, attempt, atMs, status, latencyMs, error},
      ...{resigned: resign !== undefined, cause: 'forward'},
      gaveUp: failed !== 'retried' && !hasArrived({status}),
      ...(failed === 'returned' && !hasArrived({status}) ? {returned: true} : {}),
    };
    if (!(this.#stopped.signal.aborted && error === 'stopped')) onResult(result, answer.body, delivery);
    return result;
  }

  /** Doubles from one second, plus or minus a fifth. */
  #delay(attempt: number): number {
    const planned = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** (attempt - 1));
    return Math.round(planned * (0.8 + 0.4 * this.#options.random()));
  }

  /** One target of a delivery is finished. */
  #finished({id, targets}: ForwardedDelivery): void {
    const left = (this.#left.get(id) ?? 1) - 1;
    if (targets.length === 1) this.#toOne -= 1;
    else if (left > 0) this.#left.set(id, left);
    else this.#left.delete(id);
    this.#pending -= 1;
    this.#checkIdle();
  }

  #checkIdle(): void {
    if (this.#pending <= this.#retrying) this.#idle?.();
  }
}
