import {fullJitter} from '../client/backoff.ts';
import {readAnswer, type Answer} from '../client/answer.ts';
import {TransportFailure, type Transport, type TransportRequest} from '../client/transport.ts';
import type {Clock} from '../clock.ts';
import {isOwnLimit, type StopReason} from './answers.ts';
import type {JournalRow} from './journal-row.ts';
import type {Standing} from './journal-standing.ts';
import type {Journal} from './journal.ts';
import {DIFFERS_CODE, type Bucket, bucketOf, type Outcome} from './outcome.ts';
import type {Kind} from './kinds.ts';
import type {Claims} from './registry.ts';
import type {Sending, Speed} from './speed.ts';
import {CappedSpeed} from './speed-cap.ts';
import type {Wire} from './wire.ts';

/** Requests for one row in one run before it is left in doubt; a later run takes it up again. */
export const TRIES = 8;
const BACKOFF_CAP_MS = 20_000;
const UNREACHABLE_CAP_MS = 5_000;
/** Failures to connect, one after the other, before the run gives up for now. */
const UNREACHABLE_STREAK = 8;
/** After a socket could not be opened here: until one of those in use is free. */
const CROWDED_MS = 50;
const FAILING_STREAK = 16;
const FAILING_MS = 60_000;
const FORBIDDEN_STREAK = 3;
const REFUSED_STREAK = 3;
/** Outcomes that are committed together at most; a window takes them with it, and half a second commits them too. */
const GROUP = 16_384;

export interface Stop {
  reason: StopReason | 'interrupted' | 'terminated';
  message: string;
}

export interface RunSettings {
  kind: Kind;
  /** A row staged (or first sent) longer ago than this is not replayed: the service may have forgotten its key. */
  horizonMs: number;
  /** A Retry-After above this stops the run instead of keeping it waiting. */
  maxWaitMs: number;
  /** Release rows whose record differs in rail, currency or metadata. */
  acceptDifferences: boolean;
  /** Release although some rows are in doubt or in conflict. */
  releaseRest: boolean;
  /** Believe refusals that come before anything has succeeded. */
  trustRefusals: boolean;
  /** Release rows again whose approval had failed. */
  retryUnapproved: boolean;
  /** The profile allows the standalone approve, by id, for rows whose key is past the horizon. */
  approveById?: boolean;
  /** Rows that the first window makes sendable, instead of the usual number. */
  windowRows?: number | undefined;
}

/** What an exchange brought: a whole answer, or none. */
export type Exchange = {answer: Answer} | {failure: TransportFailure};

/** How a row that the service did not take goes on: `wait` for the gate, or `left` for another run. */
export type NotSentEnd = 'wait' | 'left';

/**
 * What all phases of one run share: sending, counting, settling rows in the journal, and the rules by which a whole run
 * stops. It knows nothing of phases.
 */
export class RunContext {
  readonly journal: Journal;
  readonly wire: Wire;
  readonly claims: Claims;
  readonly speed: CappedSpeed;
  readonly clock: Clock;
  readonly settings: RunSettings;
  /** Kept up to date as rows are settled. */
  readonly standing: Standing;
  /** Throws when this process may not go on; called before each window. */
  readonly beforeWindow: () => void;
  /** POSTs sent by this run. */
  posts = 0;
  /** Rows that came to rest in this run. */
  settledRows = 0;
  stop: Stop | undefined;
  /** Set by the phase that is running. */
  onStop: () => void = () => undefined;
  onGate: (ms: number) => void = () => undefined;
  /** Monotonic time before which nothing is sent, in whatever phase. */
  gateUntil = -Infinity;
  /** Monotonic time of the last whole answer that was no refusal. */
  lastGood: number;
  /** The same on the wall, which goes on while the machine sleeps. */
  #lastGoodWall: number;
  /** Something has succeeded, now or in an earlier run, so a refusal speaks of its row and not of our settings. */
  proven: boolean;

