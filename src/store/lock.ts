import {randomBytes} from 'node:crypto';
import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {dirname} from 'node:path';
import {type Clock, systemClock} from '../clock.ts';
import {RemitError} from '../errors.ts';
import {fileFailure} from './failures.ts';
import {
  describeSelf,
  type Holder,
  lifeOf,
  parseHolder,
  type ProcessProbe,
  systemProbe,
} from './lock-holder.ts';

const HEARTBEAT_MS = 2000;
/** A holder whose life cannot be proven is given up after this long without a heartbeat, … */
const STALE_AFTER_MS = 30_000;
/** … and after it was watched for this long: clocks of two machines may differ, a heartbeat that moves does not lie. */
const WATCH_MS = 5000;
/** Somebody else is just taking the lock over, or gave it back: look again. */
const RETRY_MS = 20;
const RETRIES = 100;

export interface LockOptions {
  /** What the lock is held for, in words that fit "… is running": shown to whoever is refused. */
  purpose: string;
  /** Takes the lock from whoever holds it. The holder notices within a heartbeat, and stops. */
  breakLock?: boolean;
  /** What a refused user may type. */
  hint?: string;
  clock?: Clock;
  probe?: ProcessProbe;
  /** Calls `beat` regularly without keeping the process alive, until the returned function is called. */
  schedule?: (beat: () => void) => () => void;
}

export interface Lock {
  readonly path: string;
  /** Aborted when another process has taken the lock; its reason is a RemitError LOCKED. Stop at once. */
  readonly lost: AbortSignal;
  /** Reads the lock file: throws RemitError LOCKED when it is ours no more. For the moment before something irrevocable. */
  assertHeld(): void;
  /** Gives the lock back; safe to call twice, and after it was lost. */
  release(): Promise<void>;
}

/**
 * Takes a lock that only one process on all machines holds: a file with the holder's identity, touched every two seconds.
 * One that a dead process left is taken over at once; of two that try, one wins.
 * @throws RemitError LOCKED with the holder in `details`; STATE when the file cannot be written
 */
export async function acquireLock(path: string, options: LockOptions): Promise<Lock> {
  const {clock = systemClock, probe = systemProbe} = options;
  const mine = describeSelf(probe, options.purpose, randomBytes(12).toString('hex'), clock.now());
  const file = new LockFile(path, mine);
  try {
    mkdirSync(dirname(path), {recursive: true, mode: 0o700});
    await take(file, {...options, clock, probe});
  } catch (error) {
    throw fileFailure(error, 'take the lock', path);
  }
  return new HeldLock(file, options.schedule ?? everyHeartbeat);
}

type Settled = LockOptions & {clock: Clock; probe: ProcessProbe};

async function take(file: LockFile, options: Settled): Promise<void> {
  for (let attempt = 0; attempt < RETRIES; attempt += 1) {
    if (file.create()) return;
    const found = file.read();
    if (found === undefined) continue; // given back in between
    const abandoned = options.breakLock === true || (await isAbandoned(file, found, options));
    if (!abandoned) throw refusal(file.path, found, options);
    if (file.replace(found, (other) => lifeOf(other, options.probe) === 'dead')) return;
    await options.clock.sleep(RETRY_MS);
  }
  const found = file.read();
  throw refusal(file.path, found, options);
}

async function isAbandoned(file: LockFile, found: FoundLock, {clock, probe}: Settled): Promise<boolean> {
  const life = found.holder === undefined ? 'unknown' : lifeOf(found.holder, probe);
  if (life !== 'unknown') return life === 'dead';
  if (clock.now() - found.touchedMs < STALE_AFTER_MS) return false;
  await clock.sleep(WATCH_MS);
  const again = file.read();
  return again === undefined || (again.token === found.token && again.touchedMs === found.touchedMs);
}

interface FoundLock {
  /** Undefined where the file is not one of ours. */
  holder: Holder | undefined;
  /** Names the state that was seen; the text itself where it has no token. */
  token: string;
  touchedMs: number;
}

/**
 * The file and its changes of state. Nothing but `create` happens to an absent file, and only whoever holds the guard
 * `<path>.<token>` may replace or remove the holding of that token; so a slow contender, who judged an older holding,
 * cannot harm a newer one. A guard is itself such a lock, should its owner die within those few microseconds.
 */
