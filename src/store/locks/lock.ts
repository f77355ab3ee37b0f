import {randomBytes} from 'node:crypto';
import {dirname} from 'node:path';
import {type Clock, systemClock} from '../../clock.ts';
import {type Hint, RemitError} from '../../errors.ts';
import {codeOf} from '../../narrow.ts';
import {fileFailure} from '../files/failures.ts';
import {makeFolder} from '../files/folder.ts';
import {type FoundLock, LockFile} from './lock-file.ts';
import {describeSelf, lifeOf, type ProcessProbe, systemProbe} from './lock-holder.ts';

const HEARTBEAT_MS = 2000;
/** A holder whose state is unknown counts as dead after this long without a heartbeat… */
const STALE_AFTER_MS = 30_000;
/**
 * … and after being watched for this long: the clocks of two machines may differ, but a changing heartbeat is
 * reliable.
 */
const WATCH_MS = 5000;
/** Another process is just taking over or releasing the lock: check again. */
const RETRY_MS = 20;
const RETRIES = 100;
/** How long to wait for a holder that needs the lock only briefly: a status must not cause a run to be refused. */
const BRIEF_WAIT_MS = 30_000;

export interface LockOptions {
  /** What the lock is held for, in words that fit "… is running"; shown to a refused user. */
  purpose: string;
  /**
   * Takes the lock from any holder, unless that process is known to be alive on this machine. The holder notices
   * within a heartbeat, and stops.
   */
  breakLock?: boolean;
  /** Held only briefly: other processes wait instead of being refused. */
  brief?: boolean;
  /** Refused at once, even if the holder needs the lock only briefly. */
  atOnce?: boolean;
  /** What a refused user can type. */
  hint?: Hint;
  clock?: Clock;
  probe?: ProcessProbe;
  /** Calls `beat` regularly without keeping the process alive, until the returned function is called. */
  schedule?: (beat: () => void) => () => void;
}

export interface Lock {
  readonly path: string;
  /** Aborted when another process has taken the lock; its reason is a RemitError LOCKED. Stop immediately. */
  readonly lost: AbortSignal;
  /** Reads the lock file, and throws RemitError LOCKED if the lock is lost. Called before anything irrevocable. */
  assertHeld(): void;
  /** Releases the lock; safe to call twice, and after it was lost. */
  release(): Promise<void>;
}

/**
 * Takes a lock that only one process on all machines can hold: a file with the holder's identity, touched every two
 * seconds. A lock left by a dead process is taken over immediately; of two contenders, one wins.
 * @throws RemitError LOCKED with the holder in `details`; STATE if the file cannot be written
 */
export async function acquireLock(path: string, options: LockOptions): Promise<Lock> {
  const {clock = systemClock, probe = systemProbe} = options;
  const mine = describeSelf(
    probe,
    options.purpose,
    randomBytes(12).toString('hex'),
    clock.now(),
    options.brief,
  );
  const file = new LockFile(path, mine);
  try {
    makeFolder(dirname(path));
    await take(file, {...options, clock, probe});
    file.sweep(clock.now() - STALE_AFTER_MS, (holder) => lifeOf(holder, probe) === 'dead');
  } catch (error) {
    throw lockFailure(error, path);
  }
  return new HeldLock(file, {...options, clock, probe});
}