  readonly #transport: Transport;
  readonly #random: () => number;
  readonly #abort: AbortSignal;
  readonly #stopped = new AbortController();
  #inFlight = 0;
  #unreachable = 0;
  #failing = 0;
  #forbidden = 0;
  #refused = 0;
  #hasAged = false;
  #deferred: {row: JournalRow; before: Bucket; outcome: Outcome}[] = [];

  constructor(options: {
    journal: Journal;
    claims: Claims;
    wire: Wire;
    transport: Transport;
    speed: Speed;
    clock: Clock;
    random: () => number;
    settings: RunSettings;
    /** Aborts what is in flight: the second Ctrl-C. */
    abort: AbortSignal;
    beforeWindow: () => void;
  }) {
    this.journal = options.journal;
    this.claims = options.claims;
    this.wire = options.wire;
    this.#transport = options.transport;
    this.speed = new CappedSpeed(options.speed);
    this.clock = options.clock;
    this.#random = options.random;
    this.settings = options.settings;
    this.#abort = options.abort;
    this.beforeWindow = options.beforeWindow;
    options.journal.makeDoubtExplicit();
    this.standing = options.journal.standing();
    this.lastGood = options.clock.monotonic();
    this.#lastGoodWall = options.clock.now();
    const {accepted, staged, unapproved} = this.standing.tally;
    this.proven = options.settings.trustRefusals || accepted.count + staged.count + unapproved.count > 0;
  }

  /**
   * Milliseconds without a success. A machine that sleeps stops its monotonic clock, a wall clock may be set back: the
   * larger of the two counts.
   */
  get quietMs(): number {
    return Math.max(this.clock.monotonic() - this.lastGood, this.clock.now() - this.#lastGoodWall);
  }

  /** Sends one request. What the answer means is for the caller; what it says of the service is counted here. */
  async exchange(request: TransportRequest): Promise<Exchange> {
    if (request.method === 'POST') this.posts++;
    const sending = {at: this.clock.monotonic(), inFlight: ++this.#inFlight};
    try {
      request.signal = this.#abort;
      const raw = await this.#transport.send(request);
      const nowWall = this.clock.now();
      const answer = readAnswer(raw, nowWall);
      this.#countAnswer(answer, sending, nowWall);
      return {answer};
    } catch (failure) {
      if (!(failure instanceof TransportFailure)) throw failure;
      if (request.method === 'POST' && !failure.sent) this.posts--; // not a byte of it left
      if (failure.sent && failure.kind !== 'aborted') this.speed.failed(this.clock.monotonic());
      if (isOwnLimit(failure)) this.speed.tooMany(sending.inFlight);
      return {failure};
    } finally {
      this.#inFlight--;
    }
  }

  #countAnswer(answer: Answer, sending: Sending, nowWall: number): void {
    const now = this.clock.monotonic();
    const {status, retryAfterMs} = answer;
    if (retryAfterMs !== undefined) this.#waitFor(retryAfterMs);
    if (status === 429 || retryAfterMs !== undefined) this.speed.refused(now, sending, retryAfterMs);
    else if (status >= 500 || status === 408 || status === 425) this.speed.failed(now);
    else if (status >= 300) this.speed.answered(now, sending);
    else this.speed.succeeded(now, sending);
    if (status >= 300) return;
    // A success that asks to wait, as 202 may, is a success all the same.
    this.lastGood = now;
    this.#lastGoodWall = nowWall;
    this.#unreachable = this.#failing = this.#forbidden = this.#refused = 0;
    if (!this.proven) this.#believeRefusals();
    this.proven = true;
  }

  /** Retry-After is a floor for the whole run, however long; past the user's patience the run ends instead. */
  #waitFor(ms: number): void {
    this.#shutGate(ms);
    if (ms > this.settings.maxWaitMs)
      this.stopFor(
        'rate-limited',
        `the service asks to wait ${Math.ceil(ms / 1000)} s, longer than --max-wait`,
      );
  }