class LockFile {
  readonly path: string;
  readonly mine: Holder;

  constructor(path: string, mine: Holder) {
    this.path = path;
    this.mine = mine;
  }

  read(): FoundLock | undefined {
    try {
      const text = readFileSync(this.path, 'utf8');
      const holder = parseHolder(text);
      return {holder, token: holder?.token ?? 'foreign', touchedMs: statSync(this.path).mtimeMs};
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  get isMine(): boolean {
    return this.read()?.token === this.mine.token;
  }

  /** False when somebody holds it. The file appears with its contents, or not at all. */
  create(): boolean {
    return this.#withDraft((draft) => {
      try {
        linkSync(draft, this.path);
        return true;
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code;
        if (code === 'EEXIST') return false;
        if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS' && code !== 'EMLINK') throw error;
        return this.#createWithoutLinks(); // exFAT, some network file systems
      }
    });
  }

  /** Takes the place of `found`; false when that is there no more, or another contender is at it. */
  replace(found: FoundLock, isDead: (holder: Holder) => boolean): boolean {
    return this.#guarded(found.token, isDead, () => {
      if (this.read()?.token !== found.token) return false;
      this.#withDraft((draft) => renameSync(draft, this.path));
      return true;
    });
  }

  /** Gives back what is ours; leaves what is not. */
  remove(): void {
    this.#guarded(
      this.mine.token,
      () => true,
      () => {
        if (this.isMine) rmSync(this.path, {force: true});
        return true;
      },
    );
  }

  touch(nowMs: number): void {
    utimesSync(this.path, nowMs / 1000, nowMs / 1000);
  }

  #guarded(token: string, isDead: (holder: Holder) => boolean, work: () => boolean): boolean {
    const guard = new LockFile(`${this.path}.${token}`, this.mine);
    if (!guard.create()) {
      const owner = guard.read();
      if (owner === undefined || (owner.holder !== undefined && !isDead(owner.holder))) return false;
      if (!guard.replace(owner, isDead)) return false;
    }
    try {
      return work();
    } finally {
      rmSync(guard.path, {force: true});
    }
  }

  #withDraft<T>(use: (draft: string) => T): T {
    const draft = `${this.path}.${randomBytes(6).toString('hex')}.tmp`;
    try {
      writeFileSync(draft, JSON.stringify(this.mine), {mode: 0o600, flag: 'wx'});
      return use(draft);
    } finally {
      rmSync(draft, {force: true});
    }
  }

  #createWithoutLinks(): boolean {
    try {
      writeFileSync(this.path, JSON.stringify(this.mine), {mode: 0o600, flag: 'wx'});
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  }
}

class HeldLock implements Lock {
  readonly path: string;
  readonly #file: LockFile;
  readonly #lost = new AbortController();
  readonly #stop: () => void;
  #released = false;

  constructor(file: LockFile, schedule: NonNullable<LockOptions['schedule']>) {
    this.path = file.path;
    this.#file = file;
    this.#stop = schedule(() => this.#beat());
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  assertHeld(): void {
    if (this.#released) throw new Error(`the lock ${this.path} was given back`);
    if (!this.lost.aborted && !this.#file.isMine) this.#lose();
    this.lost.throwIfAborted();
  }

  async release(): Promise<void> {
    if (this.#released) return;
    this.#released = true;
    this.#stop();
    if (this.lost.aborted) return;
    try {
      this.#file.remove();
    } catch (error) {
      throw fileFailure(error, 'give back the lock', this.path);
    }
  }

  #beat(): void {
    if (this.#released || this.lost.aborted) return;
    try {
      if (this.#file.isMine) this.#file.touch(Date.now());
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
        hint: 'let the other process end before this is started again',
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

function refusal(path: string, found: FoundLock | undefined, options: Settled): RemitError {
  const {purpose = 'Another command', pid, host, since} = found?.holder ?? {};
  return new RemitError('LOCKED', `${purpose} is running already: ${nameOf(found)}`, {
    hint: options.hint ?? 'wait for it to end; if it surely ended, type the same command with --break-lock',
    details: {
      path,
      host,
      pid,
      since,
      heartbeat_age_ms:
        found === undefined ? undefined : Math.max(0, Math.round(options.clock.now() - found.touchedMs)),
    },
  });
}
