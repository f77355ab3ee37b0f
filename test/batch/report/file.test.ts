import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import {openBatch} from '../../../src/batch/journal/open-batch.ts';
import {writeReport} from '../../../src/batch/report/file.ts';
import {readSummary} from '../../../src/batch/standing/read-summary.ts';
import {RemitError} from '../../../src/errors.ts';
import {runCli} from '../../cli/run-cli.ts';
import {FollowBench} from '../follow/bench.ts';

describe('the file of a report', () => {
  let bench: FollowBench;
  let path: string;
  beforeEach(async () => {
    bench = new FollowBench();
    path = join(bench.folder, 'out.html');
    await bench.pay(2);
  });
  afterEach(() => bench.remove());

  const write = async (to = path) => {
    const batch = await openBatch({
      ...{stateDir: bench.stateDir, kind: 'payout', batchId: 'b1', purpose: 'test', clock: bench.clock},
    });
    try {
      writeReport({batch, summary: readSummary(batch, bench.clock.now()), path: to});
    } finally {
      await batch.close();
    }
  };
  const isRefusal = (words: RegExp) => (error: unknown) =>
    error instanceof RemitError && error.code === 'STATE' && words.test(error.message);

  it('is readable only by its owner, and leaves no other file', async () => {
    await write();
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(
      readdirSync(bench.folder).filter((name) => /^out|part|tmp/.test(name)),
      ['out.html'],
    );
  });

  it('is identical when generated again from the same state, and replaces the previous one', async () => {
    await write();
    const first = readFileSync(path, 'utf8');
    await write();
    assert.equal(readFileSync(path, 'utf8'), first);
    bench.settleAll();
    await bench.follow({});
    await write();
    assert.notEqual(readFileSync(path, 'utf8'), first);
    assert.match(readFileSync(path, 'utf8'), /all are settled/);
  });

  it('is never written through a link', async () => {
    const target = join(bench.folder, 'target.html');
    writeFileSync(target, 'mine');
    symlinkSync(target, path);
    await assert.rejects(write(), isRefusal(/symbolic link/));
    assert.equal(readFileSync(target, 'utf8'), 'mine');
    symlinkSync(join(bench.folder, 'nowhere'), join(bench.folder, 'dangling.html'));
    await assert.rejects(write(join(bench.folder, 'dangling.html')), isRefusal(/symbolic link/));
    assert.equal(existsSync(join(bench.folder, 'nowhere')), false);
  });

  it('never replaces a file that is not a report of this batch', async () => {
    writeFileSync(path, '<!doctype html><title>mine</title>');
    await assert.rejects(write(), isRefusal(/is not a report of batch b1/));
    assert.equal(readFileSync(path, 'utf8'), '<!doctype html><title>mine</title>');
    const other = new FollowBench();
    try {
      await other.pay(1);
      const batch = await openBatch({
        ...{stateDir: other.stateDir, kind: 'payout', batchId: 'b1', purpose: 'test', clock: other.clock},
      });
      const theirs = join(bench.folder, 'theirs.html');
      writeReport({batch, summary: readSummary(batch, bench.clock.now()), path: theirs});
      await batch.close();
      await assert.rejects(write(theirs), isRefusal(/is not a report of batch b1/));
    } finally {
      other.remove();
    }
    mkdirSync(join(bench.folder, 'folder.html'));
    await assert.rejects(write(join(bench.folder, 'folder.html')), isRefusal(/is not a report/));
  });

  it('names the folder that cannot be written to', async () => {
    await assert.rejects(write(join(bench.folder, 'no', 'such', 'r.html')), isRefusal(/cannot write/));
  });

  describe('by command', () => {
    const report = (...words: string[]) =>
      runCli(['payouts', 'batch', 'report', 'b1', '--state-dir', bench.stateDir, ...words], {
        cwd: bench.folder,
        env: {HOME: bench.folder}, // neither key nor address: nothing is asked
        clock: bench.clock,
      });

    it('is written next to the results by default, needs no key, and is named in the JSON', async () => {
      const ran = await report('--html', '--json');
      assert.equal(ran.exitCode, 0, ran.stderr);
      const beside = join(bench.folder, 'b1.report.html');
      assert.equal((ran.json() as {report_file: string}).report_file, beside);
      assert.match(readFileSync(beside, 'utf8'), /Payout batch b1/);
    });

    it('is written to the given path', async () => {
      const ran = await report('--html', path);
      assert.equal(ran.exitCode, 0, ran.stderr);
      assert.match(ran.stdout, new RegExp(`^Report +${path}$`, 'm'));
      assert.ok(existsSync(path));
    });

    it('is not written unless requested', async () => {
      const ran = await report(path, '--json');
      assert.equal(ran.exitCode, 2);
      assert.match(ran.error().hint!, /--html/);
      assert.equal(existsSync(path), false);
      assert.equal(Object.hasOwn((await report('--json')).json() as object, 'report_file'), false);
    });

    it('exits 13 if the file belongs to something else', async () => {
      writeFileSync(path, 'mine');
      assert.equal((await report('--html', path)).exitCode, 13);
      assert.equal(readFileSync(path, 'utf8'), 'mine');
    });
  });
});
