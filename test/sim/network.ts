import {
  TransportFailure,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
} from '../../src/client/transport/transport.ts';
import type {Counts} from './counts.ts';
import type {Dice} from './random.ts';
import type {Reply, ServiceRecord, SimService} from './service.ts';
import type {Life, Timeline} from './timeline.ts';

/** No copy of a request reaches the service later than this after it was sent. */
export const LATEST_MS = 60_000;

/** One call of `send`, for good or ill. */
export interface Attempt {
  n: number;
  process: SendingProcess;
  method: string;
  path: string;
  key: string | undefined;
  body: string;
  sentAt: number;
  /** Copies under way that will still be acted on. */
  pending: number;
  /** The service said that it does not take it; no other copy is acted on then. */
  isRefused: boolean;
  /** A copy was acted on; a refusal of another copy does not reach the caller then. */
  isTaken: boolean;
  /** Status that reached the caller, or why none did. */
  seen: number | string | undefined;
  /** Id of the record that the caller was shown. */
  seenId: string | undefined;
  seenAt: number | undefined;
  /** The record whose content was shown instead of that of the record that was asked for. */
  shownInstead: ServiceRecord | undefined;
}

/** What the network knows of who sends. */
export interface SendingProcess extends Life {
  /** The process has just been given the answer to one of its requests. */
  onAnswer(attempt: Attempt, answer: TransportAnswer): void;
  /** Before a request leaves; throws nothing. */
  onSend(attempt: Attempt): void;
  /** The caller has its answer, or was told that there is none; `sent` is false where not a byte left. */
  onEnd(attempt: Attempt, sent: boolean): void;
}

export interface NetworkRules {
  /** Share of requests whose way there, and of answers whose way back, is not plain. */
  trouble: number;
}

/** Between the processes and the service: it loses, repeats, delays and breaks off, by the dice. */
export class SimNetwork {
  readonly attempts: Attempt[] = [];
  rules: NetworkRules;
  readonly #timeline: Timeline;
  readonly #dice: Dice;
  readonly #service: SimService;
  readonly #counts: Counts;
  readonly #log: (text: () => string) => void;

  constructor(options: {
    timeline: Timeline;
    dice: Dice;
    service: SimService;
    rules: NetworkRules;
    counts: Counts;
    log: (text: () => string) => void;
  }) {
    this.#timeline = options.timeline;
    this.#dice = options.dice;
    this.#service = options.service;
    this.rules = options.rules;
    this.#counts = options.counts;
    this.#log = options.log;
  }

  transportFor(process: SendingProcess): Transport {
    return {send: (request) => this.#send(process, request), close: async () => undefined};
  }

  #send(process: SendingProcess, request: TransportRequest): Promise<TransportAnswer> {
    const attempt: Attempt = {
      ...{n: this.attempts.length + 1, process, method: request.method, path: request.path},
      ...{key: request.headers['idempotency-key'], body: request.body ?? '', sentAt: this.#timeline.now},
      ...{pending: 0, isRefused: false, isTaken: false, seen: undefined},
      ...{seenId: undefined, seenAt: undefined, shownInstead: undefined},
    };
    return new Promise((resolve, reject) => {
      if (process.ended) return;
      this.attempts.push(attempt);
      this.#counts.requests++;
      process.onSend(attempt);
      if (process.ended) return; // it was killed in the act
      const call = new Call({attempt, request, resolve, reject, timeline: this.#timeline, log: this.#log});
      if (request.signal?.aborted) call.fail('aborted', false);
      else this.#carry(call);
    });
  }

  #carry(call: Call): void {
    const {attempt, request} = call;
    const dice = this.#dice;
    const plain = () => dice.between(1, 40);
    const fate = dice.chance(this.rules.trouble) ? dice.draw(TROUBLES) : 'plain';
    if (fate === 'late' || fate === 'twice' || fate === 'repeated') this.#counts.copies++;
    if (fate !== 'plain') this.#log(() => `network: request ${attempt.n} ${fate}`);
    switch (fate) {
      case 'plain':
        this.#arrive(call, plain(), true);
        return;
      case 'refused':
        this.#timeline.after(1, () => call.fail(dice.pick(['refused', 'dns', 'tls']), false));
        return;
      case 'unreachable':
        this.#timeline.after(request.timeouts.connectMs, () => call.fail('connect-timeout', false));
        return;
      case 'reset':
        this.#timeline.after(plain(), () => call.fail('reset', true));
        return;
      case 'lost':
        return; // and the caller waits until it gives up
      case 'slow':
        this.#arrive(call, dice.between(100, request.timeouts.totalMs), true);
        return;
      case 'late':
        this.#arrive(call, dice.between(request.timeouts.totalMs, LATEST_MS), false);
        return;
      case 'twice':
        this.#arrive(call, plain(), true);
        this.#arrive(call, dice.chance(0.5) ? plain() * 2 : dice.between(100, LATEST_MS), false);
        return;
      case 'repeated': // the answer to the first copy is lost on a hop, which sends it again
        this.#arrive(call, plain(), false);
        this.#arrive(call, plain() * 3, true);
        return;
    }
  }

  #arrive(call: Call, afterMs: number, answers: boolean): void {
    const {attempt} = call;
    attempt.pending++;
    this.#timeline.after(afterMs, () => {
      attempt.pending--;
      if (attempt.isRefused) return;
      const reply = this.#service.handle({...attempt, attempt: attempt.n});
      this.#log(
        () =>
          `service: request ${attempt.n} ${attempt.method}${/"auto_approve":true/.test(attempt.body) ? ' approving' : ''} -> ${reply === undefined ? 'silence' : `${reply.status} ${reply.body.slice(0, 200)}`}${answers ? '' : ' (to nobody)'}`,
      );
      const isRefused = reply !== undefined && isRefusal(reply.status);
      if (answers && reply !== undefined && !(isRefused && attempt.isTaken)) this.#answer(call, reply);
      if (isRefused) attempt.isRefused = !attempt.isTaken;
      else attempt.isTaken = true;
    });
  }

  #answer(call: Call, {shownInstead, ...reply}: Reply): void {
    const dice = this.#dice;
    const fate = dice.chance(this.rules.trouble) ? dice.draw(ANSWER_TROUBLES) : 'plain';
    const bytes = Buffer.from(reply.body);
    if (fate !== 'plain' && fate !== 'slow') this.#counts.lostAnswers++;
    const after = dice.between(1, 40);
    this.#timeline.after(fate === 'slow' ? after * 50 : after, () => {
      switch (fate) {
        case 'plain':
        case 'slow':
          call.answer({...reply, body: bytes}, shownInstead);
          return;
        case 'reset':
          call.fail('reset', true);
          return;
        case 'lost':
          return;
        case 'cut':
          call.fail('cut', true, reply.status);
          return;
        case 'garbled':
          call.answer({...reply, body: Buffer.from(dice.pick(['<html>', '{"id":', '[]', 'null', '{}']))});
          return;
      }
    });
  }
}

