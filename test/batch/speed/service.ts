import type {EventQueue} from './event-queue.ts';
import type {ServiceModel} from './models.ts';
import type {Noise} from './noise.ts';

/** Kinds of events; the value of the first four is a request, of the others the new worker count or rate. */
export const ARRIVED = 0;
export const SERVED = 1;
export const LEFT = 2;
export const REFUSED = 3;
export const WORKERS = 4;
export const RATE = 5;

/** A service by its model: takes `ARRIVED`, answers with `LEFT` or `REFUSED`. */
export class SimulatedService {
  readonly #model: ServiceModel;
  readonly #events: EventQueue;
  readonly #noise: Noise;
  #busy = 0;
  #workers = 0;
  #queue: number[] = [];
  #head = 0;
  #rps = Infinity;
  #tokens = 0;
  #refilledAt = 0;

  constructor(model: ServiceModel, events: EventQueue, noise: Noise) {
    this.#model = model;
    this.#events = events;
    this.#noise = noise;
    this.#tokens = model.bucket?.burst ?? 0;
    for (const {fromMs, count} of model.workers) events.push(fromMs, WORKERS, count);
    for (const {fromMs, rps} of model.bucket?.rates ?? []) events.push(fromMs, RATE, rps);
  }

  /** A request is sent now. */
  send(now: number, request: number): void {
    this.#events.push(now + (this.#model.networkMs ?? 0) / 2, ARRIVED, request);
  }

  handle(now: number, kind: number, value: number): void {
    if (kind === ARRIVED) this.#arrive(now, value);
    else if (kind === SERVED) {
      this.#busy--;
      this.#startQueued(now);
      this.#events.push(now + (this.#model.networkMs ?? 0) / 2, LEFT, value);
    } else if (kind === WORKERS) {
      this.#workers = value;
      this.#startQueued(now);
    } else if (kind === RATE) {
      this.#refill(now);
      this.#rps = value;
    }
  }

  #arrive(now: number, request: number): void {
    const {bucket, refusal, whenBusy} = this.#model;
    if (bucket !== undefined) {
      this.#refill(now);
      if (this.#tokens < 1) return this.#events.push(now + refusal.afterMs, REFUSED, request);
      this.#tokens--;
    }
    if (this.#busy < this.#workers) this.#start(now, request);
    else if (whenBusy === 'refuse') this.#events.push(now + refusal.afterMs, REFUSED, request);
    else this.#queue.push(request);
  }

  #start(now: number, request: number): void {
    const {meanMs, spread} = this.#model.latency;
    this.#busy++;
    this.#events.push(now + this.#noise.logNormal(meanMs, spread), SERVED, request);
  }

  #startQueued(now: number): void {
    while (this.#busy < this.#workers && this.#head < this.#queue.length)
      this.#start(now, this.#queue[this.#head++]!);
    if (this.#head > 4096) {
      this.#queue = this.#queue.slice(this.#head);
      this.#head = 0;
    }
  }

  #refill(now: number): void {
    const {burst} = this.#model.bucket!; // only called where there is one
    if (now > this.#refilledAt)
      this.#tokens = Math.min(burst, this.#tokens + ((now - this.#refilledAt) * this.#rps) / 1000);
    this.#refilledAt = now;
  }
}
