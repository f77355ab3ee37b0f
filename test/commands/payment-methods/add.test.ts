import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {runCli} from '../../cli/run-cli.ts';
import {answer} from '../../client/transport/fake-transport.ts';
import {METHOD_ID, PAYEE_ID, PAYER_ID} from '../fixtures.ts';

const NUMBER = '000123456789';
const BANK = `payment-methods add --payee ${PAYEE_ID} --routing-number 021000021 --account-number ${NUMBER} --holder-name Acme --default --json`;
const CARD = `payment-methods add --payee ${PAYEE_ID} --type card --card-number 4242424242424242 --exp-month 4 --exp-year 2031 --json`;
const method = {
  ...{id: METHOD_ID, payee_id: PAYEE_ID, type: 'bank_account', country_code: 'US', currency_code: 'USD'},
  ...{verification_status: 'verified', is_default: true, last4: '6789'},
};
const run = (line: string, body: unknown, status = 201) =>
  runCli(line.split(' '), {service: [answer(status, body)]});

describe('payment-methods add', () => {
  for (const [line, changes, says] of [
    [BANK, {payee_id: PAYER_ID}, `payee_id is ${PAYER_ID}, requested ${PAYEE_ID}`],
    [BANK, {type: 'card'}, 'type is card, requested bank_account'],
    [
      BANK,
      {country_code: 'GB', currency_code: 'GBP'},
      'country_code is GB, requested US; currency_code is GBP',
    ],
    [BANK, {last4: '1111'}, 'last4 is 1111, requested 6789'],
    [BANK, {is_default: false}, 'is_default is false, requested true'],
    [CARD, {type: 'card', last4: '1111'}, 'last4 is 1111, requested 4242'],
  ] as const)
    it(`ends with 8 if the new method is another one: ${says}`, async () => {
      const ran = await run(line, {...method, ...changes});
      assert.equal(ran.exitCode, 8, ran.stderr);
      assert.ok(ran.stderr.includes(`payment method ${METHOD_ID} is not as requested: ${says}`), ran.stderr);
      assert.match(ran.stderr, new RegExp(`^Hint: remit payment-methods list --payee ${PAYEE_ID}$`, 'm'));
      assert.ok(!ran.stderr.includes(NUMBER) && !ran.stderr.includes('4242424242424242'));
    });

  it('takes a record that shows less, or in another form, for the requested one', async () => {
    for (const body of [
      method,
      {id: METHOD_ID},
      {...method, last4: null, payee_id: PAYEE_ID.toUpperCase(), country_code: 'us'},
    ]) {
      const ran = await run(BANK, body);
      assert.deepEqual([ran.exitCode, ran.stderr], [0, '']);
    }
  });

  it('does not compare the end of a short number or of an IBAN', async () => {
    const short = await run(BANK.replace(NUMBER, '12345'), {...method, last4: '345'});
    assert.deepEqual([short.exitCode, short.stderr], [0, '']);
    const line = `payment-methods add --payee ${PAYEE_ID} --country DE --account-number DE89370400440532013000 --holder-name Acme --json`;
    const market = {country_code: 'DE', currency_code: 'EUR', is_default: false};
    const iban = await run(line, {...method, ...market, last4: '1300'});
    assert.deepEqual([iban.exitCode, iban.stderr], [0, '']);
  });

  it('is not the default yet after a 207, which says why', async () => {
    const ran = await run(BANK, {...method, is_default: false, warning: 'not verified'}, 207);
    assert.equal(ran.exitCode, 8, ran.stderr);
    assert.match(ran.stderr, /not verified/);
    assert.doesNotMatch(ran.stderr, /not as requested/);
  });
});