const TROUBLES = {
  refused: 2,
  unreachable: 1,
  reset: 2,
  lost: 1,
  slow: 2,
  late: 3,
  twice: 3,
  repeated: 2,
} as const;

const ANSWER_TROUBLES = {reset: 3, lost: 1, slow: 2, cut: 2, garbled: 2} as const;

/** The caller's side of one attempt: it ends once, by an answer, a failure, its own patience or its signal. */
class Call {
  readonly attempt: Attempt;
  readonly request: TransportRequest;
  readonly #options: {
    resolve: (answer: TransportAnswer) => void;
    reject: (failure: TransportFailure) => void;
    timeline: Timeline;
    log: (text: () => string) => void;
  };
  readonly #patience;
  readonly #onAbort = () => this.fail('aborted', true);
  #isOpen = true;

  constructor(options: {
    attempt: Attempt;
    request: TransportRequest;
    resolve: (answer: TransportAnswer) => void;
    reject: (failure: TransportFailure) => void;
    timeline: Timeline;
    log: (text: () => string) => void;
  }) {
    this.attempt = options.attempt;
    this.request = options.request;
    this.#options = options;
    const {timeouts, signal} = options.request;
    this.#patience = options.timeline.after(
      timeouts.totalMs,
      () => this.fail('timeout', true),
      options.attempt.process,
    );
    signal?.addEventListener('abort', this.#onAbort, {once: true});
  }

  answer(answer: TransportAnswer, shownInstead?: ServiceRecord): void {
    if (!this.#end(answer.status, true)) return;
    this.attempt.seenId = idIn(answer);
    this.attempt.seenAt = this.#options.timeline.now;
    this.attempt.shownInstead = shownInstead;
    this.attempt.process.onAnswer(this.attempt, answer);
    this.#options.resolve(answer);
  }

  fail(kind: TransportFailure['kind'], sent: boolean, status?: number): void {
    if (!this.#end(kind, sent)) return;
    this.#options.reject(new TransportFailure(kind, `it ended: ${kind}`, {sent, status}));
  }

  #end(seen: number | string, sent: boolean): boolean {
    const {attempt, request} = this;
    if (!this.#isOpen || attempt.process.ended) return false;
    this.#isOpen = false;
    attempt.seen = seen;
    this.#options.timeline.drop(this.#patience);
    request.signal?.removeEventListener('abort', this.#onAbort);
    this.#options.log(() => `network: request ${attempt.n} ended for its sender: ${seen}`);
    attempt.process.onEnd(attempt, sent);
    return true;
  }
}

function idIn({status, body}: TransportAnswer): string | undefined {
  if (status >= 300) return undefined;
  try {
    return (JSON.parse(Buffer.from(body).toString()) as {id?: string} | null)?.id;
  } catch {
    return undefined; // garbled
  }
}

/** Answers by which a service says that it did not take the request. Those are believed, so they must be true. */
const isRefusal = (status: number): boolean =>
  status >= 300 && status < 500 && status !== 409 && status !== 408 && status !== 425;
