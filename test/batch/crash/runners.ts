import assert from 'node:assert/strict';
import {rmSync} from 'node:fs';
import {hostname} from 'node:os';
import {join} from 'node:path';
import type {Summary} from '../../../src/batch/standing/summary.ts';
import {EXIT} from '../../../src/errors.ts';
import type {Way} from './kills.ts';
import {withScene, wordsOf} from './scene.ts';
import {countTold, lastTold} from './victims.ts';

/** Of two runners on one state folder the second is refused; when the first was killed, the next one goes on at once. */
export async function runTwiceOnOneState(program: string, way: Way): Promise<void> {
  await withScene(program, async (scene) => {
    const first = await scene.start({...way, answerAfterMs: 60_000});
    await first.until('post');
    const second = await scene.run(way);
    assert.equal(second.code, EXIT.LOCAL_STATE, wordsOf(second));
    assert.equal(countTold(second, 'post'), 0);
    const {message} = lastTold<{message: string}>(second, 'error')!;
    assert.match(message, new RegExp(`process ${first.pid} on ${hostname()}`));
    first.kill();
    await first.ended;
    // The lock of a holder that is not known to be dead would be refused for half a minute.
    await scene.finish(way);
  });
}

/** Two runners that do not know of each other: the key alone keeps each row paid once. Both are killed and run again. */
export async function runOnTwoStates(program: string, way: Way, killed: boolean): Promise<void> {
  await withScene(program, async (scene) => {
    const folders = ['a', 'b'].map((name) => join(scene.root, name));
    if (killed) {
      const victims = await Promise.all(folders.map((folder) => scene.start({...way, folder})));
      await Promise.all(
        victims.map(async (victim, index) => {
          await victim.until('post', 7 + 20 * index);
          victim.kill();
          await victim.ended;
        }),
      );
    }
    const ends = await Promise.all(folders.map((folder) => scene.run({...way, folder})));
    scene.checkTruth();
    ends.forEach((end, index) => {
      assert.equal(end.code, 0, wordsOf(end));
      scene.checkReport(folders[index], lastTold<Summary>(end, 'summary'));
    });
  });
}

/** What of the state folder can be lost, by the paths in it. */
export const LOSSES = {
  journal: ['batches/payout/b1'],
  registry: ['batches/registry.db', 'batches/registry.db-wal'],
  'journal and registry': ['.'],
} as const;

/** A run is killed, some of what it wrote is deleted, and the file is run again. */
export async function loseState(
  program: string,
  way: Way,
  loss: keyof typeof LOSSES,
  posts: number,
): Promise<void> {
  await withScene(program, async (scene) => {
    const victim = await scene.start(way);
    await victim.until('post', posts);
    victim.kill();
    await victim.ended;
    for (const path of LOSSES[loss])
      rmSync(join(scene.folder, 'state', path), {recursive: true, force: true});
    await scene.finish(way);
  });
}

/** The results of a finished batch are deleted: the next run writes the same again, and sends nothing. */
export async function loseResults(program: string, way: Way): Promise<void> {
  await withScene(program, async (scene) => {
    const end = await scene.run(way);
    assert.equal(end.code, 0, wordsOf(end));
    for (const name of ['b1.results.csv', 'b1.summary.json']) rmSync(join(scene.folder, name));
    const again = await scene.finish(way);
    assert.equal(countTold(again, 'post'), 0);
  });
}
