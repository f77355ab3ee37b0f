import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {
  checkAnswered,
  comparedFields,
  payinCurrency,
  railDifference,
  whyIncomparable,
} from '../../../src/client/answers/created-record.ts';
import type {RemitError} from '../../../src/errors.ts';
import {PAYEE_ID, payout, PAYOUT_ID} from '../../commands/fixtures.ts';
import type {JsonFields} from '../../../src/narrow.ts';

const asked = {
  payee_id: PAYEE_ID,
  amount_in_minor_units: 12_500,
  currency_code: 'USD',
  rail: 'wire',
  metadata: {order: '17', team: 'ops'},
};
const answered = (changes: Record<string, unknown> = {}) => ({
  ...payout({rail: 'wire', client_metadata: asked.metadata}),
  ...changes,
});
const check = (record: JsonFields) =>
  checkAnswered({noun: 'payout', asked, record, idempotencyKey: 'k', isNew: false, next: 'next'});

describe('the record in the answer to a create', () => {
  for (const [title, changes, says] of [
    ['another party', {payee_id: PAYOUT_ID}, /payee_id is/],
    ['another amount', {amount_in_minor_units: 12_501}, /amount_in_minor_units is 12501, requested 12500/],
    [
      'another amount under its old name',
      {amount_in_minor_units: undefined, amount_in_cents: 1},
      /is 1, requested 12500/,
    ],
    ['another currency', {currency_code: 'CAD'}, /currency_code is CAD, requested USD/],
    ['a subaccount that was not asked for', {subaccount_id: PAYEE_ID}, /subaccount_id is/],
    [
      'one entry of its metadata changed',
      {client_metadata: {order: '17', team: 'dev'}},
      /client_metadata is/,
    ],
    ['one entry of its metadata lost', {client_metadata: {order: '17'}}, /client_metadata is/],
    ['no metadata', {client_metadata: null}, /client_metadata is {}, requested/],
  ] as const)
    it(`is another one with ${title}`, () => {
      assert.throws(() => check(answered(changes)), {code: 'KEY_REUSED', message: says});
    });

  it('is the requested one if its fields are equal, or if it has fewer or more of them', () => {
    for (const changes of [
      {},
      {payee_id: PAYEE_ID.toUpperCase(), amount_in_minor_units: '12500'},
      {
        amount_in_minor_units: undefined,
        amount_in_cents: undefined,
        currency_code: null,
        payee_id: undefined,
      },
      {client_metadata: {...asked.metadata, trace: 'x'}},
      {client_metadata: undefined, subaccount_id: null},
    ])
      assert.equal(check(answered(changes)), undefined);
  });

  it('may differ only in the rail, which is returned', () => {
    check(answered({rail: 'ach'}));
    assert.equal(railDifference(asked, answered({rail: 'WIRE'})), undefined);
    assert.deepEqual(railDifference(asked, answered({rail: 'ach'})), {
      ...{field: 'rail', asked: 'wire', answered: 'ach'},
    });
  });

  it('may have another currency if it is a payin, which is returned', () => {
    const payin = {payer_id: PAYEE_ID, amount_in_minor_units: 12_500, currency_code: 'USD'};
    const record = {...payin, id: PAYOUT_ID, subaccount_id: null, currency_code: 'CAD'};
    checkAnswered({noun: 'payin', asked: payin, record, idempotencyKey: 'k', isNew: false});
    assert.deepEqual(payinCurrency({noun: 'payin', asked: payin, record}), {
      field: 'currency_code',
      asked: 'USD',
      answered: 'CAD',
    });
    assert.equal(payinCurrency({noun: 'payout', asked, record: answered({currency_code: 'CAD'})}), undefined);
  });

  for (const [title, request, changes, compared] of [
    ['a payout', asked, {}, ['payee_id', 'amount_in_minor_units', 'currency_code', 'client_metadata']],
    [
      'a payout without metadata in the answer',
      asked,
      {client_metadata: null, payee_id: null},
      [...['amount_in_minor_units', 'currency_code']],
    ],
    ['an amount under its old name', {amount_in_cents: 12_500}, {}, ['amount_in_minor_units']],
    ['metadata under its old name', {payout_metadata: {a: 1}}, {}, ['client_metadata']],
    [
      'a payin, but not its currency',
      {payer_id: PAYEE_ID, currency_code: 'USD'},
      {payer_id: PAYEE_ID},
      ['payer_id'],
    ],
    ['a subaccount', {subaccount_id: PAYEE_ID}, {}, ['subaccount_id']],
  ] as const)
    it(`has its compared fields listed: ${title}`, () => {
      const noun = 'payer_id' in request ? 'payin' : 'payout';
      assert.deepEqual(comparedFields({noun, asked: request, record: answered(changes)}), compared);
    });

  it('is a payout by its operation, whatever other fields its request has', () => {
    for (const payer_id of [null, PAYEE_ID]) {
      const create = {
        noun: 'payout',
        asked: {...asked, payer_id},
        idempotencyKey: 'k',
        isNew: false,
      } as const;
      assert.throws(() => checkAnswered({...create, record: answered({currency_code: 'CAD'})}), {
        ...{code: 'KEY_REUSED', message: /currency_code is CAD, requested USD/},
      });
    }
  });

  it('is compared with the metadata under both names of the request', () => {
    for (const [metadata, payout_metadata] of [
      [{a: '1'}, {b: '2'}],
      [{b: '2'}, {a: '1'}],
      [{}, {a: '1'}],
    ]) {
      const create = {
        noun: 'payout',
        asked: {...asked, metadata, payout_metadata},
        idempotencyKey: 'k',
      } as const;
      assert.throws(
        () => checkAnswered({...create, isNew: false, record: answered({client_metadata: {b: '2'}})}),
        {
          ...{code: 'KEY_REUSED', message: /: client_metadata is {"b":"2"}, requested {"a":"1"}\./},
        },
      );
      checkAnswered({...create, isNew: false, record: answered({client_metadata: {a: '1', b: '2'}})});
    }
  });

  for (const [title, changes, why] of [
    ['both', {}, undefined],
    ['no party', {payee_id: null}, 'has no payee_id to compare'],
    [
      'no amount',
      {amount_in_minor_units: null, amount_in_cents: null},
      'has no amount_in_minor_units to compare',
    ],
    ['the amount under its old name', {amount_in_minor_units: undefined, amount_in_cents: 1}, undefined],
    [
      'amounts that differ',
      {amount_in_minor_units: 1, amount_in_cents: 2},
      'has two amounts: amount_in_minor_units is 1, but amount_in_cents is 2',
    ],
    [
      'one amount that is no number',
      {amount_in_minor_units: 1, amount_in_cents: 'x'},
      'has an amount that cannot be read: amount_in_cents is x',
    ],
  ] as const)
    it(`can be compared only with party and amount: ${title}`, () => {
      assert.equal(whyIncomparable(answered(changes), 'payee_id'), why);
    });

  for (const amount of [{value: 12_500}, '125.00'])
    it(`does not belong to another payout because of an amount that cannot be read: ${JSON.stringify(amount)}`, () => {
      const record = answered({amount_in_minor_units: amount, amount_in_cents: undefined});
      assert.throws(() => check(record), {
        code: 'KEY_REUSED',
        message:
          /belongs to payout \S+ .*whose amount cannot be read: amount_in_minor_units is .*with a new key it may be paid twice$/,
      });
    });

  it('that is another one is named with its status, and with both sides of every difference', () => {
    const record = answered({status: 'settled', currency_code: 'CAD'});
    assert.throws(() => check(record), {
      message:
        /^idempotency key k belongs to another payout, \S+ \(status: settled\): currency_code is CAD, requested USD\. Check it before you create this one with a new key$/,
      hint: 'next',
      details: {
        ...{id: PAYOUT_ID, status: 'settled', idempotency_key: 'k', next: 'next', record},
        differences: [{field: 'currency_code', asked: 'USD', answered: 'CAD'}],
      },
    });
  });

  it('that is new but not as requested may have taken effect', () => {
    const record = {...answered(), id: undefined, status: undefined, currency_code: 'CAD'};
    const create = {noun: 'payout', asked, record, idempotencyKey: null, isNew: true} as const;
    assert.throws(
      () => checkAnswered(create),
      (error: RemitError) => {
        const {id, status, next, may_have_taken_effect: taken} = error.details ?? {};
        assert.deepEqual([id, status, next, taken], [null, null, null, true]);
        return /^the service created payout .*, but not as requested: currency_code/.test(error.message);
      },
    );
  });
});
