import {accessSync, constants, existsSync, readdirSync, statSync, type Stats} from 'node:fs';
import {dirname, join} from 'node:path';
import {LockFile} from '../../../store/locks/lock-file.ts';
import {describeSelf, lifeOf, systemProbe} from '../../../store/locks/lock-holder.ts';
import {configPath} from '../../../profiles/config-file.ts';
import {shellWord} from '../../../shell-word.ts';
import type {LocalContext} from '../../core/context.ts';
import {type Finding, findings} from '../survey/finding.ts';

const {holds, differs, unknown} = findings('setup');
const OLDEST_NODE = [20, 19] as const;

/** Checks Node.js, folders and locks. Writes nothing. */
export function checkSetup({configDir, stateDir, clock}: LocalContext, nodeVersion: string): Finding[] {
  return [
    checkNode(nodeVersion),
    ...checkFolder('config folder', configDir),
    ...checkModes('config file', configPath(configDir), 0o077, 'chmod 600'),
    ...checkFolder('state folder', stateDir),
    ...checkLocks(stateDir, clock.now()),
  ];
}

function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number);
  const [least, leastMinor] = OLDEST_NODE;
  if (major > least || (major === least && minor >= leastMinor)) return holds('node', version);
  return differs('node', `${version}; remit needs ${least}.${leastMinor} or later`, {
    fix: `install Node.js ${least}.${leastMinor} or later`,
  });
}

function checkFolder(check: string, path: string): Finding[] {
  const stats = statsOf(path);
  if (stats === undefined) return [checkParent(check, path)];
  if (!stats.isDirectory()) return [differs(check, `${path} is not a folder`)];
  if (!isWritable(path))
    return [differs(check, `${path} is not writable`, {fix: `chmod u+rwx ${shellWord(path)}`})];
  const modes = checkModes(check, path, 0o022, 'chmod go-w');
  return modes.some(({verdict}) => verdict === 'differs') ? modes : [holds(check, `${path} is writable`)];
}

/** Checks a folder that does not exist yet. */
function checkParent(check: string, path: string): Finding {
  let parent = dirname(path);
  while (!existsSync(parent) && dirname(parent) !== parent) parent = dirname(parent);
  if (statsOf(parent)?.isDirectory() === true && isWritable(parent))
    return holds(check, `${path} does not exist yet; it will be created when needed`);
  return differs(check, `${path} does not exist and cannot be created, because ${parent} is not writable`, {
    fix: `set another folder in ${check.startsWith('config') ? 'REMIT_CONFIG_DIR' : 'REMIT_STATE_DIR'}`,
  });
}

/** Undefined if the path does not exist or cannot be read. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Checks whether other users can read a key or change settings. Windows has no such modes. */
function checkModes(check: string, path: string, forbidden: number, fix: string): Finding[] {
  const us = process.geteuid?.();
  const stats = statsOf(path);
  if (us === undefined || stats === undefined) return [];
  if (stats.uid !== us && stats.uid !== 0)
    return [
      differs(check, `${path} belongs to another user`, {fix: 'use a file or folder that belongs to you'}),
    ];
  const mode = (stats.mode & 0o777).toString(8).padStart(4, '0');
  const isSticky = stats.isDirectory() && (stats.mode & 0o1000) !== 0;
  if ((stats.mode & forbidden) === 0 || isSticky) return [holds(check, `${path} has mode ${mode}`)];
  return [
    differs(check, `${path} has mode ${mode}, so other users have access`, {
      fix: `${fix} ${shellWord(path)}`,
    }),
  ];
}

/** Locks that other processes hold, or that an ended process left behind. */
function checkLocks(stateDir: string, nowMs: number): Finding[] {
  const held = lockFiles(stateDir).flatMap((path) => describeLock(path, nowMs));
  return held.length === 0 ? [holds('locks', 'no locks')] : held;
}

function describeLock(path: string, nowMs: number): Finding[] {
  const found = new LockFile(path, describeSelf(systemProbe, 'doctor', '', nowMs)).read();
  if (found === undefined) return [];
  if (found.holder === undefined) return [unknown('locks', `${path} is not a lock of remit`)];
  const {purpose, pid, host, since} = found.holder;
  const life = lifeOf(found.holder, systemProbe);
  const who = `process ${pid} on ${host} (${purpose}), since ${since}`;
  if (life === 'alive') return [holds('locks', `${path} is held by ${who}`)];
  if (life === 'dead')
    return [holds('locks', `${path} was left by ${who}, which has ended; the next command replaces it`)];
  return [
    unknown('locks', `${path} is held by ${who}; from here it is not known whether that process still runs`),
  ];
}

const LOCK = /(\.|-)lock$/;
const DEEPEST = 3;

function lockFiles(folder: string, depth = 0): string[] {
  let entries: ReturnType<typeof readFolder>;
  try {
    entries = readFolder(folder);
  } catch {
    return []; // it does not exist, or `checkFolder` reports the problem
  }
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return depth < DEEPEST ? lockFiles(path, depth + 1) : [];
    return LOCK.test(entry.name) ? [path] : [];
  });
}

const readFolder = (folder: string) => readdirSync(folder, {withFileTypes: true});
