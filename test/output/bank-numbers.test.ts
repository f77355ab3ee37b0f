import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {bankTransactionView} from '../../src/output/views/treasury.ts';
import {payoutView} from '../../src/output/views/transfers.ts';
import {makeOutput} from './make-output.ts';

/** 16 digits with the first and the check digit of a card number. */
const REFERENCE = '4242424242424242';

const shown = async (records: readonly object[], columns?: number) => {
  const {out, stdout} = makeOutput({}, columns === undefined ? {} : {columns});
  await out.list(records, bankTransactionView);
  return stdout.text;
};

const cardOf = async (record: object, view = bankTransactionView) => {
  const {out, stdout} = makeOutput();
  out.record(record, view);
  return stdout.text;
};

describe('a bank reference that looks like a card number', () => {
  it('is shown in tables and cards as in JSON', async () => {
    const record = {id: 't1', bank_reference: REFERENCE, description: 'rent'};
    for (const text of [await shown([record]), await shown([record], 200), await cardOf(record)])
      assert.ok(text.includes(REFERENCE), text);
    const {out, stdout} = makeOutput({format: 'json'});
    await out.list([record], bankTransactionView);
    assert.ok(stdout.text.includes(REFERENCE), stdout.text);
  });

  it('is shown as the trace number of a payout', async () => {
    const payout = {id: 'p1', transfer_details: {trace_number: REFERENCE}};
    assert.ok((await cardOf(payout, payoutView)).includes(REFERENCE));
  });

  it('is masked everywhere else, also next to it', async () => {
    const text = await shown([
      {id: 't1', bank_reference: REFERENCE, description: `card ${REFERENCE}`},
      {id: 't2', bank_reference: 'r2', description: REFERENCE},
    ]);
    assert.equal(text.split(REFERENCE).length, 2, text);
    assert.match(text, /card …\d{4}/);
  });

  it('is masked if it is a number that the answer has under a protected name', async () => {
    const text = await shown([
      {id: 't1', bank_reference: REFERENCE, description: 'rent', account_number: REFERENCE},
    ]);
    assert.ok(!text.includes(REFERENCE), text);
  });
});
