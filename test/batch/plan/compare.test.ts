import assert from 'node:assert/strict';
import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import {compareRows, type Comparison} from '../../../src/batch/plan/compare.ts';
import {withoutKeeping} from '../../../src/batch/plan/plan.ts';
import type {Outcome, RowState} from '../../../src/batch/model/outcome.ts';
import {Bench, payeeId} from '../harness.ts';

const HEADER = 'reference,payee_id,amount,currency_code\n';
const line = (n: number, amount = '10.00', payee = n, currency = 'USD') =>
  `INV-${n},${payeeId(payee)},${amount},${currency}\n`;

describe('a file compared with what a batch has paid', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.remove());

  /** A batch of these rows, by state. */
  async function batchOf(states: readonly (RowState | undefined)[], facts: Partial<Outcome> = {}) {
    const rows = states.map((_, at) => line(at + 1)).join('');
    await bench.plan(bench.file('paid.csv', HEADER + rows));
    const batch = await bench.open();
    states.forEach((state, at) => {
      if (state === undefined) return;
      const none = {status: null, stagedAt: null, http: null, code: null, message: null};
      const more = {requestId: null, attempts: 1, orphan: null, ...facts};
      batch.journal.record({n: at + 1, state, id: `id-${at + 1}`, ...none, ...more}, bench.clock.now());
    });
    batch.journal.flush();
    return batch;
  }

  async function compared(text: string, batch: Awaited<ReturnType<typeof batchOf>>): Promise<Comparison> {
    const file = bench.file('new.csv', text);
    const options = {kind: 'payout', file, stateDir: bench.stateDir, clock: bench.clock} as const;
    try {
      return await withoutKeeping(options, ({journal}) =>
        compareRows('payout', journal, {journal: batch.journal, backState: () => undefined}),
      );
    } finally {
      await batch.close();
    }
  }

  const namesOf = ({listed}: Comparison['differ']) => listed.map(({reference}) => reference);

  it('is equal if all of its rows are paid and no other is, in any order', async () => {
    const batch = await batchOf(['accepted', 'already_paid']);
    const found = await compared(HEADER + line(2) + line(1), batch);
    assert.deepEqual(found.rows, {file: 2, paid: 2, same: 2});
    assert.deepEqual([found.notPaid.part.rows, found.notInFile.part.rows, found.differ.part.rows], [0, 0, 0]);
  });

  it('lists what is not paid, with its state', async () => {
    const states = ['accepted', 'in_doubt', 'rejected', 'staged', undefined, 'collision'] as const;
    const found = await compared(
      HEADER + [1, 2, 3, 4, 5, 6, 7].map((n) => line(n)).join(''),
      await batchOf(states),
    );
    assert.deepEqual(
      found.notPaid.listed.map(({reference, line: at, state}) => [reference, at, state]),
      [
        ['INV-2', 3, 'in_doubt'],
        ['INV-3', 4, 'rejected'],
        ['INV-4', 5, 'staged'],
        ['INV-5', 6, 'not_sent'],
        ['INV-6', 7, 'conflict'],
        ['INV-7', 8, null],
      ],
    );
    assert.deepEqual(found.notPaid.part.totals.toMajor(), {USD: '60.00'});
    assert.equal(found.rows.same, 1);
  });

  it('does not count a payment that has failed', async () => {
    const found = await compared(HEADER + line(1), await batchOf(['accepted'], {status: 'failed'}));
    assert.deepEqual([found.rows.paid, found.notPaid.listed[0]!.state], [0, 'failed']);
  });

  it('lists payments that are not in it', async () => {
    const found = await compared(HEADER + line(1), await batchOf(['accepted', 'accepted', 'rejected']));
    assert.deepEqual(namesOf(found.notInFile), ['INV-2']);
    assert.equal(found.notInFile.listed[0]!.id, 'id-2');
  });

  it('lists what differs in payee, amount or currency, with both sides', async () => {
    const text = HEADER + line(1, '10.01') + line(2, '10.00', 9) + line(3, '10.00', 3, 'EUR');
    const found = await compared(text, await batchOf(['accepted', 'accepted', 'accepted']));
    assert.deepEqual(
      found.differ.listed.map(({fields}) => fields),
      [['amount'], ['payee_id'], ['currency_code']],
    );
    const [first] = found.differ.listed;
    assert.deepEqual([first!.file!.amount, first!.paid!.amount], ['10.01', '10.00']);
  });

  it('lists a payment whose record differs from its row', async () => {
    const found = await compared(HEADER + line(1), await batchOf(['accepted'], {code: 'DIFFERS'}));
    assert.deepEqual(found.differ.listed[0]!.fields, ['record']);
  });

  it('is not kept', async () => {
    await compared(HEADER + line(1), await batchOf(['accepted']));
    assert.deepEqual(readdirSync(join(bench.stateDir, 'batches', 'payout')), ['b1']);
  });
});
