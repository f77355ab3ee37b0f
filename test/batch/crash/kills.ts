import assert from 'node:assert/strict';
import {systemClock} from '../../../src/clock.ts';
import type {SqliteDriver} from '../../../src/store/sqlite/sqlite.ts';
import type {Kill} from './disk-trouble.ts';
import {withScene, wordsOf} from './scene.ts';
import {lastTold} from './victims.ts';
import type {RunPath} from '../../../src/batch/model/run-path.ts';

export interface Way {
  driver: SqliteDriver;
  path: RunPath;
}

export interface Length {
  /** Calls that change the disk, in all and up to the end of the plan. */
  calls: number;
  planned: number;
  ms: number;
}

/** Duration of an undisturbed run. */
export async function lengthOf(program: string, way: Way): Promise<Length> {
  return withScene(program, async (scene) => {
    const began = performance.now();
    const end = await scene.run(way);
    assert.equal(end.code, 0, wordsOf(end));
    return {
      calls: lastTold<number>(end, 'calls') ?? 0,
      planned: lastTold<number>(end, 'planned') ?? 0,
      ms: performance.now() - began,
    };
  });
}

/** Kills a run at its k-th call and finishes it. False when it ended before there were so many calls. */
export async function killAtCall(program: string, way: Way, kill: Kill): Promise<boolean> {
  return withScene(program, async (scene) => {
    const end = await scene.run({...way, trouble: kill});
    if (!end.killed) assert.equal(end.code, 0, wordsOf(end));
    await scene.checkIntents([end]);
    await scene.finish(way);
    return end.killed;
  });
}

/** Kills a run from outside, at an instant or at a POST, and finishes it. False when it was over by then. */
export async function killAtInstant(
  program: string,
  way: Way,
  when: {ms: number} | {posts: number},
): Promise<boolean> {
  return withScene(program, async (scene) => {
    const victim = await scene.start(way);
    if ('ms' in when) await Promise.race([victim.ended, systemClock.sleep(when.ms)]);
    else await victim.until('post', when.posts);
    victim.kill();
    const end = await victim.ended;
    await scene.checkIntents([end]);
    await scene.finish(way);
    return end.killed;
  });
}
