import type {Mode} from '../../contract/mode.ts';
import type {Clock} from '../../clock.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import {must} from '../../narrow.ts';
import {NO_HEADERS, spoil, strikesBefore, type Outgoing} from '../outcomes/fault-answer.ts';
import type {Faults, RequestFacts} from '../outcomes/faults.ts';
import type {Routed} from './routing.ts';
import {iso} from '../base/rows.ts';
import type {TimerPump} from '../world/timer-pump.ts';
import type {OnBug} from '../base/on-bug.ts';

/** One entry of the request log. It contains no key and no body. */
export interface RequestEntry {
  type: 'request';
  /** ISO 8601, by the machine's clock. */
  at: string;
  method: string;
  path: string;
  operation: OperationId | null;
  /** The status as answered; null if the connection was reset. */
  status: number | null;
  elapsed_ms: number;
  mode: Mode | null;
  request_id: string;
  /** The injected effect. */
  fault?: string;
}

export interface RequestCounts {
  total: number;
  posts: number;
  /** Requests by `operation status`; a fault counts with the status that it caused. */
  answers: Record<string, number>;
}

/** Number of requests kept for later display. */
const RECENT = 100;

/** The steps around every API request: due timers, faults, counting, the log, the request id. */
export class Exchange {
  readonly #machine: Clock;
  readonly #now: () => number;
  readonly #faults: Faults;
  readonly #pump: Pick<TimerPump, 'catchUp'>;
  readonly #onRequest: ((entry: RequestEntry) => void) | undefined;
  readonly #onBug: OnBug;
  readonly #recent: RequestEntry[] = [];
  #made = 0;
  #counts: RequestCounts = {total: 0, posts: 0, answers: {}};

  constructor(options: {
    machine: Clock;
    /** The sandbox's current time. */
    now: () => number;
    faults: Faults;
    /** Performs what is due, if nothing does so in the background. */
    pump: Pick<TimerPump, 'catchUp'>;
    onRequest: ((entry: RequestEntry) => void) | undefined;
    onBug: OnBug;
  }) {
    this.#machine = options.machine;
    this.#now = options.now;
    this.#faults = options.faults;
    this.#pump = options.pump;
    this.#onRequest = options.onRequest;
    this.#onBug = options.onBug;
  }

  /** `work` receives the result of the due steps: if they failed, `work` fails and answers for them. */
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
    const effects = this.#faults.judge(facts);
    if (effects && effects.latencyMs > 0) await this.#machine.sleep(effects.latencyMs);
    const effect = effects?.effect;
    const struckBefore = effect !== undefined && strikesBefore(effect);
    // `work` receives `before` and turns its failure into an answer. If a fault answers instead, the failure is still
    // reported.
    if (struckBefore && trouble) this.#onBug(trouble.error);
    const routed = struckBefore ? null : await work(before);
    const answer = effect ? spoil(effect, routed) : must(routed, 'answer without an effect');
    const status = answer.socket === 'reset' ? null : answer.status;
    this.#count(facts, status);
    const entry: RequestEntry = {
      type: 'request',
      at: iso(this.#machine.now()),
      ...(facts.sent ?? {method: facts.method, path: facts.path}),
      operation: facts.operation,
      status,
      elapsed_ms: Math.round((this.#machine.monotonic() - started) * 10) / 10,
      mode: routed?.caller?.entity.mode ?? null,
      request_id: requestId,
    };
    if (effects !== undefined) entry.fault = effect?.kind ?? 'latency';
    if (this.#recent.push(entry) > 2 * RECENT) this.#recent.splice(0, RECENT); // rare: shifting each time would be expensive
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
   * The value of the Date header: the machine's time. If the sandbox is behind it, for example after a checkpoint,
   * its records would look old as soon as they are created, so the sandbox's time is used. A Retry-After may be a
   * date, by the machine's clock.
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

  /** The last requests, newest first. */
  recent(most: number): RequestEntry[] {
    return this.#recent.slice(-Math.min(most, RECENT)).reverse();
  }

  resetCounts(): void {
    this.#recent.length = 0;
    this.#counts = {total: 0, posts: 0, answers: {}};
  }
}

/** Most answers have a body and no headers of their own, so nothing has to be assembled. */
function headersOf({body, headers: own}: Outgoing, requestId: string): Outgoing['headers'] {
  if (own === NO_HEADERS && body !== null)
    return {'content-type': 'application/json', 'x-request-id': requestId};
  return {...(body === null ? {} : {'content-type': 'application/json'}), 'x-request-id': requestId, ...own};
}
