import assert from 'node:assert/strict';
import {mkdirSync, rmdirSync} from 'node:fs';
import {Bench} from '../harness.ts';

describe('the copy of a journal for readers, if it cannot be removed', () => {
  const bench = new Bench();
  after(() => bench.remove());
  let published: string;
  before(async () => {
    await bench.plan(bench.payouts(1));
    published = await bench.inJournal(({place}) => place.published);
  });

  it('is an error of the local state when the batch is opened', async () => {
    mkdirSync(published); // no file, so it cannot be removed like one
    await assert.rejects(bench.open(), {code: 'STATE'});
    rmdirSync(published);
  });

  it('does not keep the batch locked when it is closed', async () => {
    const batch = await bench.open();
    mkdirSync(published);
    await batch.close();
    rmdirSync(published);
    await (await bench.open()).close();
  });
});
