import type {Answer} from '../../client/answers/answer.ts';
import {CANONICAL, type Codec} from '../../client/requests/codec.ts';
import {fullJitter} from '../../client/requests/backoff.ts';
import {pollPauseMs} from '../../client/reading/poll.ts';
import {TransportFailure, type Transport} from '../../client/transport/transport.ts';
import {meaningOf} from '../../client/answers/verdict.ts';
import type {Clock} from '../../clock.ts';
import {isObject} from '../../narrow.ts';
import {idIn, isOtherId, isReadable, paysOtherwise} from '../answers/answers.ts';
import {Dispatcher, type WorkEnd} from '../send/dispatcher.ts';
import {closedStatuses, countFollowed, type FollowCounts, type Goal, moveCount} from './counts.ts';
import {judgeSeen} from './judge.ts';
import type {FollowPace} from './pace.ts';
import type {RecordedRow} from '../journal/rows/row.ts';
import {addCount, type Standing} from '../model/tally.ts';
import type {Journal} from '../journal/journal.ts';
import type {Kind} from '../model/kinds.ts';
import {DIFFERS_AS_ACCEPTED, DIFFERS_CODE, type Outcome} from '../model/outcome.ts';
import {outcomeOf} from '../answers/outcome-of.ts';
import {wordsOf} from '../answers/words.ts';
import {LOST, lostText, waitTooLongText} from '../answers/stop-words.ts';
import type {Wire} from '../answers/wire.ts';
import {signalReason, type Stop} from '../model/stop.ts';

export interface FollowOptions {
  kind: Kind;
  journal: Journal;
  wire: Wire;
  transport: Transport;
  /** Of a service that differs from the contract. */
  codec?: Codec | undefined;
  pace: FollowPace;
  clock: Clock;
  /** Uniform in [0, 1). */
  random: () => number;
  /** The status that every row should reach. If absent, the record of each row that is not final is fetched once. */
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
 * `passed`: each record was fetched once, as requested. `stopped`: see `stop`.
 */
export type FollowEnd = 'reached' | 'ended' | 'timeout' | 'passed' | 'stopped';

interface Look {
  row: RecordedRow;
  tries: number;
  /** Counted in the pace's `waiting`. */
  waits: boolean;
}

const PAGE = 256;
const TICK_MS = 200;
const FLUSH_TICKS = 5;
/** Tries of a row in a single pass. With a goal there are more passes, and a row has one try in each. */
const TRIES_ONCE = 4;
const FAILING_CAP_MS = 10_000;
const THROTTLED_CAP_MS = 20_000;
/** Pauses for a failing service before a single pass is given up. With a goal, waiting lasts until the time limit. */
const FAILING_STREAK = 8;
const REFUSED_STREAK = 3;

/**
 * Follows accepted rows by reading their records, at a limited rate, until they have reached the goal. Sends only
 * GETs. Each status seen is journaled; a final status is never fetched again and never changed. Memory does not grow
 * with the batch.
 */
export class Follow {
  readonly counts: FollowCounts;
  /** Kept up to date, for a summary. */
  readonly standing: Standing;
  stop: Stop | undefined;
  /** Records read, and rows whose record could not be read in the last pass. */
  gets = 0;
  /** Wall clock time when a record was last read. */
  lastReadAt: number | undefined;
  unread = 0;
  readonly #options: FollowOptions;
  readonly #closed: readonly string[];
  readonly #cut = new AbortController();
  readonly #unknown = new Set<string>();
  #dispatcher: Dispatcher<Look> | undefined;
  #failure: {error: unknown} | undefined;
  #gateUntil = 0;
  #failing = 0;
  #throttled = 0;
  #refused = 0;
  #lastGood: number;

