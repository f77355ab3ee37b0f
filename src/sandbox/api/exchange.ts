import type {Clock} from '../../clock.ts';
import type {OperationId} from '../../contract/operations.ts';
import {NO_HEADERS, spoil, strikesBefore, type Outgoing} from '../outcomes/fault-answer.ts';
import type {Faults, RequestFacts} from '../outcomes/faults.ts';
import type {Routed} from './routing.ts';
import {iso} from '../base/rows.ts';
import type {TimerPump} from '../world/timer-pump.ts';

/** One line of the request log. It holds no key and no body. */
export interface RequestEntry {
  type: 'request';
  /** ISO 8601, of the machine's clock. */
  at: string;
  method: string;
  path: string;
  operation: OperationId | null;
  /** As answered; null where the connection was reset. */
  status: number | null;
  elapsed_ms: number;
  mode: 'test' | 'live' | null;
  request_id: string;
  /** The injected effect. */
  fault?: string;
}

export interface RequestCounts {
  total: number;
  posts: number;
  /** Requests by `operation status`; faults count as what they made of the answer. */
  answers: Record<string, number>;
}

/** So many requests are kept for those who look later. */
const RECENT = 100;

/** What happens around every API request: due timers, faults, counting, the log, the request id. */
export class Exchange {
  readonly #machine: Clock;
  readonly #now: () => number;
  readonly #faults: Faults;
  readonly #pump: Pick<TimerPump, 'catchUp'>;
  readonly #onRequest: ((entry: RequestEntry) => void) | undefined;
  readonly #onBug: (error: unknown) => void;
  readonly #recent: RequestEntry[] = [];
  #made = 0;
  #counts: RequestCounts = {total: 0, posts: 0, answers: {}};

  constructor(options: {
    machine: Clock;
    /** What time it is here. */
    now: () => number;
    faults: Faults;
    /** Does what has fallen due, where nothing does so in the background. */
    pump: Pick<TimerPump, 'catchUp'>;
    onRequest: ((entry: RequestEntry) => void) | undefined;
    onBug: (error: unknown) => void;
  }) {
    this.#machine = options.machine;
    this.#now = options.now;
    this.#faults = options.faults;
    this.#pump = options.pump;
    this.#onRequest = options.onRequest;
    this.#onBug = options.onBug;
  }

  /** `work` is given what fell due before it: it fails where that could not be done, and answers for that as well. */
  async run(facts: RequestFacts, work: (before: Promise<void>) => Promise<Routed>): Promise<Outgoing> {
    const started = this.#machine.monotonic();
    const requestId = `req_${(++this.#made).toString(36).padStart(6, '0')}`;
    const before = this.#pump.catchUp();
    let trouble: {error: unknown} | undefined;
    try {
      await before;
    } catch (error) {
      trouble = {error};
    }
    const verdict = this.#faults.judge(facts);
    if (verdict && verdict.latencyMs > 0) await this.#machine.sleep(verdict.latencyMs);
    const effect = verdict?.effect;
    const struckBefore = effect !== undefined && strikesBefore(effect);
    // Work, which gets `before`, turns its failure into an answer; where a fault answers instead, it is told all the same.
    if (struckBefore && trouble) this.#onBug(trouble.error);
    const routed = struckBefore ? null : await work(before);
    const answer = effect ? spoil(effect, routed) : routed!; // work is left out only under an effect
    const status = answer.socket === 'reset' ? null : answer.status;
    this.#count(facts, status);
    const entry: RequestEntry = {
      type: 'request',
      at: iso(this.#machine.now()),
      method: facts.method,
      path: facts.path,
      operation: facts.operation,
      status,
      elapsed_ms: Math.round((this.#machine.monotonic() - started) * 10) / 10,
      mode: routed?.caller?.entity.mode ?? null,
      request_id: requestId,
    };
    if (verdict !== undefined) entry.fault = effect?.kind ?? 'latency';
    if (this.#recent.push(entry) > 2 * RECENT) this.#recent.splice(0, RECENT); // seldom: shifting each time would cost
    this.#onRequest?.(entry);
    const headers = this.#dated(headersOf(answer, requestId));
    const {body, socket, dripMs} = answer;
    if (effect === undefined) return {status: answer.status, body, headers};
    return {
      status: answer.status,
      body,
      headers,
      ...(socket === undefined ? {} : {socket}),
      ...(dripMs === undefined ? {} : {dripMs}),
    };
  }

  /**
   * Whoever is asked for a Date gives the machine's. Where the sandbox is behind that, as after a checkpoint, its records would
   * look old the moment they are made: then it says what time it is here. A Retry-After may be a date, of the machine's clock.
   */
  #dated(headers: Outgoing['headers']): Outgoing['headers'] {
    const now = this.#now();
    if (now > this.#machine.now() - 1000 || headers['retry-after'] !== undefined) return headers;
    return {...headers, date: new Date(now).toUTCString()};
  }

  #count(facts: RequestFacts, status: number | null): void {
    const name = `${facts.operation ?? facts.method} ${status ?? 'reset'}`;
    this.#counts.total += 1;
    if (facts.method === 'POST') this.#counts.posts += 1;
    this.#counts.answers[name] = (this.#counts.answers[name] ?? 0) + 1;
  }

  counts(): RequestCounts {
    return {...this.#counts, answers: {...this.#counts.answers}};
  }

  /** The last requests, the newest first. */
  recent(most: number): RequestEntry[] {
    return this.#recent.slice(-Math.min(most, RECENT)).reverse();
  }

  resetCounts(): void {
    this.#recent.length = 0;
    this.#counts = {total: 0, posts: 0, answers: {}};
  }
}

/** Most answers have a body and no headers of their own, and need nothing to be put together. */
function headersOf({body, headers: own}: Outgoing, requestId: string): Outgoing['headers'] {
  if (own === NO_HEADERS && body !== null)
    return {'content-type': 'application/json', 'x-request-id': requestId};
  return {...(body === null ? {} : {'content-type': 'application/json'}), 'x-request-id': requestId, ...own};
}
