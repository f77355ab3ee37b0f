import assert from 'node:assert/strict';
import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
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