  constructor(options: FollowOptions) {
    const {journal, kind, until, clock} = options;
    this.#options = options;
    journal.sanitizer.conceal(options.wire.secret);
    this.#closed = closedStatuses(kind, until);
    this.#lastGood = clock.monotonic();
    this.standing = journal.standing();
    this.counts = countFollowed(journal, kind, until);
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
      for (let pauses = 0; this.counts.open > 0 && !this.#cut.signal.aborted; pauses++) {
        if (pauses > 0)
          await clock.sleep(pollPauseMs(pauses - 1, random), this.#cut.signal).catch(() => undefined); // aborted: the loop ends
        if (!this.#cut.signal.aborted) await this.#pass();
        if (until === undefined) break;
      }
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
    if (this.counts.open === 0) return this.counts.ended > 0 ? 'ended' : 'reached';
    return 'timeout';
  }

  /** Fetches the record of every row that has not reached the goal. */
  async #pass(): Promise<void> {
    const {pace, clock, journal, assertHeld} = this.#options;
    assertHeld();
    this.unread = 0;
    pace.waiting = 0;
    this.#dispatcher = new Dispatcher<Look>({
      speed: pace,
      clock,
      next: this.#rows(),
      work: (look) => this.#look(look),
      abandon: () => undefined,
    });
    this.#dispatcher.closeGate(Math.max(0, this.#gateUntil - clock.monotonic()));
    await this.#dispatcher.run();
    journal.flush();
  }

