import type {Answer} from '../../client/answers/answer.ts';
import {CANONICAL, type Codec} from '../../client/requests/codec.ts';
import {pollPauseMs} from '../../client/reading/poll.ts';
import {TransportFailure, type Transport} from '../../client/transport/transport.ts';
import {meaningOf} from '../../client/answers/verdict.ts';
import {type Clock, poll} from '../../clock.ts';
import {idIn, isOtherId, isReadable} from '../answers/answers.ts';
import {Dispatcher, type WorkEnd} from '../send/dispatcher.ts';
import type {Goal} from './counts.ts';
import {FollowedRows} from './followed-rows.ts';
import {Gate} from './gate.ts';
import {notFoundOutcome, readRecord} from './read-record.ts';
import {isInList, wrongRouteText} from './wrong-route.ts';
import type {FollowPace} from './pace.ts';
import type {RecordedRow} from '../journal/rows/row.ts';
import type {Journal} from '../journal/journal.ts';
import type {Kind} from '../model/kinds.ts';
import {wordsOf} from '../answers/words.ts';
import {answeredText, lostText, waitTooLongText} from '../answers/stop-words.ts';
import type {Wire} from '../answers/wire.ts';
import {signalReason, type RunStop} from '../model/stop.ts';

export interface FollowOptions {
  kind: Kind;
  journal: Journal;
  wire: Wire;
  transport: Transport;
  /** The settings of a service that differs from the contract. */
  codec?: Codec | undefined;
  pace: FollowPace;
  clock: Clock;
  /** Uniform in [0, 1). */
  random: () => number;
  /**
   * The status that every row should reach. If absent, each record is fetched once, except those that failed or were
   * canceled and showed no other payment.
   */
  until?: Goal | undefined;
  /** Time limit for following; absent means no limit. */
  timeoutMs?: number | undefined;
  /** A longer Retry-After ends the following. */
  maxWaitMs: number;
  /** Ctrl-C, or a lost lock. */
  abort: AbortSignal;
  /** Throws if this process no longer holds the lock. */
  assertHeld: () => void;
  /** Called a few times per second. */
  onProgress: () => void;
  /** Called once for each status that the contract does not know. */
  onUnknown: (status: string, reference: string) => void;
}

/**
 * `reached`: every row is at the goal. `ended`: no row is under way any more, and some have failed or were canceled.
 * `passed`: records were fetched once, as requested. `stopped`: see `stop`.
 */
export type FollowEnd = 'reached' | 'ended' | 'timeout' | 'passed' | 'stopped';

interface Look {
  row: RecordedRow;
  tries: number;
  /** Counted in the pace's `waiting`. */
  waits: boolean;
}

const TICK_MS = 200;
const FLUSH_TICKS = 5;
/** Tries of a row in a single pass. With a goal there are more passes, and a row has one try in each. */
const TRIES_ONCE = 4;
/** Pauses for a failing service before a single pass is given up. With a goal, waiting lasts until the time limit. */
const FAILING_STREAK = 8;
const REFUSED_STREAK = 3;

/**
 * Follows accepted rows by reading their records, at a limited rate, until they have reached the goal. Sends only
 * GETs. Each status seen is journaled. Towards a goal, a final status is not fetched again, unless its record showed
 * another payment. Memory does not grow with the batch.
 */
export class Follow {
  readonly rows: FollowedRows;
  stop: RunStop | undefined;
  /** Records read, and rows whose record could not be read in the last pass. */
  gets = 0;
  /** Wall clock time when a record was last read. */
  lastReadAt: number | undefined;
  unread = 0;
  readonly #options: FollowOptions;
  readonly #cut = new AbortController();
  readonly #gate: Gate;
  readonly #unknown = new Set<string>();
  #dispatcher: Dispatcher<Look> | undefined;
  #failure: {error: unknown} | undefined;
  #refused = 0;
  #lastGood: number;

  constructor(options: FollowOptions) {
    const {journal, wire, clock} = options;
    this.#options = options;
    journal.sanitizer.conceal(wire.secret);
    this.#lastGood = clock.monotonic();
    this.#gate = new Gate(clock, options.random);
    this.rows = new FollowedRows(options);
  }

