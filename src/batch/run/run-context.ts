import {fullJitter} from '../../client/backoff.ts';
import {type Answer, isObject, readAnswer} from '../../client/answer.ts';
import {TransportFailure, type Transport, type TransportRequest} from '../../client/transport.ts';
import type {Clock} from '../../clock.ts';
import {Sanitizer} from '../../sanitize/sanitizer.ts';
import {type Activity, StepRate, stepsLeft} from '../standing/activity.ts';
import {EarlierTries} from './earlier-tries.ts';
import {isOwnLimit, isReadable, whatCame} from './answers.ts';
import type {JournalRow} from '../journal/row.ts';
import type {Standing} from '../model/tally.ts';
import type {Journal} from '../journal/journal.ts';
import {DIFFERS_CODE, type Bucket, bucketOf, type Outcome} from '../model/outcome.ts';
import type {Kind} from '../model/kinds.ts';
import {Patience} from './patience.ts';
import type {Claims} from '../registry/registry.ts';
import type {Sending, Speed} from '../speed/speed.ts';
import {CappedSpeed} from '../speed/cap.ts';
import {LOST, lostText, waitTooLongText} from './stop-words.ts';
import type {Exchange, Wire} from './wire.ts';
import type {Stop, StopReason} from '../model/stop.ts';
import type {RunPath} from '../model/run-path.ts';

/** Tries of one row while others succeed, before it is left in doubt for a later run. */
export const TRIES = 8;
const BACKOFF_CAP_MS = 20_000;
const UNREACHABLE_CAP_MS = 5_000;
/** After a socket could not be opened here: until one of those in use is free. */
const CROWDED_MS = 50;
const CHECK_EVERY_MS = 1000;
/** A longer time without a success is not counted when the speed of the run is measured. */
const SHORTEST_OUTAGE_MS = 1000;
const FORBIDDEN_STREAK = 3;
const REFUSED_STREAK = 3;
/** Outcomes that are committed together at most; a window takes them with it, and half a second commits them too. */
const GROUP = 16_384;

export interface RunSettings {
  kind: Kind;
  /** A row staged (or first sent) longer ago than this is not replayed: the service may have forgotten its key. */
  horizonMs: number;
  /** `--max-wait`: replaces every limit of patience. Without it a Retry-After above 15 minutes stops the run. */
  maxWaitMs?: number | undefined;
  /** Release rows whose record differs in rail, currency or metadata. */
  acceptDifferences: boolean;
  /** A cap of the profile refuses `acceptDifferences` when this is false. */
  mayAcceptDifferences?: boolean;
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

/** How a row that the service did not take goes on: `wait` for the gate, or `left` for another run. */
export type NotSentEnd = 'wait' | 'left';

/** How often a row was sent in this run. */
export interface Tries {
  /** All requests that left. */
  sends: number;
  /** Those that count: not the ones during an outage, in which nothing succeeded since the try before. */
  tries: number;
  /** Readable successes of the run when a try of the row last ended without a result. */
  successes: number | undefined;
}

/** A refusal that is believed only after a success. */
interface Deferred {
  row: JournalRow;
  before: Bucket;
  outcome: Outcome;
  /** What the row becomes without one, when it may have been sent before. */
  doubt: Outcome | undefined;
}

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
  /** Outcomes written by this run: one for each stage of a row. */
  steps = 0;
  /** Requests that repeated an earlier one. */
  retries = 0;
  stop: Stop | undefined;
  /** Set by the phase that is running. */
  onStop: () => void = () => undefined;
  onGate: (ms: number) => void = () => undefined;
  /** Monotonic time before which nothing is sent, in whatever phase. */
  gateUntil = -Infinity;
  readonly earlierTries: EarlierTries;
  readonly patience: Patience;
  /** When the last readable success came by the wall clock, which goes on while the machine sleeps. */
  #lastGoodWall: number;
  /** Something has succeeded, now or in an earlier run, so a refusal speaks of its row and not of our settings. */
  proven: boolean;
  /** The service refused the replay of a staged row, or showed another record for it. */
  isProbeRefused = false;

