import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {closeSync, mkdtempSync, openSync, rmSync, rmdirSync, writeSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {RecordReader} from '../../src/webhooks/record/reader.ts';
import {ListenerProcess} from './listener-process.ts';

describe('a listener on a disk that is full', function () {
  const folder = mkdtempSync(join(tmpdir(), 'remit-full-'));
  const filler = join(folder, 'filler');
  let listener: ListenerProcess | undefined;
  const mount = () => spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder]).status === 0;
  const unmount = () => spawnSync('umount', [folder]).status === 0;
  const canMount = mount() && unmount(); // not left mounted: with --grep no hook of this suite may run

  before(() => assert.equal(canMount && mount(), canMount));

  after(async () => {
    await listener?.kill();
    if (canMount) unmount();
    rmdirSync(folder);
  });

  function fill(): void {
    const file = openSync(filler, 'w');
    const piece = Buffer.alloc(4096);
    try {
      for (;;) writeSync(file, piece);
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
    } finally {
      closeSync(file);
    }
  }

  const recorded = (): {ids: (string | null)[]; damaged: number} => {
    const reader = new RecordReader(join(folder, 'webhooks', 'record'));
    const ids = [...reader.more()].map((entry) =>
      entry.kind === 'delivery' ? entry.delivery.eventId : null,
    );
    return {ids, damaged: reader.damaged};
  };

  const title = 'answers 503, claims nothing, and recovers when there is space again';
  if (!canMount) it('skipped: no small file system can be mounted here', () => undefined);
  else
    it(title, async () => {
      listener = await ListenerProcess.open(folder);
      assert.equal(await listener.post('before'), 200);
      fill();
      const refused = await Promise.all(
        Array.from({length: 20}, (_, number) => listener!.post(`full${number}`, 10_000)),
      );
      assert.deepEqual([...new Set(refused)], [503]);
      assert.deepEqual(recorded(), {ids: ['before'], damaged: 0});
      rmSync(filler);
      assert.equal(await listener.post('after', 10_000), 200);
      assert.equal(await listener.post('full3', 10_000), 200, 'the service sends it again');
      assert.deepEqual(recorded(), {ids: ['before', 'after', 'full3'], damaged: 0});
    });
});