/** On a full disk no file can be written, so the error is about its folder. */
export function lockFailure(error: unknown, path: string): RemitError {
  const isFull = ['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '');
  return isFull ? fileFailure(error, 'write to', dirname(path)) : fileFailure(error, 'take the lock', path);
}

/**
 * Checks that no process holds a lock, without taking it: a folder that cannot be written has no place for one.
 * @throws RemitError LOCKED with the holder in `details`; STATE if the file cannot be read
 */
export async function assertUnlocked(path: string, options: LockOptions): Promise<void> {
  const {clock = systemClock, probe = systemProbe} = options;
  const file = new LockFile(path, describeSelf(probe, options.purpose, '', clock.now()));
  const whole = {...options, clock, probe};
  try {
    const found = file.read();
    if (found !== undefined && !(await isAbandoned(file, found, whole))) throw refusal(path, found, whole);
  } catch (error) {
    throw fileFailure(error, 'read the lock', path);
  }
}

type WholeOptions = LockOptions & {clock: Clock; probe: ProcessProbe};

async function take(file: LockFile, options: WholeOptions): Promise<void> {
  let waitedMs = 0;
  for (let attempt = 0; attempt < RETRIES; attempt += 1) {
    if (file.create()) return;
    const found = file.read();
    if (found === undefined) continue; // released in between
    const broken = options.breakLock === true && lifeOfFound(found, options) !== 'alive';
    const abandoned = broken || (await isAbandoned(file, found, options));
    const waitMs = options.atOnce === true ? 0 : BRIEF_WAIT_MS;
    if (!abandoned && found.holder?.brief === true && waitedMs < waitMs) {
      await options.clock.sleep(RETRY_MS);
      waitedMs += RETRY_MS;
      attempt = -1; // with many waiting, the lock changes hands often between two looks
      continue;
    }
    if (!abandoned) throw refusal(file.path, found, options);
    if (file.replace(found, (other) => isStale(other, options))) return;
    await options.clock.sleep(RETRY_MS);
  }
  const found = file.read();
  throw refusal(file.path, found, options);
}

const lifeOfFound = ({holder}: FoundLock, {probe}: WholeOptions) =>
  holder === undefined ? 'unknown' : lifeOf(holder, probe);

function isStale(found: FoundLock, options: WholeOptions): boolean {
  const life = lifeOfFound(found, options);
  if (life !== 'unknown') return life === 'dead';
  return options.clock.now() - found.touchedMs >= STALE_AFTER_MS;
}

async function isAbandoned(file: LockFile, found: FoundLock, options: WholeOptions): Promise<boolean> {
  if (!isStale(found, options)) return false;
  if (lifeOfFound(found, options) === 'dead') return true;
  await options.clock.sleep(WATCH_MS);
  const again = file.read();
  return again === undefined || (again.token === found.token && again.touchedMs === found.touchedMs);
}

class HeldLock implements Lock {
  readonly path: string;
  readonly #file: LockFile;
  readonly #options: WholeOptions;
  readonly #lost = new AbortController();
  readonly #stop: () => void;
  #released = false;

  constructor(file: LockFile, options: WholeOptions) {
    this.path = file.path;
    this.#file = file;
    this.#options = options;
    this.#stop = (options.schedule ?? everyHeartbeat)(() => this.#beat());
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  assertHeld(): void {
    if (this.#released) throw new Error(`the lock ${this.path} was released`);
    try {
      if (!this.lost.aborted && !this.#file.isMine) this.#lose();
    } catch (error) {
      throw fileFailure(error, 'read the lock', this.path);
    }
    this.lost.throwIfAborted();
  }

  async release(): Promise<void> {
    if (this.#released) return;
    this.#released = true;
    this.#stop();
    if (this.lost.aborted) return;
    try {
      this.#file.remove((found) => lifeOfFound(found, this.#options) === 'dead');
    } catch (error) {
      throw fileFailure(error, 'release the lock', this.path);
    }
  }

  #beat(): void {
    if (this.#released || this.lost.aborted) return;
    try {
      if (this.#file.isMine) this.#file.touch(this.#options.clock.now());
      else this.#lose();
    } catch {
      // A disk that hiccups is no reason to stop a batch: the next beat tries again, and taking over takes 15 of them.
    }
  }

  #lose(): void {
    this.#stop();
    const reason = new RemitError(
      'LOCKED',
      `The lock ${this.path} was taken by another process: ${nameOf(this.#file.read())}`,
      {
        hint: 'wait for the other process to end before you run this again',
        details: {path: this.path},
      },
    );
    this.#lost.abort(reason);
  }
}

function everyHeartbeat(beat: () => void): () => void {
  const timer = setInterval(beat, HEARTBEAT_MS).unref();
  return () => clearInterval(timer);
}

function nameOf(found: FoundLock | undefined): string {
  if (found === undefined) return 'its file is gone';
  if (found.holder === undefined) return 'its file was not written by remit';
  const {pid, host, since} = found.holder;
  return `process ${pid} on ${host}, since ${since}`;
}

function refusal(path: string, found: FoundLock | undefined, options: WholeOptions): RemitError {
  const {purpose = 'another command', pid, host, since} = found?.holder ?? {};
  const hint = options.hint ?? 'wait for it to end';
  return new RemitError('LOCKED', `${purpose} is already running: ${nameOf(found)}`, {
    hint:
      options.breakLock === true && found !== undefined && lifeOfFound(found, options) === 'alive'
        ? `it is still running, so its lock is not broken: wait for it, or end it first (kill ${pid})`
        : hint,
    details: {
      path,
      purpose,
      host,
      pid,
      since,
      heartbeat_age_ms:
        found === undefined ? undefined : Math.max(0, Math.round(options.clock.now() - found.touchedMs)),
    },
  });
}
