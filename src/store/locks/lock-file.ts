import {createHash, randomBytes} from 'node:crypto';
import {
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {codeOf} from '../../narrow.ts';
import {type Holder, parseHolder} from './lock-holder.ts';

/** Suffixes of a guard and of a draft; see LockFile. Drafts of an earlier version do not name their process. */
const LEFTOVER = /\.(?:[0-9a-f]{24}|(?:(?<machine>[0-9a-f]{8})-(?<pid>\d+)-)?[0-9a-f]{12}\.tmp)$/;

/** Names the machine on which a process id means a process, in the name of a draft. */
const machineOf = ({host, boot, namespace}: Holder): string =>
  createHash('sha256')
    .update(JSON.stringify([host, boot, namespace]))
    .digest('hex')
    .slice(0, 8);

export interface FoundLock {
  /** Undefined if remit did not write the file. */
  holder: Holder | undefined;
  /** Identifies the observed state, even if the file has no token of ours. */
  token: string;
  touchedMs: number;
}

/**
 * The lock file and its state changes. An absent file can only be created, and only the owner of the guard
 * `<path>.<token>` may replace or remove the holding with that token. A slow contender that judged an older holding
 * therefore cannot harm a newer one. A guard is itself such a lock, in case its owner dies within those few
 * microseconds.
 */
export class LockFile {
  readonly path: string;
  readonly mine: Holder;

  constructor(path: string, mine: Holder) {
    this.path = path;
    this.mine = mine;
  }

  read(): FoundLock | undefined {
    try {
      const text = readFileSync(this.path, 'utf8');
      const touchedMs = statSync(this.path).mtimeMs;
      const holder = parseHolder(text);
      return {holder, token: holder?.token ?? `foreign-${Math.round(touchedMs)}`, touchedMs};
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  get isMine(): boolean {
    return this.read()?.token === this.mine.token;
  }

  /** Returns false if the lock is held. The file appears with its contents, or not at all. */
  create(): boolean {
    return this.#withDraft((draft) => {
      try {
        linkSync(draft, this.path);
        return true;
      } catch (error) {
        const code = codeOf(error);
        if (code === 'EEXIST') return false;
        if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS' && code !== 'EMLINK') throw error;
        return this.#createWithoutLinks(); // exFAT, some network file systems
      }
    });
  }

  /** Replaces `found`; false if it has changed, or if another contender is replacing it. */
  replace(found: FoundLock, mayReplace: (found: FoundLock) => boolean): boolean {
    return this.#guarded(found.token, mayReplace, () => {
      if (this.read()?.token !== found.token) return false;
      this.#withDraft((draft) => renameSync(draft, this.path));
      return true;
    });
  }

  /** Removes our own lock. Leaves a lock of another process, and one that a living contender is taking over. */
  remove(mayReplace: (found: FoundLock) => boolean): void {
    if (!this.isMine) return;
    this.#guarded(this.mine.token, mayReplace, () => {
      if (this.isMine) rmSync(this.path, {force: true});
      return true;
    });
  }

  /**
   * Removes leftovers of contenders that were killed midway: drafts, and guards of holdings that have ended. One whose
   * process is known to be dead goes at once, any other when it is old.
   */
  sweep(olderThanMs: number, isDead: (holder: Holder) => boolean): void {
    const folder = dirname(this.path);
    try {
      for (const name of readdirSync(folder)) {
        const parts = name.startsWith(`${basename(this.path)}.`) ? LEFTOVER.exec(name) : null;
        if (parts === null) continue;
        const leftover = new LockFile(join(folder, name), this.mine);
        const found = leftover.read();
        if (found === undefined) continue;
        const holder = found.holder ?? this.#writerOf(parts.groups);
        const isOver = holder !== undefined && isDead(holder);
        if (isOver || found.touchedMs < olderThanMs) rmSync(leftover.path, {force: true});
      }
    } catch {
      // litter; the lock itself is taken and good
    }
  }

  /** The writer of a draft whose process was killed before it wrote anything. */
  #writerOf({machine, pid}: Partial<Record<string, string>> = {}): Holder | undefined {
    if (pid === undefined || machine !== machineOf(this.mine)) return undefined;
    return {...this.mine, pid: Number(pid), startTime: null};
  }

  touch(nowMs: number): void {
    utimesSync(this.path, nowMs / 1000, nowMs / 1000);
  }

  #guarded(token: string, mayReplace: (found: FoundLock) => boolean, work: () => boolean): boolean {
    const guard = new LockFile(`${this.path}.${token}`, this.mine);
    if (!guard.create()) {
      const owner = guard.read();
      if (owner === undefined || !mayReplace(owner) || !guard.replace(owner, mayReplace)) return false;
    }
    try {
      return work();
    } finally {
      rmSync(guard.path, {force: true});
    }
  }

  #withDraft<T>(use: (draft: string) => T): T {
    const {mine} = this;
    const draft = `${this.path}.${machineOf(mine)}-${mine.pid}-${randomBytes(6).toString('hex')}.tmp`;
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
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    }
  }
}
