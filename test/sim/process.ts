import type {TransportAnswer} from '../../src/client/transport/transport.ts';
import {RemitError} from '../../src/errors.ts';
import type {Counts} from './counts.ts';
import {abandonDatabases} from './databases.ts';
import type {DiskFault} from './disk.ts';
import type {Attempt, SendingProcess} from './network.ts';
import type {Oracle, Sender} from './oracle.ts';
import type {SimIdentity, SimOs} from './os.ts';
import type {Place} from './place.ts';
import {ProcessClock, type Timeline} from './timeline.ts';

/** What befalls one process. Numbers count from 1. */
export interface Fate {
  /** At this changing call of its disk. */
  disk?: {call: number; fault: DiskFault} | undefined;
  /** It is killed as it sends this request, … */
  atSend?: {request: number; when: 'before' | 'after'} | undefined;
  /** … is given this answer, … */
  atAnswer?: number | undefined;
  /** … or after so many milliseconds. */
  afterMs?: number | undefined;
  /** First and second Ctrl-C, in milliseconds. */
  drainMs?: number | undefined;
  abortMs?: number | undefined;
}

export type Ending<T> = {is: 'done'; value: T} | {is: 'failed'; error: unknown} | {is: 'killed'; why: string};

/** One run of the tool on a place, from its start to its end or its death. */
export class SimProcess implements SendingProcess, Sender {
  ended = false;
  readonly place: Place;
  readonly identity: SimIdentity;
  readonly clock: ProcessClock;
  readonly drain = new AbortController();
  readonly abort = new AbortController();
  batchId = '';
  isDirect = false;
  acceptsDifferences = false;
  retriesUnapproved = false;
  approvesById = false;
  /** It runs `cancel`. */
  isCanceling = false;
  readonly open = new Set<string>();
  readonly looked = new Set<string>();
  lastGoodAt: number;
  lastCreatedAt: number;
  longestGapMs = 0;
  created = 0;
  unreadable = 0;
  hasRead = false;
  endedWell = false;
  readonly namespace: string;
  acceptsElsewhere: readonly string[] = [];
  acceptsDuplicates = false;
  readonly shownLost = new Set<string>();
  keyRefusals = 0;
  readonly refusedKeys = new Map<string, number>();
  wasKeyRefused = false;
  highestLimit = 1;
  hasProbed = false;
  isForgotten = false;
  inFlight = 0;
  mostInFlight = 0;
  gateUntil = 0;
  posts = 0;
  limit: () => number = () => 1;
  #runningSince: number | undefined;
  onOpened: () => void = () => undefined;
  /** Looks at each request before it leaves, besides the oracle. */
  audit: (attempt: Attempt) => void = () => undefined;
  readonly #os: SimOs;
  readonly #timeline: Timeline;
  readonly #oracle: Oracle;
  readonly #fate: Fate;
  readonly #counts: Counts;
  readonly #log: (text: () => string) => void;
  #diskCalls = 0;
  #sends = 0;
  #answers = 0;
  #whyKilled: string | undefined;
  #die: (why: string) => void = () => undefined;

  constructor(options: {
    os: SimOs;
    timeline: Timeline;
    oracle: Oracle;
    place: Place;
    namespace: string;
    identity: SimIdentity;
    fate: Fate;
    late: (ms: number) => number;
    counts: Counts;
    log: (text: () => string) => void;
  }) {
    this.place = options.place;
    this.namespace = options.namespace;
    this.identity = options.identity;
    this.#os = options.os;
    this.#timeline = options.timeline;
    this.lastGoodAt = this.lastCreatedAt = options.timeline.now;
    this.#oracle = options.oracle;
    this.#fate = options.fate;
    this.#counts = options.counts;
    this.#log = options.log;
    this.clock = new ProcessClock(options.timeline, this, options.late);
  }

  /** Between the opening of its batch and its end. */
  get isRunning(): boolean {
    return this.#runningSince !== undefined;
  }

