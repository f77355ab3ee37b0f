import assert from 'node:assert/strict';
import {Desk} from './desk.ts';

describe('a batch that is not there', () => {
  let desk: Desk;
  before(async () => {
    desk = new Desk();
    desk.file('p.csv', [['A-1', 1, '1440.00']]);
    for (let n = 1; n <= 7; n++) await desk.batch(`plan ./p.csv --batch-id b${n}`);
  });
  after(() => desk.close());

  it('ends with 4 for every verb, and says that its list of known ones was cut', async () => {
    for (const line of [
      'status x',
      'report x',
      'release x',
      'resume x',
      'retry x',
      'resolve x A-1 --not-paid',
      'run x',
    ]) {
      const ran = await desk.batch(`${line} --json`);
      assert.deepEqual([ran.exitCode, ran.error().code, ran.stdout], [4, 'NO_BATCH', ''], line);
      if (line === 'run x') continue;
      assert.equal(
        ran.error().hint,
        'known batches: b1, b2, b3, b4, b5, and 2 more (remit payouts batch list); another state folder is named with --state-dir',
      );
    }
    const row = await desk.batch('resolve b1 X-9 --not-paid --json');
    assert.deepEqual([row.exitCode, row.error().code], [4, 'NO_BATCH']);
  });

  it('lists the others with amounts as people read them, and plain for machines', async () => {
    assert.match((await desk.batch('list')).stdout, /1,440\.00 USD/);
    assert.match((await desk.batch('list --json')).stdout, /"1440\.00 USD"/);
  });
});
