import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {existsSync, mkdirSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {acquireLock} from '../../../../src/store/locks/lock.ts';
import {Desk} from './desk.ts';

const NOBODY = 65_534;

describe('a state folder that cannot be written', () => {
  let desk: Desk;
  beforeEach(async () => {
    desk = Desk.withTwoRows();
    await desk.batch('run ./p.csv --batch-id b --yes --state-dir ./state');
    for (const name of ['out', 'tmp']) mkdirSync(join(desk.folder, name));
  });
  afterEach(() => {
    execFileSync('chmod', ['-R', 'u+w', desk.folder]);
    desk.close();
  });

  /** Runs some work as a user who may read the folder, and write to `out` and `tmp` only. */
  const asReader = async (work: () => Promise<void>): Promise<void> => {
    execFileSync('chmod', ['-R', 'a+rX,a-w', join(desk.folder, 'state')]);
    execFileSync('chmod', ['a+rx', desk.folder, join(desk.folder, '..')]);
    execFileSync('chmod', ['a+rwx', join(desk.folder, 'out'), join(desk.folder, 'tmp')]);
    const {TMPDIR: before} = process.env;
    const isRoot = process.geteuid?.() === 0;
    process.env['TMPDIR'] = join(desk.folder, 'tmp');
    if (isRoot) process.seteuid?.(NOBODY);
    try {
      await work();
    } finally {
      if (isRoot) process.seteuid?.(0);
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    }
  };

  it('is read by every command that reads, in a private copy', async () => {
    await asReader(async () => {
      for (const [line, exitCode, words] of [
        ['status b', 0, /2 of 2 rows accepted|complete/],
        ['status b --row A-1', 0, /accepted/],
        ['find A-2', 0, /A-2/],
        ['list', 0, /b\s+complete/],
        ['export b', 0, /A-1,accepted/],
        ['export b --refresh', 0, /A-1,accepted/],
        ['diff ./p.csv', 0, /are equal/],
        ['diff ./p.csv b', 0, /are equal/],
        ['report b --out ./out', 0, /complete/],
        ['report b --out ./out --html ./out/page.html', 0, /page\.html/],
      ] as const) {
        const ran = await desk.batch(`${line} --state-dir ./state`);
        assert.equal(ran.exitCode, exitCode, `${line}: ${ran.stderr}`);
        assert.match(ran.stdout, words, line);
      }
    });
    assert.ok(existsSync(join(desk.folder, 'out', 'b.results.csv')));
    assert.deepEqual(readdirSync(join(desk.folder, 'tmp')), []);
  });

  it('is not copied while a process has the batch', async () => {
    const lock = await acquireLock(join(desk.folder, 'state/batches/payout/b.lock'), {purpose: 'a run'});
    try {
      await asReader(async () => {
        const ran = await desk.batch('find A-1 --state-dir ./state');
        assert.equal(ran.exitCode, 13, ran.stdout);
        assert.match(ran.stderr, /a run is already running|batch b has been running/);
      });
    } finally {
      execFileSync('chmod', ['-R', 'u+w', desk.folder]);
      await lock.release();
    }
  });
});
