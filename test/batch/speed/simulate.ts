import type {Sending, Speed} from '../../../src/batch/speed/speed.ts';
import {EventQueue} from './event-queue.ts';
import type {ServiceModel} from './models.ts';
import {Noise} from './noise.ts';
import {LEFT, REFUSED, SimulatedService} from './service.ts';

export interface SimulationOptions {
  model: ServiceModel;
  speed: Speed;
  seed: number;
  seconds: number;
  /**
   * A refused row leaves again when the controller lets it, as in the dispatcher; or it keeps its place and waits a
   * jittered, doubling time of its own, as in clients that leave it to each call.
   */
  refusedRow?: 'at-once' | 'own-backoff';
  /** Sees every send, after the controller was told. */
  onSend?: (now: number, inFlight: number) => void;
}

export interface SimulationResult {
  served: number;
  sent: number;
  refused: number;
  /** Of served requests, milliseconds. */
  p99: number;
  mostInFlight: number;
}

const WAKE = 16;
const RETURN = 17;
const PAUSE = 18;
const READ = 19;
const BACKOFF_BASE_MS = 500;
const BACKOFF_CAP_MS = 20_000;
const LONGEST_MS = 60_000;

/**
 * A client with endless work against one service, as discrete events, without promises or timers. It sends by the
 * dispatcher's rules: up to `limit()` in flight, not before `earliest()`, and a Retry-After closes the gate for all.
 */
export function simulate(options: SimulationOptions): SimulationResult {
  return new Simulation(options).run();
}

class Simulation {
  readonly #options: SimulationOptions;
  readonly #events = new EventQueue();
  readonly #noise: Noise;
  /** Of their own, so that two controllers of one seed see the same pauses. */
  readonly #pauses: Noise;
  readonly #service: SimulatedService;
  #now = 0;
  #inFlight = 0;
  #gate = 0;
  #wakeAt = Infinity;
  /** When our machine has handled what came in. */
  #freeAt = 0;
  /** Rows that keep their place while they wait, and rows to be sent again, by the tries they have had. */
  #held = 0;
  readonly #again: number[] = [];
  // Requests by number; the numbers of ended ones are used again.
  readonly #sendings: Sending[] = [];
  readonly #tries: number[] = [];
  readonly #free: number[] = [];
  readonly #latencies = new Uint32Array(LONGEST_MS + 1);
  readonly #result = {served: 0, sent: 0, refused: 0, p99: 0, mostInFlight: 0};

  constructor(options: SimulationOptions) {
    this.#options = options;
    this.#noise = new Noise(options.seed);
    this.#pauses = new Noise(options.seed + 1_000_000);
    this.#service = new SimulatedService(options.model, this.#events, this.#noise);
  }

  run(): SimulationResult {
    const end = this.#options.seconds * 1000;
    this.#events.push((this.#wakeAt = 0), WAKE, 0);
    if (this.#options.model.client !== undefined) this.#events.push(0, PAUSE, 0);
    while (this.#events.time <= end) {
      this.#now = this.#events.time;
      const {kind, value} = this.#events;
      this.#events.pop();
      if (kind === LEFT) this.#received(value);
      else if (kind === READ) this.#served(value);
      else if (kind === PAUSE) this.#pause();
      else if (kind === REFUSED) this.#refused(value);
      else if (kind === RETURN) this.#returned(value);
      else if (kind !== WAKE) this.#service.handle(this.#now, kind, value);
      else if (this.#now < this.#wakeAt)
        continue; // an earlier one was put in after it, and has come
      else this.#wakeAt = Infinity;
      this.#pump();
    }
    return {...this.#result, p99: this.#percentile(0.99)};
  }

  #pump(): void {
    const {speed} = this.#options;
    while (this.#inFlight + this.#held < speed.limit()) {
      const open = Math.max(this.#gate, speed.earliest(this.#now));
      if (open > this.#now) {
        if (open < this.#wakeAt) this.#events.push((this.#wakeAt = open), WAKE, 0);
        return;
      }
      this.#send(this.#again.pop() ?? 0);
    }
  }

  #send(tries: number): void {
    const request = this.#free.pop() ?? this.#sendings.length;
    this.#sendings[request] = {at: this.#now, inFlight: ++this.#inFlight};
    this.#tries[request] = tries;
    this.#result.sent++;
    this.#result.mostInFlight = Math.max(this.#result.mostInFlight, this.#inFlight);
    this.#options.speed.sent(this.#now, this.#inFlight);
    this.#options.onSend?.(this.#now, this.#inFlight);
    this.#service.send(this.#now, request);
  }

  /** The answer is there, but our machine may be busy still. */
  #received(request: number): void {
    const {client} = this.#options.model;
    if (client === undefined) return this.#served(request);
    this.#freeAt = Math.max(this.#freeAt, this.#now) + client.answerMs;
    this.#events.push(this.#freeAt, READ, request);
  }

  #pause(): void {
    const {pauseMs, everyMs} = this.#options.model.client!; // only it puts pauses in
    this.#freeAt = Math.max(this.#freeAt, this.#now) + pauseMs;
    this.#events.push(this.#now + pauseMs - everyMs * Math.log(1 - this.#pauses.uniform()), PAUSE, 0);
  }

  #served(request: number): void {
    const sending = this.#sendings[request]!;
    this.#inFlight--;
    this.#result.served++;
    this.#latencies[Math.min(LONGEST_MS, Math.round(this.#now - sending.at))]!++;
    this.#options.speed.succeeded(this.#now, sending);
    this.#free.push(request);
  }

  #refused(request: number): void {
    const {speed, model, refusedRow} = this.#options;
    const {retryAfterMs} = model.refusal;
    this.#inFlight--;
    this.#result.refused++;
    if (retryAfterMs !== undefined) this.#gate = Math.max(this.#gate, this.#now + retryAfterMs);
    speed.refused(this.#now, this.#sendings[request]!, retryAfterMs);
    const tries = this.#tries[request]! + 1;
    if (refusedRow === 'own-backoff') {
      this.#held++;
      const most = Math.min(BACKOFF_CAP_MS, BACKOFF_BASE_MS * 2 ** (tries - 1));
      this.#events.push(this.#now + Math.max(retryAfterMs ?? 0, this.#noise.uniform() * most), RETURN, tries);
    } else this.#again.push(tries);
    this.#free.push(request);
  }

  #returned(tries: number): void {
    this.#held--;
    this.#again.push(tries);
  }

  #percentile(share: number): number {
    let left = this.#result.served * share;
    return this.#latencies.findIndex((count) => (left -= count) <= 0);
  }
}
