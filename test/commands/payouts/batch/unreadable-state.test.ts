import assert from 'node:assert/strict';
import {mkdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Transport} from '../../../../src/client/transport/transport.ts';
import {Desk} from './desk.ts';

describe('a batch whose lock cannot be taken, as on a full disk', () => {
  let desk: Desk;
  beforeEach(async () => {
    desk = Desk.withTwoRows();
    assert.equal((await desk.batch('run ./p.csv --batch-id b --yes --state-dir ./state')).exitCode, 0);
    mkdirSync(join(desk.folder, 'state', 'batches', 'payout', 'b.lock'));
  });
  afterEach(() => desk.close());

  it('is shown by status with the last written state', async () => {
    const ran = await desk.batch('status b --json --state-dir ./state');
    assert.deepEqual([ran.exitCode, ran.error().code], [13, 'STATE'], ran.stderr);
    assert.match(
      ran.error().message,
      /b\.lock: .* 2 of 2 rows of batch b were accepted; more may have happened/,
    );
    const last = ran.error().details!['last_summary'] as {accepted: number};
    assert.equal(last.accepted, 2);
  });

  it('is listed with the reason', async () => {
    const ran = await desk.batch('list --state-dir ./state');
    assert.equal(ran.exitCode, 0);
    assert.match(ran.stdout, /b\s+unreadable\s+test\s+2\s+2\s/);
    assert.match(ran.stderr, /^Warning: b: Could not take the lock /m);
  });
});

describe('a batch whose locks cannot be released, as on a disk that is full at the end', () => {
  let desk: Desk;
  beforeEach(() => {
    desk = Desk.withTwoRows();
  });
  afterEach(() => desk.close());

  /** Blocks the release of a lock as soon as something was sent. */
  const blocking = (lock: string): Transport => {
    const inner = desk.service.transport();
    return {
      send: (request) => {
        const path = join(desk.folder, 'state', 'batches', lock);
        const {token} = JSON.parse(readFileSync(path, 'utf8')) as {token: string};
        mkdirSync(`${path}.${token}`, {recursive: true});
        return inner.send(request);
      },
      close: () => inner.close(),
    };
  };

  for (const lock of ['registry.lock', 'payout/b.lock'])
    it(`still reports what was paid, and the next command: ${lock}`, async () => {
      const ran = await desk.batch('run ./p.csv --batch-id b --yes --json --state-dir ./state', {
        service: blocking(lock),
      });
      assert.equal(ran.exitCode, 13, ran.stderr);
      const {code, message, hint, details} = ran.error();
      assert.equal(code, 'STATE');
      assert.match(message, /^batch b is complete, 2 of 2 rows accepted; .*Could not release the lock/);
      assert.equal((details!['summary'] as {accepted: number}).accepted, 2);
      assert.equal(details!['batch_id'], 'b');
      const next = `remit payouts batch status b --state-dir ${join(desk.folder, 'state')}`;
      assert.deepEqual([hint, details!['next']], [next, next]);
    });

  it('names the command that continues the batch', async () => {
    const ran = await desk.batch('run ./p.csv --batch-id b --yes --stage-only --state-dir ./state', {
      service: blocking('registry.lock'),
    });
    assert.equal(ran.exitCode, 13, ran.stderr);
    assert.match(ran.stderr, /batch b is staged, 0 of 2 rows accepted; /);
    assert.match(ran.stderr, /^Hint: remit payouts batch release b --state-dir /m);
  });
});
