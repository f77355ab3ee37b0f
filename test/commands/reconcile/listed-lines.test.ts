import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'mocha';
import {LedgerDesk} from './ledger-desk.ts';

type Printed = {
  conclusive: boolean;
  why: string[];
  lines: Record<'added' | 'known' | 'changed' | 'gone', number>;
  counts: Record<string, number>;
};

describe('reconcile of a list of bank lines', () => {
  let desk: LedgerDesk;

  beforeEach(async () => {
    desk = await LedgerDesk.open(['INV-2026-001']);
  });
  afterEach(() => desk.desk.close());

  const run = async (flags = '') => {
    const ran = await desk.reconcile(`--json${flags}`);
    return {exitCode: ran.exitCode, ...(ran.json() as Printed)};
  };

  it('finds a payment that is booked twice by lines without an id, in every run', async () => {
    for (const id of [undefined, '', null]) {
      desk.honest();
      desk.bank((lines) => lines.flatMap((one) => [one, one].map((each) => ({...each, id}))));
      for (const added of id === undefined ? [2, 0] : [0]) {
        const {exitCode, lines, counts} = await run();
        assert.deepEqual([exitCode, lines.added, counts['duplicate']], [8, added, 1], String(id));
      }
    }
  });

  it('keeps lines apart whose ids differ in what is removed', async () => {
    const id = await desk.returned('INV-2026-001');
    desk.bank((lines) => lines.map((one, at) => ({...one, id: `X${'\u200b'.repeat(at)}`})));
    const {lines, counts} = await run();
    assert.deepEqual([lines.added, counts['returned']], [2, 1]);
    assert.equal((await desk.desk.remit(`payouts get ${id}`)).exitCode, 8);
  });

  it('is not conclusive if the list moved while it was read', async () => {
    assert.equal((await run()).conclusive, true);
    desk.bank((lines) => [...lines, ...lines]);
    const {exitCode, conclusive, why} = await run();
    assert.deepEqual([exitCode, conclusive], [8, false]);
    assert.match(why.join(), /the list changed while it was read, and records may be missing/);
    assert.match((await desk.reconcile()).stdout, /not conclusive/);
  });
});
