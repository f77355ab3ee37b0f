import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {checkStopped} from './disk-faults.ts';
import type {Way} from './kills.ts';
import {withScene, wordsOf} from './scene.ts';
import type {Told} from './victims.ts';

export const hasStrace = (): boolean => spawnSync('strace', ['-V']).status === 0;

/** node:sqlite goes past node:fs, so its calls are met in the kernel. Only the main thread is traced: SQLite runs there. */
const SYSTEM_CALLS = [
  'pwrite64',
  'fdatasync',
  'fsync',
  'ftruncate',
  'rename',
  'unlink',
  'link',
  'write',
] as const;
export type SystemCall = (typeof SYSTEM_CALLS)[number];
export {SYSTEM_CALLS};

const strace = (log: string, trace: string, inject: string): string[] => [
  ...['strace', '-qqq', '-s', '8', '-o', log],
  ...['-e', `trace=${trace}`, '-e', `inject=${inject}`],
];

/** Kills a run at the entry of its k-th system call of a kind, and finishes it. False when there are not so many. */
export async function killUnderStrace(
  program: string,
  way: Way,
  call: SystemCall,
  k: number,
): Promise<boolean> {
  return withScene(program, async (scene) => {
    const wrapper = strace('/dev/null', call, `${call}:signal=SIGKILL:when=${k}`);
    const end = await scene.run({...way, wrapper});
    if (!end.killed) assert.equal(end.code, 0, wordsOf(end));
    await scene.checkIntents([end]);
    await scene.finish(way);
    return end.killed;
  });
}

export const NATIVE_FAULTS = {
  'every write from the k-th on finds the disk full': {
    call: 'pwrite64',
    injects: 'error=ENOSPC',
    lasting: '+',
  },
  'the k-th sync fails': {call: 'fdatasync', injects: 'error=EIO', lasting: ''},
} as const;

/** Like `breakDisk`. The log of strace has the failed call and the lines that the victim tells in one order. */
export async function breakDiskUnderStrace(
  program: string,
  way: Way,
  fault: keyof typeof NATIVE_FAULTS,
  k: number,
): Promise<number | undefined> {
  const {call, injects, lasting} = NATIVE_FAULTS[fault];
  return withScene(program, async (scene) => {
    const log = join(scene.root, 'strace.log');
    const end = await scene.run({
      ...way,
      wrapper: strace(log, `${call},write`, `${call}:${injects}:when=${k}${lasting}`),
    });
    const lines = readFileSync(log, 'utf8').split('\n');
    const at = lines.findIndex((line) => line.includes('(INJECTED)'));
    if (at < 0) return undefined;
    const after = lines.slice(at).flatMap((line): Told[] => {
      const what = /^write\(1, "(post|get)/.exec(line)?.[1];
      return what === undefined ? [] : [{what: what as 'post' | 'get', value: undefined}];
    });
    await checkStopped(scene, end, after, way);
    return end.code!;
  });
}