  beginRun(): void {
    this.#runningSince = this.lastCreatedAt = this.#timeline.now;
    const {firstRunAt} = this.place;
    if (!firstRunAt.has(this.batchId)) firstRunAt.set(this.batchId, this.#timeline.now);
  }

  endRun(): void {
    this.#runningSince = undefined;
  }

  #breakOff(): void {
    if (this.#runningSince === undefined) return;
    this.place.doubtSince = Math.min(this.place.doubtSince, this.#runningSince);
    if (this.retriesUnapproved) this.place.brokenRetries.add(this.batchId);
    this.#runningSince = undefined;
  }

  async run<T>(work: (process: SimProcess) => Promise<T>): Promise<Ending<T>> {
    const {drainMs, abortMs, afterMs} = this.#fate;
    this.place.disk.onCall = (call, path) => this.#onDisk(call, path);
    this.place.disk.onKill = () => this.kill(`in a call of the disk`);
    this.#os.begin(this.identity);
    this.#os.every = (ms, beat) => this.#every(ms, beat);
    const drain = () => {
      this.#counts.signals++;
      this.drain.abort(interrupted());
    };
    if (drainMs !== undefined) this.#timeline.after(drainMs, drain, this);
    if (abortMs !== undefined) this.#timeline.after(abortMs, () => this.abort.abort(interrupted()), this);
    if (afterMs !== undefined) this.#timeline.after(afterMs, () => this.kill('by the clock'), this);
    const death = new Promise<Ending<T>>((resolve) => (this.#die = (why) => resolve({is: 'killed', why})));
    const life = work(this).then(
      (value): Ending<T> => ({is: 'done', value}),
      (error: unknown): Ending<T> => ({is: 'failed', error}),
    );
    let ending = await Promise.race([death, life]);
    if (this.#whyKilled !== undefined) ending = {is: 'killed', why: this.#whyKilled};
    this.endedWell = ending.is === 'done';
    await this.#bury();
    return ending;
  }

  /** SIGKILL: nothing that it still tries has any effect. */
  kill(why: string): void {
    if (this.ended) return;
    this.ended = true;
    this.#breakOff();
    this.#whyKilled = why;
    this.place.disk.kill();
    this.#log(() => `process ${this.identity.pid}: killed ${why}`);
    this.#die(why);
  }

  async #bury(): Promise<void> {
    this.ended = true;
    this.#breakOff();
    this.#os.end(this.identity);
    const {disk, root} = this.place;
    disk.onCall = () => undefined;
    if (this.#whyKilled !== undefined) {
      await this.#timeline.settle(); // what it was doing finds that nothing works any more
      abandonDatabases(root);
      disk.revive();
    }
  }

  #every(ms: number, beat: () => void): () => void {
    let isOn = true;
    const again = (): void => {
      if (!isOn) return;
      beat();
      this.#timeline.after(ms, again, this);
    };
    this.#timeline.after(ms, again, this);
    return () => (isOn = false);
  }

  #onDisk(call: string, path: string): DiskFault | undefined {
    const plan = this.#fate.disk;
    if (++this.#diskCalls !== plan?.call) return undefined;
    if (plan.fault.is === 'error') this.#counts.diskErrors++;
    this.#log(() => `disk: call ${this.#diskCalls}, ${call} of ${path}: ${JSON.stringify(plan.fault)}`);
    return plan.fault;
  }

  onSend(attempt: Attempt): void {
    this.inFlight++;
    if (attempt.method === 'POST') this.posts++;
    this.#log(
      () =>
        `process ${this.identity.pid}: request ${attempt.n} ${attempt.method} ${attempt.method === 'GET' ? attempt.path : attempt.body}`,
    );
    this.#oracle.sent(attempt, this);
    this.audit(attempt);
    const plan = this.#fate.atSend;
    if (++this.#sends !== plan?.request) return;
    if (plan.when === 'before') this.kill('before a request left');
    else this.#timeline.after(0, () => this.kill('after a request left'), this);
  }

  onEnd(attempt: Attempt, sent: boolean): void {
    this.inFlight--;
    if (this.inFlight === 0) this.mostInFlight = 0;
    if (!sent && attempt.method === 'POST') this.posts--;
  }

  onAnswer(attempt: Attempt, {headers}: TransportAnswer): void {
    this.#oracle.answered(attempt, this);
    const wait = waitOf(headers);
    if (wait !== undefined) this.gateUntil = Math.max(this.gateUntil, this.#timeline.now + wait);
    if (++this.#answers === this.#fate.atAnswer) this.kill('with an answer in its hands');
  }
}

const interrupted = () => new RemitError('INTERRUPTED', 'stopped by a signal');

function waitOf(headers: Readonly<Record<string, string>>): number | undefined {
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  return /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.parse(headers['date']!);
}
