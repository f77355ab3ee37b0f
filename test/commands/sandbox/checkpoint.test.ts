import assert from 'node:assert/strict';
import {mkdirSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {LiveSandbox} from './live-sandbox.ts';

describe('sandbox checkpoint', () => {
  let sandbox: LiveSandbox;
  before(async () => {
    sandbox = new LiveSandbox();
    await sandbox.start();
  });
  after(async () => {
    await sandbox.run(['sandbox', 'stop']);
    await sandbox.ended();
  });

  it('saves, lists and restores', async () => {
    const saved = await sandbox.run(['sandbox', 'checkpoint', 'save', 'empty', '-o', 'json']);
    const {name, clock_at: clockAt} = saved.json() as {name: string; clock_at: string};
    assert.equal(name, 'empty');
    await sandbox.run(['sandbox', 'seed', '--payees', '2']);
    await sandbox.run(['sandbox', 'advance', '48h']);
    const listed = (await sandbox.run(['sandbox', 'checkpoint', 'list', '-o', 'json'])).json();
    assert.deepEqual(listed, [saved.json()]);

    const restored = await sandbox.run(['sandbox', 'checkpoint', 'restore', 'empty']);
    assert.equal(restored.exitCode, 0, restored.stderr);
    assert.match(restored.stdout, /^Restored empty; the clock is back at /);
    assert.deepEqual((await sandbox.run(['payees', 'list', '-o', 'json'])).json(), []);
    const status = (await sandbox.run(['sandbox', 'status', '--audit', '-o', 'json'])).json();
    const {clock} = status as {clock: {now: string}};
    assert.ok(Date.parse(clock.now) - Date.parse(clockAt) < 3_600_000, clock.now);
  });

  it('shows people what to type next', async () => {
    const {stdout, stderr} = await sandbox.run(['sandbox', 'checkpoint', 'save', 'payday']);
    assert.match(stdout, /^Saved payday at .* \(sandbox clock\)/);
    assert.match(stderr, /remit sandbox checkpoint restore payday/);
    assert.match((await sandbox.run(['sandbox', 'checkpoint', 'list'])).stdout, /payday/);
  });

  it('save warns when it replaced an older one, and only then', async () => {
    const save = () => sandbox.run(['sandbox', 'checkpoint', 'save', 'twice', '-o', 'json']);
    const first = await save();
    assert.doesNotMatch(first.stderr, /replaced/);
    const {saved_at: at} = first.json() as {saved_at: string};
    assert.match(
      (await save()).stderr,
      new RegExp(`Warning: the earlier checkpoint twice of ${at} was replaced`),
    );
  });

  it('restore says what it cannot take back, once a batch was run', async () => {
    const restore = () => sandbox.run(['sandbox', 'checkpoint', 'restore', 'empty']);
    assert.doesNotMatch((await restore()).stderr, /still recorded as paid/);
    const folder = join(sandbox.home, 'state', 'batches');
    mkdirSync(folder, {recursive: true});
    writeFileSync(join(folder, 'registry.db'), '');
    assert.match((await restore()).stderr, /still recorded as paid.*--state-dir/s);
    assert.match((await sandbox.run(['sandbox', 'reset'])).stderr, /still recorded as paid/);
    rmSync(folder, {recursive: true});
  });

  it('refuses an invalid name, one that was never saved, and no name', async () => {
    const bad = await sandbox.run(['sandbox', 'checkpoint', 'save', 'Pay Day', '-o', 'json']);
    assert.deepEqual([bad.exitCode, bad.error().code], [5, 'VALIDATION_ERROR']);
    const gone = await sandbox.run(['sandbox', 'checkpoint', 'restore', 'nothing', '-o', 'json']);
    assert.deepEqual([gone.exitCode, gone.error().code], [4, 'NOT_FOUND']);
    assert.equal((await sandbox.run(['sandbox', 'checkpoint', 'save'])).exitCode, 2);
  });
});

describe('sandbox start --store', () => {
  it('refuses an invalid PostgreSQL address without showing its password', async () => {
    const sandbox = new LiveSandbox();
    const other = await sandbox.run(['sandbox', 'start', '--store', 'mysql://there/x', '-o', 'json']);
    assert.deepEqual([other.exitCode, other.error().code], [2, 'USAGE']);
    const away = ['sandbox', 'start', '--store', 'postgres://elm:secret@127.0.0.1:1/x', '-o', 'json'];
    const refused = await sandbox.run(away);
    assert.deepEqual([refused.exitCode, refused.error().code], [13, 'STATE']);
    assert.doesNotMatch(refused.stderr, /secret/);
    assert.match(refused.stderr, /nothing is listening there/);
    assert.equal((await sandbox.run([...away, '--fresh'])).exitCode, 2);
    const schema = ['sandbox', 'start', '--store', 'postgres://127.0.0.1/x?schema=A-b', '-o', 'json'];
    assert.equal((await sandbox.run(schema)).error().code, 'USAGE');
  });
});