  readonly #transport: Transport;
  readonly #random: () => number;
  readonly #abort: AbortSignal;
  readonly #stopped = new AbortController();
  readonly #rate = new StepRate();
  #inFlight = 0;
  #unreachable = 0;
  #forbidden = 0;
  #refused = 0;
  #checkedAt = -Infinity;
  /** A record of the batch, and its row. */
  #known: {row: JournalRow; id: string} | undefined;
  /** Records that were not found. Their rows may be in flight, so they are put in doubt when the phase has ended. */
  readonly #lost: {reference: string; id: string}[] = [];
  #hasAged = false;
  #gateSince = 0;
  #deferred: Deferred[] = [];

  constructor(options: {
    journal: Journal;
    claims: Claims;
    wire: Wire;
    transport: Transport;
    speed: Speed;
    clock: Clock;
    random: () => number;
    settings: RunSettings;
    keyFingerprint: string;
    /** Creates ask for approval. */
    isDirect: boolean;
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
    options.journal.sanitizer.conceal(options.wire.secret);
    const {keyFingerprint: key, isDirect} = options;
    this.earlierTries = new EarlierTries(this, {key, isDirect});
    options.journal.makeDoubtExplicit();
    this.standing = options.journal.standing();
    this.patience = new Patience(options.clock.monotonic(), options.settings.maxWaitMs);
    this.#lastGoodWall = options.clock.now();
    const {accepted, staged, unapproved} = this.standing.tally;
    this.proven = options.settings.trustRefusals || accepted.count + staged.count + unapproved.count > 0;
  }

  /**
   * Milliseconds without a success. A machine that sleeps stops its monotonic clock, a wall clock may be set back: the
   * larger of the two counts.
   */
  get quietMs(): number {
    return Math.max(this.clock.monotonic() - this.patience.lastGood, this.clock.now() - this.#lastGoodWall);
  }

  /** What the run is doing at the moment. */
  activity(path: RunPath): Activity {
    const now = this.clock.monotonic();
    const perSecond = this.#rate.sample(now, this.steps);
    const {trouble} = this.patience;
    const nextTryMs = Math.max(0, this.gateUntil - now);
    const isHeld = trouble === undefined && nextTryMs > 0;
    return {
      steps_per_second: Math.round(perSecond * 10) / 10,
      retries: this.retries,
      waiting:
        trouble === undefined && !isHeld
          ? null
          : {
              for: trouble?.kind ?? 'retry-after',
              since_ms: Math.round(now - (trouble?.since ?? this.#gateSince)),
              next_try_ms: Math.round(nextTryMs),
            },
      left_ms: perSecond > 0 ? Math.round((stepsLeft(path, this.standing.tally) * 1000) / perSecond) : null,
    };
  }

  /** Sends one request. What the answer means is for the caller; what it says of the service is counted here. */
  async exchange(request: TransportRequest, {isCheck = false} = {}): Promise<Exchange> {
    if (request.method === 'POST') this.posts++;
    const sending = {at: this.clock.monotonic(), inFlight: ++this.#inFlight};
    const isCreate = 'idempotency-key' in request.headers;
    try {
      request.signal = this.#abort;
      const raw = await this.#transport.send(request);
      const nowWall = this.clock.now();
      const answer = this.#withoutSecrets(readAnswer(raw, nowWall));
      this.#countAnswer(answer, {isCreate, isCheck}, sending, nowWall);
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

  /**
   * A record whose id cannot be shown and stored as it is, is no readable record: it holds the key, or does not print.
   * What an error shows under a protected name is masked in its words as well.
   */
  #withoutSecrets(answer: Answer): Answer {
    const {sanitizer} = this.journal;
    if (answer.status >= 300 || answer.warning !== undefined) sanitizer.learn(answer.json);
    const id = isObject(answer.json) ? answer.json['id'] : undefined;
    return typeof id !== 'string' || sanitizer.isClean(id) ? answer : {...answer, json: {}};
  }

  #countAnswer(
    answer: Answer,
    {isCreate, isCheck}: {isCreate: boolean; isCheck: boolean},
    sending: Sending,
    nowWall: number,
  ): void {
    const now = this.clock.monotonic();
    const isGood = isReadable(answer, isCreate);
    const {status, retryAfterMs} = answer;
    if (isGood) {
      this.speed.succeeded(now, sending);
      if (!isCheck || this.patience.successes === 0) this.#countSuccess(now, nowWall);
    }
    if (retryAfterMs !== undefined) this.#waitFor(retryAfterMs, isGood);
    if (status === 429 || retryAfterMs !== undefined) {
      const isTooLong = retryAfterMs !== undefined && retryAfterMs > this.patience.maxWaitMs;
      this.speed.refused(now, sending, isTooLong ? undefined : retryAfterMs);
      if (!isGood && this.patience.throttled(now)) this.#stopThrottled();
    } else if (status >= 500 || status === 408 || status === 425) this.speed.failed(now);
    else if (status >= 300) this.speed.answered(now, sending);
    else if (!isGood && (isCreate || !answer.empty)) this.#countUnreadable(answer, now);
  }

  #countSuccess(now: number, nowWall: number): void {
    const {trouble} = this.patience;
    const isAfterOutage = trouble !== undefined && trouble.kind !== 'throttled';
    if (isAfterOutage && now - trouble.since >= SHORTEST_OUTAGE_MS) this.#rate.restart();
    this.patience.succeeded(now);
    this.#lastGoodWall = nowWall;
    this.#unreachable = this.#forbidden = this.#refused = 0;
    this.proven = true;
    if (this.#deferred.length > 0) this.#believeRefusals();
  }

  /** A sign-in page, a proxy or another service: it shows nothing of the service, however often it comes. */
  #countUnreadable(answer: Answer, now: number): void {
    this.speed.failed(now);
    if (this.patience.unreadable())
      this.stopFor('unreadable', `the service answered ${whatCame(answer, this.settings.kind)}`);
  }

  #stopThrottled(): void {
    const seconds = Math.round(this.patience.maxWaitMs / 1000);
    this.stopFor('rate-limited', `the service has answered only 429 for ${seconds} s`);
  }

  /**
   * Retry-After is a floor for the whole run. Longer than `--max-wait` it ends the run, but not on a success: the service
   * takes requests then.
   */
  #waitFor(ms: number, isGood: boolean): void {
    if (ms <= this.patience.maxWaitMs) {
      this.#shutGate(ms);
      return;
    }
    if (isGood) return;
    this.#shutGate(ms);
    this.stopFor('rate-limited', waitTooLongText(ms));
  }

  #shutGate(ms: number): void {
    const now = this.clock.monotonic();
    if (this.gateUntil <= now) this.#gateSince = now;
    this.gateUntil = Math.max(this.gateUntil, now + ms);
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

  /** A row is sent (again). */
  begin(job: Tries): void {
    if (job.sends++ > 0) this.retries++;
  }

  /**
   * A request that was sent at `sentAt` brought no usable answer.
   * @returns whether its row may be tried again in this run
   */
  async mayTryAgain(job: Tries, sentAt: number, words: string): Promise<boolean> {
    if (job.successes !== this.patience.successes || (await this.#isAlive())) job.tries++;
    job.successes = this.patience.successes;
    this.countFailing(sentAt, words);
    return job.tries < TRIES;
  }

  /**
   * Whether the service still shows a record, asked once a second at most: where no other row is left to succeed, this
   * tells a row that always fails from an outage. It does not make the run more patient, unless it is the first success.
   */
  async #isAlive(): Promise<boolean> {
    const now = this.clock.monotonic();
    if (this.stop !== undefined || now - this.#checkedAt < CHECK_EVERY_MS) return false;
    this.#checkedAt = now;
    this.#known ??= knownOf(this.journal.recordMadeBetween(0, Infinity));
    if (this.#known === undefined || !(await this.gateOpened())) return false;
    const {row, id} = this.#known;
    const end = await this.exchange(this.wire.get(id), {isCheck: true});
    if ('answer' in end && end.answer.status === 404) this.notFound(row, id, end.answer);
    return 'answer' in end && isReadable(end.answer, false);
  }

  /** Stops the run when the service has failed for too long. */
  countFailing(sentAt: number, words: string): void {
    this.#countOutage('failing', sentAt, words);
  }

  #countOutage(kind: 'unreachable' | 'failing', sentAt: number, words: string): void {
    const now = this.clock.monotonic();
    if (!this.patience.failed(kind, sentAt, now)) return;
    const seconds = Math.round((now - this.patience.trouble!.since) / 1000);
    this.stopFor(
      kind,
      kind === 'unreachable'
        ? `the service could not be reached for ${seconds} s: ${words}`
        : `the service gave no usable answer for ${seconds} s: ${words}`,
    );
  }

  /** A request, sent at `sentAt`, that was certainly not accepted. Closes the gate, or counts towards a stop. */
  notSent(
    verdict: {
      then: 'gate' | 'crowded' | 'streak' | 'forbidden' | 'stop';
      throttled: boolean;
      stop?: StopReason;
    },
    sentAt: number,
    words: string,
  ): NotSentEnd {
    switch (verdict.then) {
      case 'gate':
        if (!verdict.throttled) this.#closeGate(sentAt, words); // after a 429 the pacer decides
        return 'wait';
      case 'crowded':
        this.#shutGate(CROWDED_MS);
        this.#countOutage('unreachable', sentAt, words);
        return 'wait';
      case 'forbidden':
        if (!this.proven || ++this.#forbidden >= FORBIDDEN_STREAK) this.stopFor('credentials', words);
        return 'left';
      case 'streak':
        if (this.proven) this.countFailing(sentAt, words);
        else this.#countRefused(words);
        return 'left';
      case 'stop':
        this.stopFor(verdict.stop!, words);
        return 'left';
    }
  }

  /** Requests that were in flight together fail together: only the first of them closes the gate. */
  #closeGate(sentAt: number, words: string): void {
    this.#countOutage('unreachable', sentAt, words);
    if (this.clock.monotonic() < this.gateUntil) return;
    this.#shutGate(
      fullJitter({
        attempt: this.#unreachable++,
        baseMs: 200,
        capMs: UNREACHABLE_CAP_MS,
        random: this.#random,
      }),
    );
  }

  #countRefused(words: string): void {
    if (++this.#refused >= REFUSED_STREAK)
      this.stopFor('refused-at-first', `${REFUSED_STREAK} requests in a row were refused: ${words}`);
  }

  /**
   * A definite refusal of a row. Before anything has succeeded it is kept back, for a wrong address or a wrong entity
   * refuses every row alike: the first success makes it believed, the third in a row stops the run.
   * @param doubt what the row becomes without a success of this run, if it may have been sent before
   */
  reject(row: JournalRow, before: Bucket, outcome: Outcome, doubt?: Outcome): void {
    if (doubt === undefined ? this.proven : this.patience.successes > 0) {
      this.settle(row, before, outcome);
      return;
    }
    this.#deferred.push({row, before, outcome, doubt});
    if (!this.proven)
      this.#countRefused(`${outcome.code ?? String(outcome.http)}: ${outcome.message ?? 'no message'}`);
  }

  #believeRefusals(): void {
    for (const {row, before, outcome} of this.#deferred.splice(0)) this.settle(row, before, outcome);
  }

  /**
   * Where no other row was left to succeed, a record that the service still shows is the success that refusals of rows in
   * doubt wait for. Without it the command that goes on with such a row would end the same way each time.
   */
  async readForRefusals(): Promise<void> {
    if (this.patience.successes > 0 || !this.#deferred.some(({doubt}) => doubt !== undefined)) return;
    const row = this.journal.recordMadeBetween(0, Infinity);
    if (row === undefined || !(await this.gateOpened())) return;
    const id = row.outcome!.id!; // the query gives rows with a record
    const end = await this.exchange(this.wire.get(id), {isCheck: true});
    if ('answer' in end && end.answer.status === 404) this.notFound(row, id, end.answer);
  }

  /** At the end of a phase: refusals that nothing contradicted hold, unless the run was stopped or a row is in doubt. */
  endOfPhase(): void {
    const isBelieved = this.stop === undefined;
    if (this.#lost.length > 0) this.#settleLost();
    for (const {row, before, outcome, doubt} of this.#deferred.splice(0))
      this.settle(row, before, doubt ?? (isBelieved ? outcome : {...outcome, state: 'not_sent'}));
    this.flush();
  }

  #settleLost(): void {
    this.flush();
    for (const {reference, id} of this.#lost.splice(0)) {
      const row = this.journal.rowOf(reference)!; // it has a record
      const outcome = row.outcome?.id === id ? lostOutcome(row) : undefined;
      if (outcome !== undefined) this.settle(row, bucketOf(row.outcome!.state), outcome);
    }
  }

  /** Registry first: a reference that the journal says was refused must be free already. */
  flush(): void {
    // Whoever took the lock away from us owns journal and registry now.
    if (this.journal.unflushed > 0 || this.#hasAged) this.beforeWindow();
    this.#hasAged = false;
    this.claims.flush();
    this.journal.flush();
  }

  /** After a GET, and after what it showed was settled: a record that has failed or was canceled frees its reference. */
  noteEnded(row: JournalRow, id: string, status: string | null): void {
    if (status !== 'failed' && status !== 'canceled') return;
    this.claims.ended(row.reference, id, row.generation);
    this.journal.noteEnded(row.n, id, status, {isTold: true}); // the registry is flushed first
  }

  /** The service has known the key of a row for longer than we thought. */
  aged(row: JournalRow, since: number): void {
    this.claims.older(row, since);
    this.#hasAged = true;
  }

  /** Writes what became of a row, and moves it in the counts. `before` is the bucket in which it was counted. */
  settle(row: JournalRow, before: Bucket, outcome: Outcome): void {
    if (outcome.state === 'rejected')
      this.claims.free(row.reference, outcome.stagedAt === null ? undefined : row);
    else if (outcome.state === 'accepted') this.claims.paid(row.reference, outcome.id);
    this.journal.record(outcome, this.clock.now());
    if (this.journal.unflushed >= GROUP) this.flush();
    this.steps++;
    if (outcome.id !== null) this.#known = {row, id: outcome.id};
    this.#countStanding(row, before, outcome);
  }

  #countStanding(row: JournalRow, before: Bucket, outcome: Outcome): void {
    const {tally, statuses, orphans} = this.standing;
    if (row.outcome !== undefined) this.#uncount(row.outcome);
    if (outcome.state === 'held') this.standing.held++;
    if (outcome.state === 'dead_key' && outcome.status === 'canceled') this.standing.canceled++;
    if (outcome.state === 'accepted' && outcome.code === DIFFERS_CODE) this.standing.differs++;
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

  /** Takes back what was counted of the outcome that a row had, besides its bucket. */
  #uncount({state, status, code}: Outcome): void {
    const {standing} = this;
    if (state === 'held') standing.held--;
    if (state === 'dead_key' && status === 'canceled') standing.canceled--;
    if (state !== 'accepted') return;
    if (status !== null) standing.statuses[status]!--;
    if (code === DIFFERS_CODE) standing.differs--;
  }

  /**
   * A record that was read to learn about the service was answered with 404: the run ends. If the service itself says that
   * it does not know the record, the row is put in doubt. A 404 without an error code may come from another server.
   */
  notFound(row: JournalRow, id: string, {errorCode}: Answer): void {
    if (errorCode !== undefined) this.#lost.push({reference: row.reference, id});
    this.stopForLost(row, id);
  }

  /** The service does not know a record that it gave an id. */
  stopForLost(row: JournalRow, id: string): void {
    this.stopFor('lost-record', lostText(row, id));
  }

  stopFor(reason: Stop['reason'], message: string): void {
    if (this.stop !== undefined) return;
    this.stop = {reason, message: this.journal.sanitizer.line(message)};
    this.#stopped.abort();
    this.onStop();
  }
}

/** In which bucket the tally counts a row that a phase takes up; `covered` counts only where it has no outcome. */
export function bucketBefore(row: JournalRow, covered: boolean): Bucket {
  if (row.outcome === undefined) return covered ? 'in_doubt' : 'not_sent';
  return bucketOf(row.outcome.state);
}

const knownOf = (row: JournalRow | undefined): {row: JournalRow; id: string} | undefined =>
  row === undefined ? undefined : {row, id: row.outcome!.id!}; // the query gives rows with a record

/**
 * What a row becomes whose record is not found; undefined where it stays as it is. If the record is found again, it must
 * not be released by that alone: a refusal stays with its row, and a row that is held stays held.
 */
export function lostOutcome(row: JournalRow): Outcome | undefined {
  const known = row.outcome!; // it has a record
  if (known.state === 'unapproved' || known.state === 'dead_key')
    return {...known, state: 'in_doubt', status: 'created', http: known.http ?? 409};
  if (known.state !== 'staged' && known.state !== 'accepted') return undefined;
  return outcomeOf(row, {state: 'in_doubt', http: 404, code: null, message: LOST, requestId: null});
}

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

/** Long numbers in the words of a service may be anybody's account; those in our own are references and ids. */
const service = new Sanitizer();

/** `503 SERVICE_UNAVAILABLE: the bank is away`, or what broke. */
export function wordsOf(end: Exchange): string {
  if ('failure' in end) return end.failure.message;
  const {status, errorCode, message} = end.answer;
  return (
    [String(status), ...(errorCode === undefined ? [] : [errorCode])].join(' ') +
    (message === undefined ? '' : `: ${service.words(message)}`)
  );
}
