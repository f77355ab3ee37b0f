import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {asRecord} from '../../../src/client/answers/record.ts';
import {creationDetails, recordDetails} from '../../../src/cli/write/details.ts';
import {PAYIN, PAYOUT} from '../../../src/cli/resources/money/transfer-kinds.ts';
import {answer, type Reply} from '../../client/transport/fake-transport.ts';
import {METHOD_ID, page, PAYEE_ID, PAYER_ID, payin, payout, PAYOUT_ID} from '../../commands/fixtures.ts';
import {reading} from '../guard/reading.ts';
import type {JsonFields} from '../../../src/narrow.ts';

const OTHER_METHOD = '0192a000-0000-7000-8000-0000000000cd';
const SUBACCOUNT = '0192a000-0000-7000-8000-0000000000dd';
const METHODS = [
  {id: OTHER_METHOD, type: 'card', brand: 'Visa', last4: '4242', is_default: false},
  {
    ...{id: METHOD_ID, type: 'bank_account', bank_name: 'Test Bank', last4: '6789', is_default: true},
    verification_status: 'verified',
  },
];
const SERVICE: Record<string, Reply> = {
  [`/api/payees/${PAYEE_ID}`]: answer(200, {id: PAYEE_ID, name: 'Acme Ltd'}),
  [`/api/payees/${PAYEE_ID}/payment-methods`]: page(METHODS),
  [`/api/payers/${PAYER_ID}`]: answer(200, {id: PAYER_ID, name: 'Beta Inc'}),
  [`/api/payers/${PAYER_ID}/payment-methods`]: page(METHODS),
};

describe('the confirmation of a payout to be created', () => {
  const details = (body: object, service = SERVICE) =>
    creationDetails(reading(service).context, PAYOUT, {payee_id: PAYEE_ID, ...body});

  it('names the payee, the default method, the account and what happens next', async () => {
    assert.deepEqual(await details({}), {
      who: [
        ['payee', `Acme Ltd (${PAYEE_ID})`],
        ['pays to', 'bank account …6789, Test Bank, default'],
      ],
      when: [
        ['scheduled', 'no date'],
        ['from', 'the main account'],
        ['effect', 'waits for approval; no money moves yet'],
      ],
    });
  });

  it('names the method, date and subaccount that the body names', async () => {
    const fields = {
      override_default_payment_method_id: OTHER_METHOD.toUpperCase(),
      subaccount_id: SUBACCOUNT,
    };
    const {who, when} = await details({...fields, scheduled_date: '2030-01-02', auto_approve: true});
    assert.deepEqual(who[1], ['pays to', 'card …4242, Visa']);
    assert.deepEqual(when, [
      ['scheduled', '2030-01-02, 09:00 in New York'],
      ['from', `subaccount ${SUBACCOUNT}`],
      ['effect', 'approved immediately; the money moves on the scheduled date'],
    ]);
    assert.deepEqual((await details({auto_approve: true})).when[2], [
      'effect',
      'approved immediately; the money moves now',
    ]);
  });

  for (const [title, methods, body, says] of [
    [
      'the method is not of the payee',
      METHODS,
      {override_default_payment_method_id: SUBACCOUNT},
      /is not among/,
    ],
    ['there is no default', METHODS.slice(0, 1), {}, /^unknown: the payee has no default payment method$/],
    [
      'a method has no number',
      [{id: METHOD_ID, is_default: true}],
      {},
      /^payment method, number unknown, default$/,
    ],
    [
      'a method is not verified',
      [{...METHODS[1]!, verification_status: 'pending'}],
      {},
      /^bank account …6789, Test Bank, default, verification pending$/,
    ],
    [
      'the service sends a whole number for the last digits',
      [{...METHODS[1]!, last4: '000123456789'}],
      {},
      /^bank account …6789, Test Bank/,
    ],
  ] as const)
    it(`says so where ${title}`, async () => {
      const service = {...SERVICE, [`/api/payees/${PAYEE_ID}/payment-methods`]: page([...methods])};
      assert.match((await details(body, service)).who[1]![1], says);
    });

  it('continues without a name that the service does not give, and reads each once', async () => {
    const {context, requests} = reading();
    const {who} = await creationDetails(context, PAYOUT, {payee_id: PAYEE_ID});
    assert.deepEqual(who, [
      ['payee', `${PAYEE_ID}, name unknown: the service answered 404`],
      ['pays to', 'unknown: the service answered 404'],
    ]);
    assert.equal(requests.length, 2);
  });

  it('does not show the name of another payee than the one asked for', async () => {
    const other = answer(200, {id: PAYER_ID, name: 'Mallory'});
    const {who} = await details({}, {...SERVICE, [`/api/payees/${PAYEE_ID}`]: other});
    const line = `${PAYEE_ID}, name unknown: the service sent an unexpected answer`;
    assert.deepEqual(who[0], ['payee', line]);
  });
});

