import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {rowView} from '../../../../src/cli/batch/overview/row-view.ts';
import {TableWriter} from '../../../../src/output/records/table.ts';
import {plainPaint} from '../../../../src/output/text/colour.ts';
import {PAYOUT_ID} from '../../../commands/fixtures.ts';

describe('the table of rows that were found', () => {
  it('has each record id in one line at 80 columns', async () => {
    const row = {
      ...{batch_id: 'salaries-november', reference: 'PAY-0001', state: 'accepted', status: 'settled'},
      ...{amount_in_minor_units: 210_000, currency_code: 'USD', id: PAYOUT_ID, message: null},
    };
    const eye = {terminal: true, columns: 80, nowMs: 0, paint: plainPaint};
    const table = new TableWriter(rowView, {columns: 80, fields: [], eye, pieceSize: 100});
    const lines = (await table.piece([row, row])).trimEnd().split('\n');
    assert.equal(lines.length, 3, lines.join('\n'));
    assert.ok(lines.every((line) => line.length <= 80));
    assert.ok(lines.slice(1).every((line) => line.includes(PAYOUT_ID)));
  });
});
