import {readFileSync, readlinkSync} from 'node:fs';
import {hostname} from 'node:os';
import {codeOf, ownJson} from '../../narrow.ts';

/** The holder of a lock, as written into its file. Null if the system does not provide the value. */
export interface Holder {
  readonly purpose: string;
  readonly host: string;
  /**
   * Changes with each boot. It distinguishes machines with the same name, and a machine from itself before a restart.
   */
  readonly boot: string | null;
  /** Process ids are only unique within it: containers on one machine have their own. */
  readonly namespace: string | null;
  readonly pid: number;
  /** Clock ticks since boot. It distinguishes a process from a later one with the same pid. */
  readonly startTime: string | null;
  /** ISO time at which the lock was taken. */
  readonly since: string;
  /** Random; identifies this holding. */
  readonly token: string;
  /** Held only briefly, so waiting is worthwhile. */
  readonly brief?: true | undefined;
}

/** Information about processes from the operating system; replaced in tests. */
export interface ProcessProbe {
  readonly host: string;
  readonly boot: string | null;
  readonly namespace: string | null;
  readonly pid: number;
  /** Undefined if the system does not provide it or there is no such process. */
  startTime(pid: number): string | undefined;
  /** Also true if the process belongs to another user. */
  exists(pid: number): boolean;
}

export const systemProbe: ProcessProbe = {
  get host() {
    return hostname();
  },
  get boot() {
    return attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()) ?? null;
  },
  get namespace() {
    return attempt(() => readlinkSync('/proc/self/ns/pid')) ?? null;
  },
  pid: process.pid,
  startTime: (pid) => {
    const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
    // The second field is the program's name in parentheses, and may contain spaces and parentheses.
    return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  },
  exists: (pid) => {
    // A zombie process still exists but does nothing any more.
    const state = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))?.replace(/^.*\) /s, '')[0];
    if (state === 'Z' || state === 'X') return false;
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      return codeOf(error) === 'EPERM';
    }
  },
};

/**
 * `dead` and `alive` are proven on this machine. `unknown`: the holder is elsewhere (another host, another container,
 * before a restart), or here but its pid may belong to another process now; only its heartbeat can show whether it is
 * alive.
 */
export function lifeOf(holder: Holder, probe: ProcessProbe): 'alive' | 'dead' | 'unknown' {
  const here =
    holder.host === probe.host && holder.boot === probe.boot && holder.namespace === probe.namespace;
  if (!here) return 'unknown';
  if (!probe.exists(holder.pid)) return 'dead';
  const startTime = probe.startTime(holder.pid);
  if (holder.startTime === null || startTime === undefined) return 'unknown';
  return startTime === holder.startTime ? 'alive' : 'dead';
}

export function describeSelf(
  probe: ProcessProbe,
  purpose: string,
  token: string,
  nowMs: number,
  brief = false,
): Holder {
  return {
    purpose,
    host: probe.host,
    boot: probe.boot,
    namespace: probe.namespace,
    pid: probe.pid,
    startTime: probe.startTime(probe.pid) ?? null,
    since: new Date(nowMs).toISOString(),
    token,
    ...(brief ? {brief: true} : {}),
  };
}

/** The holder named in a lock file, or undefined if remit did not write its text. */
export function parseHolder(text: string): Holder | undefined {
  const value = attempt(() => ownJson<Partial<Holder> | null>(text));
  if (typeof value?.token !== 'string' || typeof value.pid !== 'number' || typeof value.host !== 'string')
    return undefined;
  return {
    purpose: String(value.purpose ?? 'remit'),
    host: value.host,
    boot: value.boot ?? null,
    namespace: value.namespace ?? null,
    pid: value.pid,
    startTime: value.startTime ?? null,
    since: String(value.since ?? ''),
    token: value.token,
    ...(value.brief === true ? {brief: true} : {}),
  };
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
