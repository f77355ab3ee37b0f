import {spawn} from 'node:child_process';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {bundleVictim} from '../../store/crash/processes.ts';
import {type Patch, patching, SMALL_STEPS} from './patches.ts';
import type {VictimTask} from './victim.ts';

/** Bundles the victim, for a process starts much faster from it; `mutant` breaks the engine in it. Returns its path. */
export const buildVictim = (folder: string, mutant: readonly Patch[] = []): Promise<string> =>
  bundleVictim(
    fileURLToPath(new URL('./victim.ts', import.meta.url)),
    join(folder, `victim-${mutant.length === 0 ? 'whole' : 'mutant'}.mjs`),
    [patching([...SMALL_STEPS, ...mutant])],
  );

/** What a victim told, in order: `post` and `get` as they were handed to the network, `fault` as the disk failed. */
export interface Told {
  what: 'planned' | 'phase' | 'post' | 'get' | 'fault' | 'calls' | 'summary' | 'error';
  value: unknown;
}

export interface VictimEnd {
  killed: boolean;
  code: number | null;
  told: Told[];
  stderr: string;
}

export interface Victim {
  pid: number;
  kill(): void;
  /** Resolves when it has told this `times` times, or has ended. */
  until(what: Told['what'], times?: number): Promise<void>;
  ended: Promise<VictimEnd>;
}

/** @param wrapper a program that runs Node, with its arguments: strace */
export function startVictim(program: string, task: VictimTask, wrapper: readonly string[] = []): Victim {
  // Optimising SQLite's code for a run of half a second would cost more than it gains, twofold.
  const args = [...wrapper, process.execPath, '--liftoff-only', program, JSON.stringify(task)];
  const child = spawn(args[0]!, args.slice(1), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {...process.env, NODE_EXTRA_CA_CERTS: ''}, // reading it costs more than the rest of the start
  });
  const told: Told[] = [];
  let rest = '';
  let stderr = '';
  let onTold = () => {};
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      const space = line.indexOf(' ');
      told.push({what: line.slice(0, space) as Told['what'], value: JSON.parse(line.slice(space + 1))});
    }
    onTold();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = new Promise<VictimEnd>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      onTold();
      const killed = signal === 'SIGKILL' || code === 137; // strace answers its child's signal with a code or with itself
      if (signal !== null && !killed) reject(new Error(`a victim ended by ${signal}: ${stderr}`));
      else resolve({killed, code: killed ? null : code, told, stderr});
    });
  });
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  return {
    pid: child.pid!,
    kill: () => void child.kill('SIGKILL'),
    until: (what, times = 1) =>
      new Promise((resolve) => {
        onTold = () => {
          if (isOver() || told.filter((line) => line.what === what).length >= times) resolve();
        };
        onTold();
      }),
    ended,
  };
}

/** Value of the last line of its kind. */
export const lastTold = <T>(end: VictimEnd, what: Told['what']): T | undefined =>
  end.told.findLast((line) => line.what === what)?.value as T | undefined; // the victim's own words

export const countTold = (end: VictimEnd, what: Told['what']): number =>
  end.told.filter((line) => line.what === what).length;