  #shutGate(ms: number): void {
    this.gateUntil = Math.max(this.gateUntil, this.clock.monotonic() + ms);
    this.onGate(ms);
  }

  /** For what is sent outside of a dispatcher. False when the run was stopped, at once also while it waited. */
  async gateOpened(): Promise<boolean> {
    while (this.stop === undefined && this.gateUntil > this.clock.monotonic())
      await this.pause(this.gateUntil - this.clock.monotonic());
    return this.stop === undefined;
  }

  /** Sleeps, but not beyond a stop. */
  async pause(ms: number): Promise<void> {
    await this.clock.sleep(ms, this.#stopped.signal).catch(() => undefined);
  }

  /** Milliseconds before the next try of a row; grows with its tries. */
  backoff(tries: number, throttled: boolean): number {
    return fullJitter({
      attempt: tries,
      baseMs: throttled ? 1000 : 200,
      capMs: BACKOFF_CAP_MS,
      random: this.#random,
    });
  }

  /** The service fails to answer: when nothing else happens for a minute, there is no use in going on row by row. */
  countFailing(): void {
    this.#failing++;
    if (this.#failing >= FAILING_STREAK && this.clock.monotonic() - this.lastGood > FAILING_MS)
      this.stopFor('failing', `nothing but server errors and lost answers for ${FAILING_MS / 1000} s`);
  }

  /** A request that surely was not taken. Closes the gate, or counts towards a stop. */
  notSent(
    verdict: {
      then: 'gate' | 'crowded' | 'streak' | 'forbidden' | 'stop';
      throttled: boolean;
      stop?: StopReason;
    },
    words: string,
  ): NotSentEnd {
    switch (verdict.then) {
      case 'gate':
        this.#closeGate(verdict.throttled, words);
        return 'wait';
      case 'crowded':
        this.#shutGate(CROWDED_MS);
        if (this.clock.monotonic() - this.lastGood > FAILING_MS) this.stopFor('unreachable', words);
        return 'wait';
      case 'forbidden':
        if (!this.proven || ++this.#forbidden >= FORBIDDEN_STREAK) this.stopFor('credentials', words);
        return 'left';
      case 'streak':
        this.#countRefused(words);
        return 'left';
      case 'stop':
        this.stopFor(verdict.stop!, words);
        return 'left';
    }
  }

  /** After a 429 the pacer decides when the next request leaves, after a Retry-After the gate is closed already. */
  #closeGate(throttled: boolean, words: string): void {
    if (throttled) {
      if (this.clock.monotonic() - this.lastGood > this.settings.maxWaitMs)
        this.stopFor('rate-limited', 'the service has answered nothing but 429 for longer than --max-wait');
      return;
    }
    this.#shutGate(
      fullJitter({
        attempt: this.#unreachable++,
        baseMs: 200,
        capMs: UNREACHABLE_CAP_MS,
        random: this.#random,
      }),
    );
    if (this.#unreachable >= UNREACHABLE_STREAK) this.stopFor('unreachable', words);
  }

  #countRefused(words: string): void {
    if (++this.#refused >= REFUSED_STREAK)
      this.stopFor('refused-at-first', `${REFUSED_STREAK} requests in a row were refused: ${words}`);
  }

  /**
   * A definite refusal of a row. Before anything has succeeded it is kept back, for a wrong address or a wrong entity
   * refuses every row alike: the first success makes it believed, the third in a row stops the run.
   */
  reject(row: JournalRow, before: Bucket, outcome: Outcome): void {
    if (this.proven) {
      this.settle(row, before, outcome);
      return;
    }
    this.#deferred.push({row, before, outcome});
    this.#countRefused(`${outcome.code ?? String(outcome.http)}: ${outcome.message ?? 'no message'}`);
  }

  #believeRefusals(): void {
    for (const {row, before, outcome} of this.#deferred.splice(0)) this.settle(row, before, outcome);
  }

  /** At the end of a phase: refusals that nothing contradicted stand, unless the run was stopped over them. */
  endOfPhase(): void {
    if (this.stop === undefined) this.#believeRefusals();
    for (const {row, before, outcome} of this.#deferred.splice(0))
      this.settle(row, before, {...outcome, state: 'not_sent'});
    this.flush();
  }

  /** Registry first: a reference that the journal says was refused must be free already. */
  flush(): void {
    // Whoever took the lock away from us owns journal and registry now.
    if (this.journal.unflushed > 0 || this.#hasAged) this.beforeWindow();
    this.#hasAged = false;
    this.claims.flush();
    this.journal.flush();
  }

  /** The service has known the key of a row for longer than we thought. */
  aged(row: JournalRow, since: number): void {
    this.claims.older(row, since);
    this.#hasAged = true;
  }

  /** Writes what became of a row, and moves it in the counts. `before` is the bucket in which it was counted. */
  settle(row: JournalRow, before: Bucket, outcome: Outcome): void {
    if (outcome.state === 'rejected') this.claims.free(row.reference);
    else if (outcome.state === 'accepted') this.claims.paid(row.reference, outcome.id);
    this.journal.record(outcome, this.clock.now());
    if (this.journal.unflushed >= GROUP) this.flush();
    this.settledRows++;
    this.#countStanding(row, before, outcome);
  }

  #countStanding(row: JournalRow, before: Bucket, outcome: Outcome): void {
    const {tally, statuses, orphans} = this.standing;
    if (row.outcome?.state === 'held') this.standing.held--;
    if (outcome.state === 'held') this.standing.held++;
    if (outcome.code === DIFFERS_CODE) this.standing.differs++; // what is accepted is not settled again in a run
    if (outcome.state === 'accepted' && outcome.status !== null)
      statuses[outcome.status] = (statuses[outcome.status] ?? 0) + 1;
    if (outcome.orphan !== null && outcome.orphan !== row.outcome?.orphan)
      orphans.push({reference: row.reference, id: outcome.orphan});
    const after = bucketOf(outcome.state);
    if (after === before) return;
    tally[before].count--;
    tally[before].totals.subtract(row.currency, row.amount);
    tally[after].count++;
    tally[after].totals.add(row.currency, row.amount);
  }

  /** The service does not know a record that it gave an id. */
  stopForLost(row: JournalRow, id: string): void {
    this.stopFor('lost-record', lostText(row, id));
  }

  stopFor(reason: Stop['reason'], message: string): void {
    if (this.stop !== undefined) return;
    this.stop = {reason, message};
    this.#stopped.abort();
    this.onStop();
  }
}

/** In which bucket the tally counts a row that a phase takes up; `covered` counts only where it has no outcome. */
export function bucketBefore(row: JournalRow, covered: boolean): Bucket {
  if (row.outcome === undefined) return covered ? 'in_doubt' : 'not_sent';
  return bucketOf(row.outcome.state);
}

/** Of a row whose record the service does not know. */
export const LOST = 'the service does not know this record any more';

export const lostText = ({n, reference}: JournalRow, id: string): string =>
  `the record ${id} of row ${n} (${reference}) is not found any more`;

/** A new outcome for a row, on top of what was known. */
export function outcomeOf(
  row: JournalRow,
  facts: Partial<Outcome> & Pick<Outcome, 'state'>,
  answer?: Answer,
): Outcome {
  const known = row.outcome;
  const {id, status, stagedAt, http, code, message, requestId, attempts, orphan} = facts; // spread, they take five times as long
  return {
    n: row.n,
    state: facts.state,
    id: id === undefined ? (known?.id ?? null) : id,
    status: status === undefined ? (known?.status ?? null) : status,
    stagedAt: stagedAt === undefined ? (known?.stagedAt ?? null) : stagedAt,
    http: http === undefined ? (answer?.status ?? null) : http,
    code: code === undefined ? (answer?.errorCode ?? null) : code,
    message: message === undefined ? (answer?.warning ?? answer?.message ?? null) : message,
    requestId: requestId === undefined ? (answer?.requestId ?? null) : requestId,
    attempts: attempts ?? known?.attempts ?? 0,
    orphan: orphan === undefined ? (known?.orphan ?? null) : orphan,
  };
}

/** `503 SERVICE_UNAVAILABLE: the bank is away`, or what broke. */
export function wordsOf(end: Exchange): string {
  if ('failure' in end) return end.failure.message;
  const {status, errorCode, message} = end.answer;
  return (
    [String(status), ...(errorCode === undefined ? [] : [errorCode])].join(' ') +
    (message === undefined ? '' : `: ${message}`)
  );
}
