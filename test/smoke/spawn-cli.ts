import {spawn, type ChildProcess, type ChildProcessByStdio} from 'node:child_process';
import {mkdtempSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Readable, Writable} from 'node:stream';
import {ROOT} from '../repo/tree.ts';

/** A process that hangs is a failure, not a process that stays. */
const TIMEOUT_MS = 15_000;

export const BIN = join(ROOT, 'bin', 'run.cjs');

export interface Ran {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcess;
  ended: Promise<Ran>;
}

/** One code cache for all tests of a run, see bin/test.mjs: the first use of a command is slow, as for a user. */
export const sharedCache =
  process.env['REMIT_TEST_CACHE'] ?? mkdtempSync(join(tmpdir(), 'remit-smoke-cache-'));

/** The environment of a process that has nothing of this machine but its PATH. */
export function cleanEnv(changes: Record<string, string> = {}): Record<string, string> {
  const home = mkdtempSync(join(tmpdir(), 'remit-smoke-'));
  return {PATH: process.env['PATH']!, HOME: home, XDG_CACHE_HOME: sharedCache, ...changes};
}

/** Starts the built tool as its users do. stdin is a closed pipe, or one that stays open and silent. */
export function startCli(
  argv: readonly string[],
  env: Record<string, string> = cleanEnv(),
  stdin: 'closed' | 'silent' = 'closed',
  timeout = TIMEOUT_MS,
): Running {
  const child = spawn(process.execPath, [BIN, ...argv], {
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout,
    killSignal: 'SIGKILL',
  });
  if (stdin === 'closed') child.stdin.end();
  return {child, ended: endOf(child)};
}

/** What a process wrote, and how it ended. */
export function endOf(child: ChildProcessByStdio<Writable | null, Readable, Readable>): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({code, signal, stdout, stderr}));
  });
}

export const spawnCli = (argv: readonly string[], env?: Record<string, string>): Promise<Ran> =>
  startCli(argv, env).ended;

/** Runs a line of shell with the tool as `remit`. */
export async function shell(line: string, env: Record<string, string> = cleanEnv()): Promise<Ran> {
  const child = spawn('/bin/bash', ['-o', 'pipefail', '-c', `remit() { "$NODE" "$BIN" "$@"; }; ${line}`], {
    env: {...env, NODE: process.execPath, BIN},
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  return endOf(child);
}
