import assert from 'node:assert/strict';
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

  for (const [what, change] of [
    ['is pending', {status: 'pending'}],
    ['is of an earlier day', {posted_at: '2020-01-02T17:00:00Z'}],
    ['has another text', {description: 'CUSTOMER PAYMENT', bank_reference: '1', transfer_details: null}],
    ['has another amount', {amount_in_minor_units: 10_051}],
    ['is gone', undefined],
  ] as const)
    it(`finds a return that ${what} now, until a person has decided`, async () => {
      await desk.returned('INV-2026-001');
      assert.equal((await run()).counts['returned'], 1);
      const changed = (list: readonly Record<string, unknown>[]) =>
        list
          .flatMap((one) =>
            one['direction'] === 'debit' ? [one] : change === undefined ? [] : [{...one, ...change}],
          )
          .sort((a, b) => String(b['posted_at']).localeCompare(String(a['posted_at'])));
      desk.bank(changed);
      for (const from of ['', ' --from 2020-01-01']) {
        const {exitCode, conclusive, counts, why} = await run(from);
        const found = what === 'has another amount' ? counts['amount_differs'] : counts['changed'];
        assert.deepEqual([exitCode, found], [8, 1], why.join());
        assert.equal(conclusive, false);
      }
      if (what === 'has another amount') return;
      const {stdout} = await desk.reconcile();
      const next = /remit (reconcile ignore .*)/.exec(stdout)?.[1] ?? stdout;
      assert.equal((await desk.desk.remit(next)).exitCode, 0, next);
      assert.equal((await run()).exitCode, 0);
      desk.honest();
      assert.equal((await run()).exitCode, what === 'has another text' ? 0 : 8); // the same money
      if (what !== 'is pending') return;
      desk.bank(changed);
      await run();
      desk.bank((list) => list.filter((one) => one['direction'] === 'debit'));
      const gone = await run();
      assert.deepEqual([gone.exitCode, gone.counts['changed']], [8, 1], 'pending, then gone');
    });
});
