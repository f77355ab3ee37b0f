import type {DiskCall} from '../../store/crash/disk-tap.ts';

/** SIGKILL at the k-th call that changes the disk: before it, after it, or when half of a write has arrived. */
export interface Kill {
  killAt: number;
  how: 'before' | 'after' | 'torn';
}

/** Some file cannot be written, or not be synced. */
export interface DiskFault {
  kind: 'write' | 'sync';
  of: keyof typeof FILES;
  errno: 'ENOSPC' | 'EIO';
  /** From then on every write of every file fails, as on a full disk; else this one call alone does. */
  lasting: boolean;
}

/** What happens to a process, or to its disk. */
export type DiskTrouble = Kill | (DiskFault & {failAt: number});

/** The files of a batch, by their paths. A batch is planned under another name, and then put in place. */
export const FILES = {
  journal: /[/\\](b1|\.planning-[^/\\]+)[/\\]journal\.db(-wal)?$/,
  registry: /registry\.db(-wal)?$/,
  results: /\.(results\.csv|failed\.csv|summary\.json)(\.\d+\.part)?$/,
  status: /status\.json/,
} as const;

const WORDS = {ENOSPC: 'no space left on device', EIO: 'i/o error'} as const;

/** Stands between a process and its disk. */
export class Trouble {
  readonly #trouble: DiskTrouble | undefined;
  readonly #onFault: () => void;
  #matching = 0;
  #broken = false;
  /** Calls so far, by kind. */
  readonly seen: Partial<Record<DiskCall['kind'], number>> = {};

  constructor(trouble: DiskTrouble | undefined, onFault: () => void) {
    this.#trouble = trouble;
    this.#onFault = onFault;
  }

  /** Performs the call, or does not. */
  meet(call: DiskCall): unknown {
    this.seen[call.kind] = (this.seen[call.kind] ?? 0) + 1;
    const trouble = this.#trouble;
    if (trouble === undefined) return call.perform();
    return 'killAt' in trouble ? this.#kill(call, trouble) : this.#fail(call, trouble);
  }

  #kill(call: DiskCall, {killAt, how}: Kill): unknown {
    if (++this.#matching !== killAt) return call.perform();
    try {
      if (how === 'torn' && call.bytes !== undefined) call.perform(Math.floor(call.bytes.length / 2));
      else if (how !== 'before') call.perform();
    } finally {
      process.kill(process.pid, 'SIGKILL'); // also after a call that failed, as a link that is there already does
    }
    return undefined;
  }

  #fail(call: DiskCall, {failAt, kind, of, errno, lasting}: DiskFault & {failAt: number}): unknown {
    const strikes = !this.#broken && call.kind === kind && FILES[of].test(call.path);
    if (strikes && ++this.#matching === failAt) {
      this.#broken = lasting;
      this.#onFault();
      throw diskError(errno, call.kind);
    }
    if (this.#broken && call.kind === 'write') throw diskError(errno, call.kind);
    return call.perform();
  }
}

const diskError = (errno: keyof typeof WORDS, what: string): Error =>
  Object.assign(new Error(`${errno}: ${WORDS[errno]}, ${what}`), {code: errno, syscall: what});
