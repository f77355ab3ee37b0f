import {mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {
  describeSelf,
  lifeOf,
  parseHolder,
  systemProbe,
  type Holder,
} from '../../../store/locks/lock-holder.ts';
import {placeIn, readPlace, sandboxPlace, type SandboxPlace, type RunningRecord} from './place.ts';

/** A sandbox that was running when its record was read. */
export interface Running extends RunningRecord {
  place: SandboxPlace;
}

/** `fresh-` is deleted at the end; `shared-` is an additional one on a shared store. Both have their own folder. */
type Extra = 'fresh' | 'shared';
const EXTRA = /^(fresh|shared)-/;
/** The process that created the folder: written immediately, long before the sandbox runs. */
const OWNER = 'owner.json';
/** A folder without a known owner is considered abandoned if nothing in it was touched for this long. */
const ABANDONED_MS = 3_600_000;

/** Creates the folder of a sandbox that does not replace the default one. */
export function makeExtraPlace({folder}: SandboxPlace, kind: Extra, nowMs: number): SandboxPlace {
  const made = mkdtempSync(join(folder, `${kind}-`));
  const owner = describeSelf(systemProbe, 'sandbox', 'none', nowMs);
  writeFileSync(join(made, OWNER), JSON.stringify(owner), {mode: 0o600});
  return placeIn(made);
}

/** Removes leftovers of killed sandboxes. */
export function sweepExtras({folder}: SandboxPlace, nowMs: number): void {
  for (const extra of extrasIn(folder))
    if (isAbandoned(extra, nowMs)) rmSync(extra, {recursive: true, force: true});
}

/**
 * All sandboxes of a state folder; `place.isKept` marks the one that commands use by default. A fresh sandbox that
 * was started while no other was running is also the default, and is listed once.
 */
export function runningSandboxes(stateDir: string): Running[] {
  const kept = sandboxPlace(stateDir);
  const byDefault = readPlace(kept);
  const extras = extrasIn(kept.folder).flatMap((folder): Running[] => {
    const place = placeIn(folder);
    const record = lifeOfOwner(folder) === 'dead' ? undefined : readPlace(place);
    if (record === undefined) return [];
    return [{...record, place: {...place, isKept: record.base_url === byDefault?.base_url}}];
  });
  return byDefault === undefined || extras.some(({place}) => place.isKept)
    ? extras
    : [{...byDefault, place: kept}, ...extras];
}

function extrasIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => EXTRA.test(name))
      .sort()
      .map((name) => join(folder, name));
  } catch {
    return []; // no sandbox was ever started
  }
}

/** Whether the process of a recorded sandbox is running; its pid may belong to another one by now. */
export function lifeOfSandbox({place, pid}: Running): 'alive' | 'dead' | 'unknown' {
  if (!systemProbe.exists(pid)) return 'dead';
  const holder = readHolder(join(place.folder, OWNER)) ?? readHolder(`${place.store}-lock`);
  return holder?.pid === pid ? lifeOf(holder, systemProbe) : 'unknown';
}

function isAbandoned(folder: string, nowMs: number): boolean {
  const life = lifeOfOwner(folder);
  if (life !== 'unknown') return life === 'dead';
  return nowMs - lastTouched(folder) > ABANDONED_MS; // a running one touches the lock of its store all the time
}

function lifeOfOwner(folder: string): 'alive' | 'dead' | 'unknown' {
  const owner = readHolder(join(folder, OWNER));
  return owner === undefined ? 'unknown' : lifeOf(owner, systemProbe);
}

function readHolder(path: string): Holder | undefined {
  try {
    return parseHolder(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
}

function lastTouched(folder: string): number {
  try {
    return Math.max(
      statSync(folder).mtimeMs,
      ...readdirSync(folder).map((name) => statSync(join(folder, name)).mtimeMs),
    );
  } catch {
    return Date.now(); // it is changing right now
  }
}
