import assert from 'node:assert/strict';
import {outcomeOf} from '../../../src/batch/answers/outcome-of.ts';
import type {JournalRow} from '../../../src/batch/journal/rows/row.ts';
import type {RowState} from '../../../src/batch/model/outcome.ts';
import {must} from '../../../src/narrow.ts';
import {Bench} from '../harness.ts';

describe('the outcome of a row', () => {
  const bench = new Bench();
  let row: JournalRow;
  before(async () => {
    await bench.plan(bench.payouts(1));
    row = await bench.inJournal(({journal}) => must(journal.rows.of('INV-1'), 'row'));
  });
  after(() => bench.remove());

  const assumption = {row: 22, key: 'fields', text: 'Another name of a field may be the reason.'};
  const messageOf = (state: RowState, answer = {}) =>
    outcomeOf(row, {state}, {status: 201, json: {}, assumption, ...answer}).message;

  it('names the assumption that may be wrong if a record is held, and only then', () => {
    assert.equal(messageOf('held'), assumption.text);
    for (const state of ['staged', 'accepted', 'in_doubt', 'rejected'] as const)
      assert.equal(messageOf(state), null, state);
    assert.equal(outcomeOf(row, {state: 'held'}).message, null);
  });

  it('keeps the message of the service, which explains more than an assumption', () => {
    assert.equal(messageOf('held', {message: 'on hold'}), 'on hold');
    assert.equal(messageOf('held', {message: 'on hold', warning: 'queued'}), 'queued');
  });
});