  #rows(): () => Look | undefined {
    let page: RecordedRow[] = [];
    let after = 0;
    return () => {
      if (page.length === 0) page = this.#options.journal.rows.following(this.#closed, after, PAGE);
      const row = page.shift();
      if (row === undefined) return undefined;
      after = row.n;
      return {row, tries: 0, waits: false};
    };
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
      return this.#answered(look, codec.read(request, raw, clock.now()));
    } catch (failure) {
      if (!(failure instanceof TransportFailure)) throw failure;
      if (failure.kind === 'aborted') return {again: false};
      return this.#failed(look, failure.message, failure.sent);
    }
  }

  #answered(look: Look, answer: Answer): WorkEnd {
    const {row} = look;
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
        // Without an error code the answer may come from another server, so nothing is known about the record.
        if (answer.errorCode !== undefined)
          this.#settle(row, outcomeOf(row, {state: 'in_doubt', message: LOST}, answer));
        this.#stopFor('lost-record', lostText(row, row.outcome.id));
        break;
      case 'unauthorized':
      case 'forbidden':
        this.#stopFor('credentials', words);
        break;
      case 'redirect':
        this.#stopFor('redirect', words);
        break;
      default:
        this.unread++;
        if (++this.#refused >= REFUSED_STREAK)
          this.#stopFor('refused-at-first', `${REFUSED_STREAK} records in a row could not be read: ${words}`);
    }
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
    this.#failing = this.#throttled = this.#refused = 0;
    return this.#read(look, answer);
  }

  #read(look: Look, answer: Answer): WorkEnd {
    const {row} = look;
    const {kind, onUnknown} = this.#options;
    const record = answer.json;
    const known = row.outcome;
    if (!isObject(record) || typeof record['status'] !== 'string')
      return this.#failed(look, 'the record could not be read', true);
    const {sanitizer} = this.#options.journal;
    const status = sanitizer.token(record['status']); // as the journal stores it, so that the two can be compared
    const seen = judgeSeen({kind, before: known.status, record, status});
    if (seen.unknown && !this.#unknown.has(seen.status)) {
      this.#unknown.add(seen.status);
      onUnknown(seen.status, row.reference);
    }
    const {requestId = null} = answer;
    const {code, message} = known;
    const found = code === DIFFERS_CODE ? undefined : paysOtherwise(answer, row, kind);
    if (seen.is === 'same' || seen.is === 'stale') {
      if (found !== undefined) this.#settle(row, {...known, ...found, http: answer.status, requestId});
      return {again: false};
    }
    const isNoted = code === DIFFERS_CODE || code === DIFFERS_AS_ACCEPTED.code;
    const differs = found ?? (isNoted ? {code, message} : undefined);
    const facts =
      seen.facts.message === null && differs !== undefined ? {...seen.facts, ...differs} : seen.facts;
    if (seen.status === 'failed' || seen.status === 'canceled')
      this.#options.journal.noteEnded(row.n, known.id, seen.status);
    this.#settle(row, {...known, ...facts, status: seen.status, http: answer.status, requestId});
    return {again: false};
  }

  /** Nothing was learned. The gate is closed for a growing time, then this row or the next one is tried. */
  #failed(look: Look, words: string, sent: boolean): WorkEnd {
    const {random, until, pace} = this.#options;
    const isNewFailure = this.#closeGate(() =>
      fullJitter({attempt: this.#failing++, baseMs: 250, capMs: FAILING_CAP_MS, random}),
    );
    if (until === undefined && isNewFailure && this.#failing >= FAILING_STREAK)
      this.#stopFor('unreachable', words);
    if (!sent) return {again: true, afterMs: 0};
    if (until === undefined && look.tries < TRIES_ONCE) {
      pace.waiting++;
      look.waits = true;
      return {
        again: true,
        afterMs: fullJitter({attempt: look.tries, baseMs: 250, capMs: FAILING_CAP_MS, random}),
      };
    }
    this.unread++;
    return {again: false};
  }

  #refusedForLoad(retryAfterMs: number | undefined): WorkEnd {
    const {random, clock, maxWaitMs} = this.#options;
    if (retryAfterMs === undefined)
      this.#closeGate(() =>
        fullJitter({attempt: this.#throttled++, baseMs: 1000, capMs: THROTTLED_CAP_MS, random}),
      );
    if (clock.monotonic() - this.#lastGood > maxWaitMs)
      this.#stopFor('rate-limited', 'the service has answered nothing but 429 for longer than --max-wait');
    return {again: true, afterMs: 0};
  }

  #waitFor(ms: number): void {
    const until = this.#options.clock.monotonic() + ms;
    this.#gateUntil = Math.max(this.#gateUntil, until);
    this.#dispatcher?.closeGate(ms);
    if (ms > this.#options.maxWaitMs) this.#stopFor('rate-limited', waitTooLongText(ms));
  }

  /** Requests that were in flight together fail together; only the first failure closes the gate and counts. */
  #closeGate(ms: () => number): boolean {
    const now = this.#options.clock.monotonic();
    if (now < this.#gateUntil) return false;
    const wait = Math.max(1, ms());
    this.#gateUntil = now + wait;
    this.#dispatcher?.closeGate(wait);
    return true;
  }

  #settle(row: RecordedRow, outcome: Outcome): void {
    const {journal, clock, kind, until} = this.#options;
    const before = row.outcome;
    journal.record(outcome, clock.now());
    const {statuses, tally} = this.standing;
    const isDifferent = ({state, code}: Outcome): number =>
      state === 'accepted' && code === DIFFERS_CODE ? 1 : 0;
    this.standing.differs += isDifferent(outcome) - isDifferent(before);
    if (before.status !== null) addCount(statuses, before.status, -1);
    if (outcome.state === 'accepted') {
      if (outcome.status !== null) addCount(statuses, outcome.status, 1);
    } else {
      const bucket = outcome.state === 'dead_key' ? 'conflict' : 'in_doubt';
      if (outcome.state === 'dead_key') this.standing.canceled++;
      const amount = BigInt(row.amount);
      tally.accepted.count--;
      tally.accepted.totals.subtract(row.currency, amount);
      tally[bucket].count++;
      tally[bucket].totals.add(row.currency, amount);
    }
    const to = outcome.state === 'in_doubt' ? undefined : outcome.status;
    moveCount(this.counts, kind, until, {from: before.status, to});
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

  #stopFor(reason: Stop['reason'], message: string): void {
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