describe('the confirmation of a payin to be created', () => {
  it('names the payer, the method that is debited and the account that is credited', async () => {
    const body = {payer_id: PAYER_ID, payment_method_id: OTHER_METHOD, subaccount_id: SUBACCOUNT};
    const {who, when} = await creationDetails(reading(SERVICE).context, PAYIN, body);
    assert.deepEqual(who, [
      ['payer', `Beta Inc (${PAYER_ID})`],
      ['debits', 'card …4242, Visa'],
    ]);
    assert.deepEqual(when[1], ['credits', `subaccount ${SUBACCOUNT}`]);
  });
});

describe('the confirmation of an approval or a cancellation', () => {
  const details = (record: JsonFields, verb: 'approve' | 'cancel' = 'approve') =>
    recordDetails(reading(SERVICE).context, PAYOUT, verb, asRecord(record));

  it('shows the record: payee, method, status, date, account and effect', async () => {
    assert.deepEqual(await details(payout({scheduled_date: '2030-01-02'})), {
      who: [
        ['payee', `Acme Ltd (${PAYEE_ID})`],
        ['pays to', 'bank account …6789, Test Bank'],
      ],
      when: [
        ['status', 'created'],
        ['scheduled', '2030-01-02'],
        ['from', 'the main account'],
        ['effect', 'the money moves now, or on its scheduled date'],
      ],
    });
  });

  it('says that no money moves after a cancellation', async () => {
    const {when} = await details(payout(), 'cancel');
    assert.deepEqual(when[3], ['effect', 'the payout is canceled; no money moves']);
  });

  it('does not say so if the service file has another request for a cancel', async () => {
    const service = {routes: {'payouts.cancel': 'POST /api/payouts/{id}/stop'}};
    const {context} = reading(SERVICE, undefined, service);
    const {when} = await recordDetails(context, PAYOUT, 'cancel', asRecord(payout()));
    assert.match(String(when[3]), /^effect,unknown: the service file changes the request of a cancel/);
  });

  it('says of each line that the record leaves out that it is not known', async () => {
    const {who, when} = await details({id: PAYOUT_ID, status: 'created'});
    assert.deepEqual(who, [
      ['payee', 'unknown: the record has no payee_id'],
      ['pays to', 'unknown: the record has no payment method'],
    ]);
    assert.deepEqual(when.slice(1, 3), [
      ['scheduled', 'not shown by the service'],
      ['from', 'unknown: the record has no subaccount_id'],
    ]);
  });

  it('fetches the name of the party if the record has none, and accepts a method with only an id', async () => {
    const payin_metadata = {payment_method: {id: METHOD_ID}};
    const {context, requests} = reading(SERVICE);
    const {who} = await recordDetails(context, PAYIN, 'approve', payin({payin_metadata}));
    assert.deepEqual(who, [
      ['payer', `Beta Inc (${PAYER_ID})`],
      ['debits', 'payment method, number unknown'],
    ]);
    assert.equal(requests.length, 1);
  });
});
