import assert from 'node:assert/strict';
import {parse} from 'csv-parse/sync';
import {rowsToCsv, type BatchRow} from '../../src/automation/rows.ts';
import {RemitError} from '../../src/errors.ts';

const ROW: BatchRow = {reference: 'INV-1', payee_id: 'p', currency_code: 'USD', amount: '1500.75'};

describe('rows of a batch from code', () => {
  it('become a file with a column for each field that any row has', () =>
    assert.deepEqual(
      rowsToCsv([ROW, {...ROW, reference: 'INV-2', rail: undefined, metadata: {note: 'second'}}]),
      '"reference","payee_id","currency_code","amount","metadata.note"\n' +
        '"INV-1","p","USD","1500.75",""\n"INV-2","p","USD","1500.75","second"\n',
    ));

  it('keep quotes, commas, line ends and spaces', () => {
    const note = ' a "b", c\r\nd\n';
    const [, cells] = parse(rowsToCsv([{...ROW, metadata: {note}}]));
    assert.equal(cells!.at(-1), note);
  });

  it('keep whole numbers exact, and refuse all others', () => {
    const minor = (amount: unknown) =>
      rowsToCsv([
        {reference: 'a', payee_id: 'p', currency_code: 'USD', amount_in_minor_units: amount as number},
      ]);
    assert.match(minor(150_075), /"150075"\n$/);
    assert.match(minor(9_007_199_254_740_993n), /"9007199254740993"\n$/);
    for (const amount of [1500.75, 2 ** 53, Number.NaN, null, {}])
      assert.throws(
        () => minor(amount),
        (error) => error instanceof RemitError && error.code === 'CSV_INVALID' && /row 1/.test(error.message),
      );
  });
});
