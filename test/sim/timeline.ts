import type {Clock} from '../../src/clock.ts';

interface SimEvent {
  at: number;
  seq: number;
  life: Life | undefined;
  work: () => void;
}

/** Something that can die; what it has planned for later then never happens. */
export interface Life {
  readonly ended: boolean;
}

/**
 * Simulated time. Whatever is due happens one event after the other, each only after everything that the one before set
 * free has run; waiting costs nothing. Events of one moment happen in the order in which they were planned.
 */
export class Timeline {
  /** Since the beginning: small numbers, so that no wait is lost in rounding. */
  #elapsed = 0;
  #seq = 0;
  #isPumping = false;
  readonly #start: number;
  readonly #mostEvents: number;
  #queue: SimEvent[] = [];
  /** Events that have happened: the measure of how long a world has lived. */
  events = 0;
  /** Called when nothing is planned any more; whoever still waits then waits for ever. */
  onIdle: () => void = () => undefined;
  /** Called instead of the event after the last that is allowed: a world that does so much has lost its way. */
  onEndless: () => void = () => undefined;

  constructor(startMs: number, mostEvents: number) {
    this.#start = startMs;
    this.#mostEvents = mostEvents;
  }

  get now(): number {
    return this.#start + this.#elapsed;
  }

  get elapsed(): number {
    return this.#elapsed;
  }

  /** Plans `work`. It is dropped when `life` has ended by then. */
  after(ms: number, work: () => void, life?: Life): SimEvent {
    const event = {at: this.#elapsed + Math.max(0, ms), seq: this.#seq++, life, work};
    let low = 0;
    let high = this.#queue.length;
    // The queue is sorted backwards: the next event is the last.
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#queue[middle]!;
      if (other.at > event.at) low = middle + 1;
      else high = middle;
    }
    this.#queue.splice(low, 0, event);
    this.#pump();
    return event;
  }

  drop(event: SimEvent): void {
    const index = this.#queue.indexOf(event);
    if (index >= 0) this.#queue.splice(index, 1);
  }

  /** Lets everything run that is ready now. */
  settle(): Promise<void> {
    return new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  }

  clear(): void {
    this.#queue = [];
  }

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve));
  }

  /** Somebody may be settling something, which takes turns of the event loop and no time. */
  #restWhenIdle(seq: number, turns: number): void {
    if (this.#seq !== seq) return;
    if (turns === 0) this.onIdle();
    else setImmediate(() => this.#restWhenIdle(seq, turns - 1));
  }

  #pump(): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    setImmediate(() => {
      this.#isPumping = false;
      let next = this.#queue.pop();
      while (next?.life?.ended) next = this.#queue.pop();
      if (next === undefined) {
        this.#restWhenIdle(this.#seq, 100);
        return;
      }
      this.#elapsed = Math.max(this.#elapsed, next.at);
      if (++this.events > this.#mostEvents) {
        this.onEndless();
        return;
      }
      this.#pump();
      next.work();
    });
  }
}

/** As of Node's timers. */
const LEAST_TIMER_MS = 1;

/** The clock of one process: it stops with the process, and its timers may ring late. */
export class ProcessClock implements Clock {
  readonly #timeline: Timeline;
  readonly #life: Life;
  readonly #late: (ms: number) => number;
  readonly #began: number;

  constructor(timeline: Timeline, life: Life, late: (ms: number) => number) {
    this.#timeline = timeline;
    this.#life = life;
    this.#late = late;
    this.#began = timeline.elapsed;
  }

  now(): number {
    return this.#timeline.now;
  }

  monotonic(): number {
    return this.#timeline.elapsed - this.#began;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason as Error); // an Error, by whoever aborts
        return;
      }
      const onAbort = () => {
        this.#timeline.drop(event);
        if (!this.#life.ended) reject(signal!.reason as Error);
      };
      const wake = () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const event = this.#timeline.after(Math.max(LEAST_TIMER_MS, this.#late(ms)), wake, this.#life);
      signal?.addEventListener('abort', onAbort, {once: true});
    });
  }
}
