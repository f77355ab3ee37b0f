import type {Answer} from '../../client/answers/answer.ts';
import {fullJitter} from '../../client/requests/backoff.ts';
import type {Clock} from '../../clock.ts';
import type {Kind} from '../model/kinds.ts';
import {type NotSent, whatCame} from '../answers/answers.ts';
import type {Gate} from './gate.ts';
import type {Halt} from './halt.ts';
import {Patience} from './patience.ts';
import {REFUSED_STREAK} from '../model/stop.ts';
import {answeredText, redirectedText, waitTooLongText} from '../answers/stop-words.ts';

const UNREACHABLE_CAP_MS = 5_000;
/** Pause after a socket could not be opened on this machine, until one of those in use is free. */
const CROWDED_MS = 50;
/** A longer time without a success is not counted when the speed of the run is measured. */
const SHORTEST_OUTAGE_MS = 1000;
const FORBIDDEN_STREAK = 3;

/** What happens to a row that the service did not accept: `wait` for the gate, or `left` for another run. */
export type NotSentEnd = 'wait' | 'left';

/** Decides when the run waits and when it stops, from the service's answers to all rows. */
export class StopRules {
  readonly patience: Patience;
  /** A request has succeeded, now or in an earlier run, so a refusal concerns its row and not our settings. */
  isProven: boolean;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #kind: Kind;
  readonly #baseUrl: string;
  readonly #gate: Gate;
  readonly #halt: Halt;
  /** Wall clock time of the last readable success; the wall clock continues while the machine sleeps. */
  #lastGoodWall: number;
  /** Monotonic time of the first of those writes which were all answered with 429. */
  #writesThrottledSince: number | undefined;
  #unreachable = 0;
  #forbidden = 0;
  #refused = 0;

  constructor(options: {
    clock: Clock;
    random: () => number;
    kind: Kind;
    baseUrl: string;
    maxWaitMs: number | undefined;
    isProven: boolean;
    gate: Gate;
    halt: Halt;
  }) {
    this.#clock = options.clock;
    this.#random = options.random;
    this.#kind = options.kind;
    this.#baseUrl = options.baseUrl;
    this.#gate = options.gate;
    this.#halt = options.halt;
    this.isProven = options.isProven;
    this.patience = new Patience(options.clock.monotonic(), options.maxWaitMs);
    this.#lastGoodWall = options.clock.now();
  }

  /**
   * Milliseconds without a success. The monotonic clock stops while a machine sleeps, and a wall clock may be set
   * back, so the larger of the two counts.
   */
  get quietMs(): number {
    return Math.max(this.#clock.monotonic() - this.patience.lastGood, this.#clock.now() - this.#lastGoodWall);
  }

  /**
   * A readable success.
   * @returns whether it ended an outage that was long enough to be noticed
   */
  succeeded(now: number, nowWall: number): boolean {
    const {trouble} = this.patience;
    const isAfterOutage =
      trouble !== undefined && trouble.kind !== 'throttled' && now - trouble.since >= SHORTEST_OUTAGE_MS;
    this.patience.succeeded(now);
    this.#lastGoodWall = nowWall;
    this.#unreachable = this.#forbidden = this.#refused = 0;
    this.isProven = true;
    return isAfterOutage;
  }

  /** A success without a record: a sign-in page, a proxy or another service. It shows nothing about the service. */
  unreadable(answer: Answer): void {
    if (this.patience.unreadable())
      this.#halt.stopFor('unreadable', `the service answered ${whatCame(answer, this.#kind)}`);
  }

  /** The service asked for fewer requests, and did not perform this one. Reads in between show nothing about writes. */
  throttled(now: number, isWrite: boolean): void {
    if (isWrite) this.#writesThrottledSince ??= now;
    const isEachWrite = now - (this.#writesThrottledSince ?? now) > this.patience.maxWaitMs;
    if (!this.patience.throttled(now) && !isEachWrite) return;
    const seconds = Math.round(this.patience.maxWaitMs / 1000);
    const what = isEachWrite && !this.patience.throttled(now) ? ' to each POST' : '';
    this.#halt.stopFor('rate-limited', `the service has answered only 429${what} for ${seconds} s`);
  }

  /** A write was answered otherwise. */
  wrote(): void {
    this.#writesThrottledSince = undefined;
  }

  /**
   * Retry-After is a minimum wait for the whole run. If it exceeds `--max-wait` it ends the run, except on a success:
   * then the service accepts requests.
   */
  waitFor(ms: number, isGood: boolean): void {
    if (ms <= this.patience.maxWaitMs) {
      this.#gate.shut(ms);
      return;
    }
    if (isGood) return;
    this.#gate.shut(ms);
    this.#halt.stopFor('rate-limited', waitTooLongText(ms));
  }

  /** Stops the run if the service has been failing for too long. */
  failing(sentAt: number, words: string): void {
    this.#countOutage('failing', sentAt, words);
  }

  #countOutage(kind: 'unreachable' | 'failing', sentAt: number, words: string): void {
    const now = this.#clock.monotonic();
    const since = this.patience.failed(kind, sentAt, now);
    if (since === undefined) return;
    const seconds = Math.round((now - since) / 1000);
    this.#halt.stopFor(
      kind,
      kind === 'unreachable'
        ? `the service could not be reached for ${seconds} s: ${words}`
        : `the service completed no request of the batch for ${seconds} s: ${words}`,
    );
  }

  /** A request, sent at `sentAt`, that was certainly not accepted. Closes the gate, or counts towards a stop. */
  notSent(verdict: NotSent, sentAt: number, words: string): NotSentEnd {
    switch (verdict.then) {
      case 'gate':
        if (!verdict.throttled) this.#closeGate(sentAt, words); // after a 429 the pacer decides
        return 'wait';
      case 'crowded':
        this.#gate.shut(CROWDED_MS);
        this.#countOutage('unreachable', sentAt, words);
        return 'wait';
      case 'forbidden':
        if (!this.isProven || ++this.#forbidden >= FORBIDDEN_STREAK)
          this.#halt.stopFor('credentials', answeredText(words));
        return 'left';
      case 'streak':
        if (this.isProven) this.failing(sentAt, words);
        else this.refused(words);
        return 'left';
      case 'stop':
        if (verdict.stop === 'redirect') this.redirected(words);
        else this.#halt.stopFor(verdict.stop, answeredText(words));
        return 'left';
    }
  }

  /** Requests that were in flight together fail together; only the first failure closes the gate. */
  #closeGate(sentAt: number, words: string): void {
    this.#countOutage('unreachable', sentAt, words);
    if (this.#clock.monotonic() < this.#gate.until) return;
    this.#gate.shut(
      fullJitter({
        attempt: this.#unreachable++,
        baseMs: 200,
        capMs: UNREACHABLE_CAP_MS,
        random: this.#random,
      }),
    );
  }

  /** The service sends us elsewhere, which always ends the run. */
  redirected(words: string): void {
    this.#halt.stopFor('redirect', redirectedText(words, this.#baseUrl));
  }

  /** A refusal before anything has succeeded. */
  refused(words: string): void {
    if (++this.#refused >= REFUSED_STREAK)
      this.#halt.stopFor('refused-at-first', `${REFUSED_STREAK} requests in a row were refused: ${words}`);
  }
}
