import assert from 'node:assert/strict';
import fs from 'node:fs';
import {syncBuiltinESMExports} from 'node:module';
import {join} from 'node:path';
import {openBatch} from '../../../src/batch/journal/open-batch.ts';
import {RemitError} from '../../../src/errors.ts';
import {Bench} from '../harness.ts';
import {TruthService} from '../truth-service.ts';

type Change = 'write' | 'sync' | 'unlink';

/** Lets changes of files fail as on a full disk. SQLite in WASM goes through node:fs as well, node:sqlite does not. */
class FullDisk {
  readonly #original = {open: fs.openSync, write: fs.writeSync, sync: fs.fsyncSync, unlink: fs.rmSync};
  readonly #paths = new Map<number, string>();

  constructor(fails: (change: Change, path: string) => boolean) {
    const {open, write, sync, unlink} = this.#original;
    const check = (change: Change, path: string | undefined) => {
      if (path !== undefined && fails(change, path))
        throw Object.assign(new Error(`ENOSPC: ${change} '${path}'`), {code: 'ENOSPC'});
    };
    type Loose = (...args: unknown[]) => unknown;
    const replaced: Record<'openSync' | 'writeSync' | 'fsyncSync' | 'rmSync', Loose> = {
      openSync: (...args) => {
        const descriptor = Reflect.apply(open, fs, args) as number;
        this.#paths.set(descriptor, String(args[0]));
        return descriptor;
      },
      writeSync: (...args) => {
        check('write', this.#paths.get(args[0] as number));
        return Reflect.apply(write as Loose, fs, args);
      },
      fsyncSync: (...args) => {
        check('sync', this.#paths.get(args[0] as number));
        return Reflect.apply(sync as Loose, fs, args);
      },
      rmSync: (...args) => {
        check('unlink', String(args[0]));
        return Reflect.apply(unlink as Loose, fs, args);
      },
    };
    Object.assign(fs, replaced);
    syncBuiltinESMExports();
  }

  mend(): void {
    const {open, write, sync, unlink} = this.#original;
    Object.assign(fs, {openSync: open, writeSync: write, fsyncSync: sync, rmSync: unlink});
    syncBuiltinESMExports();
  }
}

describe('a disk that fills up while a file is planned', () => {
  let bench: Bench;
  let disk: FullDisk | undefined;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => {
    disk?.mend();
    bench.remove();
  });

  const opens = async () => {
    const {stateDir, clock} = bench;
    const batch = await openBatch({stateDir, kind: 'payout', batchId: 'b1', purpose: 'test', clock});
    const references = [...batch.journal.report.everything()].map((row) => row['reference']);
    await batch.close();
    return references;
  };
  /** What cannot be written at the last moment is refused; what can be, is whole. */
  const planned = async (file: string) => {
    try {
      await bench.plan(file);
    } catch (error) {
      assert.ok(error instanceof RemitError && error.code === 'STATE', String(error));
    }
    disk!.mend();
  };

  it('does not publish a journal whose last changes did not fit', async () => {
    disk = new FullDisk((change, path) => change === 'write' && /planning.*journal\.db$/.test(path));
    await planned(bench.payouts(3));
    await bench.plan(bench.payouts(3));
    assert.equal((await opens()).length, 3);
  });

  it('keeps the journal of a batch that has run if its revision does not fit', async () => {
    const service = new TruthService();
    await bench.plan(bench.payouts(2));
    await bench.run(service);
    disk = new FullDisk((change, path) => change === 'write' && /planning.*journal\.db$/.test(path));
    await planned(bench.payouts(3));
    assert.ok([2, 3].includes((await opens()).length));
    await bench.plan(bench.payouts(3));
    assert.equal((await bench.run(service)).accepted, 3);
    assert.equal(service.paid.length, 3);
  });

  it('reports in its own words that a folder could not be synced', async () => {
    disk = new FullDisk((change, path) => change === 'sync' && path === join(bench.folder, 'state'));
    await assert.rejects(bench.plan(bench.payouts(1)), {code: 'STATE'});
  });

  it('syncs every folder above the journal before anything is sent, even those created by a killed plan', async () => {
    const state = join(bench.folder, 'state');
    const journal = join(state, 'batches/payout/b1/journal.db');
    disk = new FullDisk((change, path) => change === 'sync' && path === state && fs.existsSync(journal));
    await assert.rejects(bench.plan(bench.payouts(1)), {code: 'STATE'});
    disk.mend();
    const synced = new Set<string>();
    disk = new FullDisk((change, path) => {
      if (change === 'sync') synced.add(path);
      return false;
    });
    const service = new TruthService();
    const needed = ['batches/payout/b1', 'batches/payout', 'batches', '.', '..'].map((name) =>
      join(state, name),
    );
    let missing: string[] | undefined;
    service.fault = () => void (missing ??= needed.filter((folder) => !synced.has(folder)));
    await bench.run(service);
    assert.deepEqual(missing, []);
  });

  it('plans a file even if leftovers of the plan cannot be removed', async () => {
    disk = new FullDisk((change, path) => change === 'unlink' && path.includes('.planning-'));
    await bench.plan(bench.payouts(2));
    disk.mend();
    assert.equal((await opens()).length, 2);
  });

  it('reports why a plan failed, not that its leftovers cannot be removed', async () => {
    disk = new FullDisk((change, path) => change !== 'write' && path.includes('.planning-'));
    await assert.rejects(bench.plan(bench.payouts(2)), {code: 'STATE'});
  });

  it('reports in its own words that leftovers of a deleted journal could not be removed', async () => {
    disk = new FullDisk((change, path) => change === 'unlink' && path.endsWith('journal.db-wal'));
    await assert.rejects(bench.plan(bench.payouts(1)), {code: 'STATE'});
  });

  it('reports in its own words that an old failed.csv could not be removed', async () => {
    await bench.plan(bench.payouts(1));
    disk = new FullDisk((change, path) => change === 'unlink' && path.endsWith('b1.failed.csv'));
    await assert.rejects(bench.run(new TruthService()), {code: 'STATE'});
  });
});
