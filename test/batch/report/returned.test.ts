import assert from 'node:assert/strict';
import type {Journal} from '../../../src/batch/journal/journal.ts';
import {
  attentionBeside,
  NO_RETURNS,
  repaidReference,
  repayReference,
  returnedRows,
  returnedText,
  withReturns,
  type BankReturn,
  type ReturnedRow,
} from '../../../src/batch/report/returned.ts';
import type {Summary} from '../../../src/batch/standing/summary.ts';

const back = (fields: Partial<BankReturn> = {}): BankReturn => ({
  ...{code: 'R03', day: '2026-11-17', paidAgainBy: undefined, repayReference: undefined},
  ...fields,
});
const idOf = (n: number): string => `ABCDEF00-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** Accepted rows with these numbers, whose journal is asked for pages and single rows only. */
function journalOf(
  numbers: readonly number[],
  outcome: object = {state: 'accepted', status: 'settled'},
): Journal {
  const page = <T>(after: number, limit: number, of: (n: number) => T): T[] =>
    numbers
      .filter((n) => n > after)
      .slice(0, limit)
      .map(of);
  const rows = {
    recordIds: (after: number, limit: number) => page(after, limit, (n) => ({n, id: idOf(n)})),
    after: (after: number, limit: number) =>
      page(after, limit, (n) => ({n, reference: `INV-${n}`, amount: 100 * n, currency: 'USD', outcome})),
  };
  return {rows} as unknown as Journal;
}

const summary = (fields: Partial<Summary> = {}): Summary =>
  ({
    ...{state: 'complete', planned: 5, settled: 5, accepted: 5, already_paid: 0, failed: 0, differs: 0},
    ...{batch_id: 'november', rejected: 0, unapproved: 0, next: null},
    ...fields,
  }) as Summary;
const typeOf = (batch: string) => (verb: string) => (batch === 'november' ? verb : `${verb} ${batch}`);

describe('the rows that a bank has returned', () => {
  const returned = (...numbers: number[]) => ({
    found: new Map(numbers.map((n) => [idOf(n).toLowerCase(), back()])),
  });

  it('are the accepted rows with their records, whose ids are compared in lower case', () => {
    assert.deepEqual(
      [...returnedRows(journalOf([1, 4, 9]), returned(4, 7)).found],
      [
        [
          4,
          {...back(), n: 4, reference: 'INV-4', id: idOf(4), amount: 400, currency: 'USD', status: 'settled'},
        ],
      ],
    );
    assert.deepEqual(returnedRows(journalOf([1]), {found: new Map()}), {found: NO_RETURNS});
    assert.equal(NO_RETURNS.size, 0);
  });

  for (const numbers of [[], [4]])
    it(`may be more than are known, if ${numbers.length} are`, () => {
      const {found, readAgain} = returnedRows(journalOf([1, 4]), {
        ...returned(...numbers),
        readAgain: 'reconcile',
      });
      assert.deepEqual([[...found.keys()], readAgain], [numbers, 'reconcile']);
    });

  it('are also those that failed, and not those that no longer count as accepted', () => {
    for (const [outcome, count] of [
      [{state: 'accepted', status: 'debited'}, 1],
      [{state: 'accepted', status: null}, 1],
      [{state: 'accepted', status: 'failed'}, 1],
      [{state: 'conflict', status: 'settled'}, 0],
      [undefined, 0],
    ] as const)
      assert.equal(
        returnedRows(journalOf([1], outcome ?? {state: undefined}), returned(1)).found.size,
        count,
      );
  });

  for (const count of [9_999, 10_000, 10_001, 20_003])
    it(`are found among ${count} rows, on every page`, () => {
      const numbers = Array.from({length: count}, (_, index) => 2 * index + 3);
      const [first, last] = [3, numbers.at(-1)!];
      assert.deepEqual(
        [...returnedRows(journalOf(numbers), returned(first, 20_001, last)).found.keys()],
        [...new Set([first, ...(count > 9_999 ? [20_001] : []), last])],
      );
    });
});

describe('the rows that need attention', () => {
  it('are as many as are asked for, without those that the bank has returned', () => {
    const all = ['INV-1', 'INV-2', 'INV-3', 'INV-4', 'INV-5'].map((reference) => ({reference}));
    const journal = {
      needingAttention: (limit: number, doubts: number) => all.slice(doubts, doubts + limit),
    } as unknown as Journal;
    const returned = returnedRows(journalOf([1, 2, 3], {state: 'accepted', status: 'failed'}), {
      found: new Map([2, 3].map((n) => [idOf(n).toLowerCase(), back()])),
    }).found;
    const found = (limit: number, doubts: number, rows = returned) =>
      attentionBeside(journal, limit, {doubts, returned: rows}).map(({reference}) => reference);
    assert.deepEqual(found(2, 0), ['INV-1', 'INV-4']);
    assert.deepEqual(found(1, 2), ['INV-4']);
    assert.deepEqual(found(2, 1, NO_RETURNS), ['INV-2', 'INV-3']);
  });
});

describe('a summary with returned rows', () => {
  const row = (n: number, fields: Partial<ReturnedRow> = {}): [number, ReturnedRow] => [
    n,
    {
      ...back(),
      n,
      reference: `INV-${n}`,
      id: idOf(n),
      amount: 1,
      currency: 'USD',
      status: 'settled',
      ...fields,
    },
  ];

  const known = (...rows: [number, ReturnedRow][]) => ({found: new Map(rows)});

  it('does not count them as failed, and is complete once the last of them is paid again', () => {
    const failed = {status: 'failed'};
    const again = {...failed, paidAgainBy: 'december'};
    const before = summary({state: 'incomplete', failed: 1, next: 'retry'});
    const {state, next, failed: left} = withReturns(before, known(row(1, again)), typeOf);
    assert.deepEqual({state, next, left}, {state: 'complete', next: null, left: 0});
    const open = withReturns(before, known(row(1, failed)), typeOf);
    assert.deepEqual([open.state, open.next, open.failed], ['incomplete', 'report', 0]);
  });

  it('is complete with rows that another batch has paid, and not with others that failed or differ', () => {
    const again = {paidAgainBy: 'december'};
    const stateOf = (fields: Partial<Summary>, ...more: [number, ReturnedRow][]) => {
      const before = summary({state: 'incomplete', failed: 1, ...fields});
      return withReturns(before, known(row(1, {...again, status: 'failed'}), ...more), typeOf).state;
    };
    assert.equal(stateOf({}, row(2, again)), 'complete');
    assert.equal(stateOf({accepted: 4, already_paid: 1}), 'complete');
    assert.equal(stateOf({accepted: 4}), 'incomplete');
    assert.equal(stateOf({failed: 2, differs: 1}), 'incomplete');
  });

  it('names the batch that continues its rows, if that is so for all of them', () => {
    const held = {heldBy: 'december'};
    const nextOf = (...rows: [number, ReturnedRow][]) => withReturns(summary(), known(...rows), typeOf).next;
    assert.equal(nextOf(row(1, held)), 'status december');
    assert.equal(nextOf(row(1, held), row(2)), 'report');
    assert.equal(nextOf(row(1, held), row(2, {paidAgainBy: 'may'})), 'status december');
    const failed = row(1, {...held, status: 'failed'});
    const before = summary({state: 'incomplete', failed: 2, next: 'retry'});
    assert.equal(withReturns(before, known(failed), typeOf).next, 'retry');
    assert.equal(withReturns({...before, failed: 1}, known(failed), typeOf).next, 'status december');
  });

  it('names a retry only if it can send other rows and no returned row', () => {
    const failed = {status: 'failed'};
    const again = {...failed, paidAgainBy: 'december'};
    const nextOf = (fields: Partial<Summary>, ...rows: [number, ReturnedRow][]) =>
      withReturns(summary({state: 'incomplete', next: 'retry', ...fields}), known(...rows), typeOf).next;
    assert.equal(nextOf({failed: 2}, row(1, again)), 'retry');
    assert.equal(nextOf({failed: 2}, row(1, failed)), 'report');
    assert.equal(nextOf({failed: 1, accepted: 3}, row(1, again)), 'report');
    assert.equal(nextOf({failed: 1, accepted: 3, rejected: 1}, row(1, again)), 'retry');
    assert.equal(nextOf({failed: 1, accepted: 3, unapproved: 1}, row(1, again)), 'retry');
    assert.equal(nextOf({failed: 1, differs: 1}, row(1, again)), 'report');
    assert.equal(nextOf({failed: 1, next: 'resume', accepted: 3}, row(1, again)), 'resume');
    const lacking = {found: new Map([row(1, again)]), readAgain: 'reconcile'};
    const lack = withReturns(summary({state: 'incomplete', failed: 2, next: 'retry'}), lacking, typeOf);
    assert.equal(lack.next, 'reconcile');
  });

  it('is what it was if there are none', () => {
    const before = summary();
    assert.equal(withReturns(before, {found: NO_RETURNS}, typeOf), before);
  });

  it('has them beside what is settled, and is not complete before they are paid again', () => {
    assert.deepEqual(withReturns(summary(), known(row(1), row(2, {status: 'debited'})), typeOf), {
      ...summary({settled: 4, state: 'incomplete', next: 'report'}),
      returned: 2,
    });
    const again = {paidAgainBy: 'december'};
    assert.deepEqual(withReturns(summary(), known(row(1, again), row(2, again)), typeOf), {
      ...summary({settled: 3}),
      returned: 2,
    });
    assert.equal(withReturns(summary(), known(row(1, again), row(2)), typeOf).state, 'incomplete');
  });

  it('keeps the state and the next command of a batch that is not complete anyway', () => {
    const running = summary({state: 'running', next: 'resume'});
    assert.deepEqual(withReturns(running, known(row(1)), typeOf), {
      ...running,
      settled: 4,
      returned: 1,
    });
  });
});

describe('a summary whose returns may lack some', () => {
  const lacking = {found: NO_RETURNS, readAgain: 'reconcile'};

  it('is not complete, and its next command finds out', () => {
    assert.deepEqual(withReturns(summary(), lacking, typeOf), {
      ...summary({state: 'incomplete', next: 'reconcile'}),
      returns_unknown: true,
    });
    const running = summary({state: 'running', next: 'resume'});
    assert.deepEqual(withReturns(running, lacking, typeOf), {...running, returns_unknown: true});
  });
});

describe('a returned row', () => {
  it('is described by its day and the batch that has paid it again', () => {
    assert.equal(returnedText(back()), 'returned by the bank on 2026-11-17');
    assert.equal(
      returnedText(back({paidAgainBy: 'december'})),
      'returned by the bank on 2026-11-17, paid again by batch december',
    );
    assert.equal(
      returnedText(back({heldBy: 'december'})),
      'returned by the bank on 2026-11-17, to be paid again by batch december',
    );
  });

  it('is paid again under a reference that counts up', () => {
    for (const [reference, next] of [
      ['INV-1', 'INV-1-again1'],
      ['INV-1-again1', 'INV-1-again2'],
      ['INV-1-again9', 'INV-1-again10'],
      ['INV-1-again9998', 'INV-1-again9999'],
      ['INV-1-again99999', 'INV-1-again99999-again1'],
      ['INV-1-again', 'INV-1-again-again1'],
      ['INV-1-again1x', 'INV-1-again1x-again1'],
      ['-again3', '-again4'],
    ] as const)
      assert.deepEqual([repayReference(reference), repaidReference(next)], [next, reference]);
    for (const reference of ['INV-1', 'INV-1-again0', 'INV-1-again1x'])
      assert.equal(repaidReference(reference), undefined);
  });
});