  /** @throws RemitError STATE if the journal cannot be written, LOCKED if the lock is lost */
  async run(): Promise<FollowEnd> {
    const {clock, abort, until, timeoutMs, random, journal} = this.#options;
    const ended = new AbortController();
    const onAbort = () =>
      this.#stopFor(signalReason(abort), 'stopped by a signal while the accepted rows were followed');
    abort.addEventListener('abort', onAbort, {once: true});
    if (abort.aborted) onAbort();
    if (timeoutMs !== undefined)
      clock.sleep(timeoutMs, ended.signal).then(
        () => this.#halt(() => undefined), // what is open then has run out of time
        () => undefined,
      );
    void this.#tick(ended.signal);
    try {
      const isOver = () => this.#cut.signal.aborted || !this.rows.isAnyOpen;
      await poll({
        clock,
        step: async () => {
          if (isOver()) return true;
          await this.#pass();
          return until === undefined || isOver() ? true : undefined;
        },
        pauseMs: (pauses) => pollPauseMs(pauses, random),
        sleep: (ms) => clock.sleep(ms, this.#cut.signal).catch(() => undefined), // aborted: the loop ends
      });
      if (this.#failure) throw this.#failure.error;
      journal.flush();
    } finally {
      ended.abort();
      abort.removeEventListener('abort', onAbort);
    }
    return this.#end();
  }

  #end(): FollowEnd {
    if (this.stop !== undefined) return 'stopped';
    if (this.#options.until === undefined) return 'passed';
    if (this.rows.counts.open === 0) return this.rows.counts.ended > 0 ? 'ended' : 'reached';
    return 'timeout';
  }

  /** Fetches the record of every row that has not reached the goal. */
  async #pass(): Promise<void> {
    const {pace, clock, journal, assertHeld} = this.#options;
    assertHeld();
    this.unread = 0;
    pace.waiting = 0;
    const nextRow = this.rows.open();
    this.#dispatcher = new Dispatcher<Look>({
      speed: pace,
      clock,
      next: () => {
        const row = nextRow();
        return row && {row, tries: 0, waits: false};
      },
      work: (look) => this.#look(look),
      abandon: () => undefined,
    });
    this.#gate.holdsBack(this.#dispatcher);
    await this.#dispatcher.run();
    journal.flush();
  }

  async #look(look: Look): Promise<WorkEnd> {
    const {pace, transport, wire, clock, codec = CANONICAL} = this.#options;
    if (look.waits) pace.waiting--;
    look.waits = false;
    look.tries++;
    this.gets++;
    try {
      const request = wire.get(look.row.outcome.id);
      const raw = await transport.send({...codec.encode(request), signal: this.#cut.signal});
      return await this.#answered(look, codec.read(request, raw, clock.now()));
    } catch (failure) {
      if (!(failure instanceof TransportFailure)) throw failure;
      if (failure.kind === 'aborted') return {again: false};
      return this.#failed(look, failure.message, failure.sent);
    }
  }

  #answered(look: Look, answer: Answer): WorkEnd | Promise<WorkEnd> {
    const {pace} = this.#options;
    const {status, retryAfterMs} = answer;
    const words = wordsOf({answer});
    if (retryAfterMs !== undefined) this.#waitFor(retryAfterMs);
    if (status === 429 || retryAfterMs !== undefined) pace.refused();
    switch (meaningOf(answer)) {
      case 'success':
        return this.#succeeded(look, answer);
      case 'throttled':
        return this.#refusedForLoad(retryAfterMs);
      case 'failing':
        return this.#failed(look, words, true);
      case 'not-found':
        return this.#notFound(look, answer);
      case 'unauthorized':
      case 'forbidden':
        this.#stopFor('credentials', answeredText(words));
        break;
      case 'redirect':
        this.#stopFor('redirect', answeredText(words));
        break;
      default:
        this.unread++;
        if (++this.#refused >= REFUSED_STREAK)
          this.#stopFor('refused-at-first', `${REFUSED_STREAK} records in a row could not be read: ${words}`);
    }
    return {again: false};
  }

  async #notFound({row}: Look, answer: Answer): Promise<WorkEnd> {
    const {kind, wire, transport, codec = CANONICAL} = this.#options;
    const {id} = row.outcome;
    // A record that was read shows that the route is right.
    const isListed =
      this.lastReadAt === undefined &&
      (await isInList(row, {wire, transport, codec, signal: this.#cut.signal}));
    if (this.#cut.signal.aborted) return {again: false};
    if (isListed) {
      this.#stopFor('wrong-route', wrongRouteText(id, kind, codec));
      return {again: false};
    }
    // Without an error code the answer may come from another server, so nothing is known about the record.
    if (answer.errorCode !== undefined) this.rows.record(row, notFoundOutcome(row, answer));
    this.#stopFor('lost-record', lostText(row, id));
    return {again: false};
  }

  /** Any server may answer 200; only a record shows that the service was read. */
  #succeeded(look: Look, answer: Answer): WorkEnd {
    const {pace, clock} = this.#options;
    if (!isReadable(answer, false) || isOtherId(idIn(answer), look.row.outcome.id))
      return this.#failed(look, 'the record could not be read', true);
    pace.succeeded();
    this.#lastGood = clock.monotonic();
    this.lastReadAt = clock.now();
    this.#refused = 0;
    this.#gate.succeeded();
    return this.#read(look, answer);
  }

  #read(look: Look, answer: Answer): WorkEnd {
    const {row} = look;
    const {kind, onUnknown, journal} = this.#options;
    const read = readRecord(row, answer, {kind, token: (text) => journal.sanitizer.token(text)});
    if (read === undefined) return this.#failed(look, 'the record could not be read', true);
    if (read.isUnknown && !this.#unknown.has(read.status)) {
      this.#unknown.add(read.status);
      onUnknown(read.status, row.reference);
    }
    if (read.ended !== undefined) journal.noteEnded(row.n, row.outcome.id, read.ended);
    if (read.outcome !== undefined) this.rows.record(row, read.outcome);
    return {again: false};
  }

  /** Nothing was learned. The gate is closed for a growing time, then this row or the next one is tried. */
  #failed(look: Look, words: string, sent: boolean): WorkEnd {
    const {until, pace} = this.#options;
    const isNewFailure = this.#gate.failed();
    if (until === undefined && isNewFailure && this.#gate.failures >= FAILING_STREAK)
      this.#stopFor('unreachable', words);
    if (!sent) return {again: true, afterMs: 0};
    if (until === undefined && look.tries < TRIES_ONCE) {
      pace.waiting++;
      look.waits = true;
      return {again: true, afterMs: this.#gate.pauseMs(look.tries)};
    }
    this.unread++;
    return {again: false};
  }

  #refusedForLoad(retryAfterMs: number | undefined): WorkEnd {
    const {clock, maxWaitMs} = this.#options;
    if (retryAfterMs === undefined) this.#gate.throttled();
    if (clock.monotonic() - this.#lastGood > maxWaitMs)
      this.#stopFor('rate-limited', 'the service has answered nothing but 429 for longer than --max-wait');
    return {again: true, afterMs: 0};
  }

  #waitFor(ms: number): void {
    this.#gate.waitFor(ms);
    if (ms > this.#options.maxWaitMs) this.#stopFor('rate-limited', waitTooLongText(ms));
  }

  /** Shows progress and writes the journal until the end. A failure of either ends the following. */
  async #tick(ended: AbortSignal): Promise<void> {
    try {
      for (let ticks = 1; ; ticks++) {
        await this.#options.clock.sleep(TICK_MS, ended);
        this.#options.onProgress();
        if (ticks % FLUSH_TICKS === 0) {
          this.#options.assertHeld();
          this.#options.journal.flush();
        }
      }
    } catch (error) {
      if (!ended.aborted) this.#halt(() => (this.#failure = {error}));
    }
  }

  #stopFor(reason: RunStop['reason'], message: string): void {
    const {sanitizer} = this.#options.journal;
    this.#halt(() => (this.stop ??= {reason, message: sanitizer.line(message)}));
  }

  /** Starts no new read and aborts reads in progress; they change nothing. */
  #halt(note: () => void): void {
    note();
    this.#cut.abort();
    this.#dispatcher?.stop();
  }
}
