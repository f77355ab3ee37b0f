import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {existsSync, mkdirSync, rmSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import type {Durability} from '../../../src/store/port/port.ts';
import type {SqliteDriver} from '../../../src/store/sqlite/sqlite.ts';
import {databaseFile} from './disk-tap.ts';
import {bundleVictim} from './processes.ts';
import {inspect} from './workload.ts';

export interface VictimOptions {
  driver: SqliteDriver;
  durability: Durability;
  generations: number;
  killAt?: number;
  how?: 'before' | 'after' | 'torn';
  /** Kills from outside, so long after the first commit. */
  killAfterMs?: number;
  /** A program that runs Node, with its arguments: strace. */
  wrapper?: string[];
  /** False: leave what is in the folder and go on with it. */
  fresh?: boolean;
}

export interface VictimEnd {
  signal: NodeJS.Signals | null;
  /** The last generation that was acknowledged; -1 for none. */
  acknowledged: number;
  /** Number of calls that changed the disk, at the end and at each generation; only known of one that was not killed. */
  calls: number;
  callsAt: Map<number, number>;
}

/** Bundles the victim, for a process starts twice as fast from it. Returns the program's path. */
export const buildVictim = (folder: string): Promise<string> =>
  bundleVictim(fileURLToPath(new URL('./victim.ts', import.meta.url)), join(folder, 'victim.mjs'));

/** Runs the workload in a process of its own in `folder`, to its end or to its death. */
export async function runVictim(program: string, folder: string, options: VictimOptions): Promise<VictimEnd> {
  if (options.fresh !== false) rmSync(folder, {recursive: true, force: true});
  mkdirSync(folder, {recursive: true});
  const {driver, durability, generations, killAt = 0, how = 'before', wrapper = []} = options;
  const args = [
    ...wrapper,
    process.execPath,
    program,
    folder,
    driver,
    durability,
    generations,
    killAt,
    how,
  ].map(String);
  const child = spawn(args[0] as string, args.slice(1), {stdio: ['ignore', 'pipe', 'pipe']});
  let output = '';
  let trouble = '';
  let timer: NodeJS.Timeout | undefined;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (options.killAfterMs !== undefined)
      timer ??= setTimeout(() => child.kill('SIGKILL'), options.killAfterMs);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (trouble += text));
  const signal = await new Promise<NodeJS.Signals | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, by) => {
      const killed = by !== null || code === 137; // strace answers its child's signal with an exit code or with itself
      if (code !== 0 && !killed) reject(new Error(`the victim ended with ${code}: ${trouble}`));
      else resolve(killed ? 'SIGKILL' : null);
    });
  });
  clearTimeout(timer);
  const lines = output.split('\n').slice(0, -1); // a line that was cut was not acknowledged
  const callsAt = new Map<number, number>();
  let calls = 0;
  let acknowledged = -1;
  for (const line of lines) {
    const [what = '', count = ''] = line.split(' ');
    calls = Number(count);
    if (what === 'end') continue;
    acknowledged = Number(what);
    callsAt.set(acknowledged, calls);
  }
  return {signal, acknowledged, calls, callsAt};
}

/** What a crash left must be whole, hold all that was acknowledged, and at most the one commit that was in flight. */
export async function checkSurvivor(
  folder: string,
  acknowledged: number,
  driver: SqliteDriver,
): Promise<void> {
  const found = await inspect(databaseFile(folder), driver);
  assert.ok(found >= acknowledged, `generation ${acknowledged} was acknowledged, ${found} was found`);
  assert.ok(
    found <= acknowledged + 1,
    `generation ${found} was found, only ${acknowledged} was acknowledged`,
  );
  assert.equal(existsSync(`${databaseFile(folder)}.lock`), false, dirname(folder));
}
