import assert from 'node:assert/strict';
import type {Journal} from '../../../src/batch/journal/journal.ts';
import {
  NO_RETURNS,
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
  ({state: 'complete', settled: 5, accepted: 5, next: null, ...fields}) as Summary;

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

  it('are not those that failed or that no longer count as accepted', () => {
    for (const [outcome, count] of [
      [{state: 'accepted', status: 'debited'}, 1],
      [{state: 'accepted', status: null}, 1],
      [{state: 'accepted', status: 'failed'}, 0],
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

  it('is what it was if there are none', () => {
    const before = summary();
    assert.equal(withReturns(before, {found: NO_RETURNS}, 'report'), before);
  });

  it('has them beside what is settled, and is not complete before they are paid again', () => {
    assert.deepEqual(withReturns(summary(), known(row(1), row(2, {status: 'debited'})), 'report'), {
      ...summary({settled: 4, state: 'incomplete', next: 'report'}),
      returned: 2,
    });
    const again = {paidAgainBy: 'december'};
    assert.deepEqual(withReturns(summary(), known(row(1, again), row(2, again)), 'report'), {
      ...summary({settled: 3}),
      returned: 2,
    });
    assert.equal(withReturns(summary(), known(row(1, again), row(2)), 'report').state, 'incomplete');
  });

  it('keeps the state and the next command of a batch that is not complete anyway', () => {
    const running = summary({state: 'running', next: 'resume'});
    assert.deepEqual(withReturns(running, known(row(1)), 'report'), {
      ...running,
      settled: 4,
      returned: 1,
    });
  });
});

describe('a summary whose returns may lack some', () => {
  const lacking = {found: NO_RETURNS, readAgain: 'reconcile'};

  it('is not complete, and its next command finds out', () => {
    assert.deepEqual(withReturns(summary(), lacking, 'report'), {
      ...summary({state: 'incomplete', next: 'reconcile'}),
      returns_unknown: true,
    });
    const running = summary({state: 'running', next: 'resume'});
    assert.deepEqual(withReturns(running, lacking, 'report'), {...running, returns_unknown: true});
  });
});

describe('a returned row', () => {
  it('is described by its day and the batch that has paid it again', () => {
    assert.equal(returnedText(back()), 'returned by the bank on 2026-11-17');
    assert.equal(
      returnedText(back({paidAgainBy: 'december'})),
      'returned by the bank on 2026-11-17, paid again by batch december',
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
      assert.equal(repayReference(reference), next);
  });
});
