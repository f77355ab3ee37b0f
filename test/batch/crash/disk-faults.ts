import assert from 'node:assert/strict';
import {EXIT} from '../../../src/errors.ts';
import type {DiskFault} from './disk-trouble.ts';
import type {Way} from './kills.ts';
import {type Scene, withScene, wordsOf} from './scene.ts';
import {type Told, type VictimEnd, lastTold} from './victims.ts';

/** Every way in which the disk fails: full from some moment on, or one sync that does not succeed. */
export const FAULTS: readonly DiskFault[] = [
  ...(['journal', 'registry', 'results', 'status'] as const).map((of): DiskFault => ({
    of,
    kind: 'write',
    errno: 'ENOSPC',
    lasting: true,
  })),
  ...(['journal', 'registry', 'results'] as const).map((of): DiskFault => ({
    of,
    kind: 'sync',
    errno: 'EIO',
    lasting: false,
  })),
];

/**
 * Runs into the k-th such fault; when the disk is well again, to the end. Returns the exit code of the run that met the
 * fault, or undefined when there are not so many such calls.
 */
export async function breakDisk(
  program: string,
  way: Way,
  fault: DiskFault,
  failAt: number,
): Promise<number | undefined> {
  return withScene(program, async (scene) => {
    const end = await scene.run({...way, trouble: {...fault, failAt}});
    const at = end.told.findIndex(({what}) => what === 'fault');
    if (at < 0) return undefined;
    await checkStopped(scene, end, end.told.slice(at), way);
    return end.code!;
  });
}

/** After a failed write or sync nothing leaves, the exit code says local state, and the batch can be finished. */
export async function checkStopped(
  scene: Scene,
  end: VictimEnd,
  after: readonly Told[],
  way: Way,
): Promise<void> {
  const posts = after.filter(({what}) => what === 'post').length;
  assert.equal(posts, 0, `${posts} POSTs left after the disk had failed`);
  if (end.code === 0)
    scene.checkTruth(); // what failed was of no consequence, such as tidying up at the very end
  else {
    assert.equal(end.code, EXIT.LOCAL_STATE, wordsOf(end));
    assert.match(lastTold<{message: string}>(end, 'error')!.message, /disk|no space|could not|cannot/i);
  }
  await scene.checkIntents([end]);
  await scene.finish(way);
}
