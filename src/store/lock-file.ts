import {randomBytes} from 'node:crypto';
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
import {codeOf} from '../narrow.ts';
import {type Holder, parseHolder} from './lock-holder.ts';

/** Endings of a guard and of a draft; see LockFile. */
const LEFTOVER = /\.(?:[0-9a-f]{24}|[0-9a-f]{12}\.tmp)$/;

export interface FoundLock {
  /** Undefined where the file is not one of ours. */
  holder: Holder | undefined;
  /** Names the state that was seen, also where the file has no token of ours. */
  token: string;
  touchedMs: number;
}

/**
 * The file and its changes of state. Nothing but `create` happens to an absent file, and only whoever holds the guard
 * `<path>.<token>` may replace or remove the holding of that token; so a slow contender, who judged an older holding,
 * cannot harm a newer one. A guard is itself such a lock, should its owner die within those few microseconds.
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

  /** False when somebody holds it. The file appears with its contents, or not at all. */
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

  /** Takes the place of `found`; false when that is there no more, or another contender is at it. */
  replace(found: FoundLock, mayReplace: (found: FoundLock) => boolean): boolean {
    return this.#guarded(found.token, mayReplace, () => {
      if (this.read()?.token !== found.token) return false;
      this.#withDraft((draft) => renameSync(draft, this.path));
      return true;
    });
  }

  /** Gives back what is ours; leaves what is not, and what a living contender is just taking over. */
  remove(mayReplace: (found: FoundLock) => boolean): void {
    if (!this.isMine) return;
    this.#guarded(this.mine.token, mayReplace, () => {
      if (this.isMine) rmSync(this.path, {force: true});
      return true;
    });
  }

  /** Takes away what contenders that were killed midway left: drafts, and guards of holdings that are over. */
  sweep(olderThanMs: number): void {
    const folder = dirname(this.path);
    try {
      for (const name of readdirSync(folder)) {
        if (!name.startsWith(`${basename(this.path)}.`) || !LEFTOVER.test(name)) continue;
        const leftover = join(folder, name);
        const facts = statSync(leftover, {throwIfNoEntry: false});
        if (facts !== undefined && facts.mtimeMs < olderThanMs) rmSync(leftover, {force: true});
      }
    } catch {
      // litter; the lock itself is taken and good
    }
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
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    }
  }
}
