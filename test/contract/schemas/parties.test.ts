import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {SCHEMAS, check, type SchemaName} from '../../../src/contract/schemas/registry.ts';

const bank = {
  account_number: '000123456789',
  routing_number: '021000021',
  account_type: 'checking',
  holder_name: 'Ada Example',
};
const card = {number: '4242424242424242', exp_month: 12, exp_year: 2030};
const market = {country_code: 'US', currency_code: 'USD'};
const bankMethod = {type: 'bank_account', ...market, bank_account: bank};
const cardMethod = {type: 'card', ...market, card};

const complaints = (name: SchemaName, value: unknown): string[] => {
  const result = check(name, value);
  return result.ok ? [] : result.issues.map(({field}) => field);
};

const CASES: [title: string, SchemaName, value: object, complaints: string[]][] = [
  ['a name alone', 'PartyCreate', {name: 'Ada Example'}, []],
  ['a blank name', 'PartyCreate', {name: '  '}, ['name']],
  ['a name of 256 characters', 'PartyCreate', {name: 'x'.repeat(256)}, ['name']],
  ['no name', 'PartyCreate', {}, ['name']],
  ['a damaged e-mail address', 'PartyCreate', {name: 'A', email: 'a@'}, ['email']],
  ['an unknown kind of party', 'PartyCreate', {name: 'A', type: 'robot'}, ['type']],
  ['no change at all', 'PartyUpdate', {}, []],
  ['a bank account of a payee', 'PayeePaymentMethodAdd', bankMethod, []],
  ['a card of a payee', 'PayeePaymentMethodAdd', cardMethod, []],
  ['a bank account of a payer', 'PayerPaymentMethodAdd', bankMethod, []],
  ['a card of a payer', 'PayerPaymentMethodAdd', cardMethod, ['type', 'bank_account', '']],
  ['a bank account with a card in it', 'PayeePaymentMethodAdd', {...bankMethod, card}, ['']],
  [
    'a routing number of 8 digits',
    'PayeePaymentMethodAdd',
    {...bankMethod, bank_account: {...bank, routing_number: '02100002'}},
    ['bank_account.routing_number'],
  ],
  [
    'an account number with a space',
    'PayeePaymentMethodAdd',
    {...bankMethod, bank_account: {...bank, account_number: '0001 2345'}},
    ['bank_account.account_number'],
  ],
  [
    'a card of a 13th month',
    'PayeePaymentMethodAdd',
    {...cardMethod, card: {...card, exp_month: 13}},
    ['card.exp_month'],
  ],
  [
    'a country in small letters',
    'PayeePaymentMethodAdd',
    {...bankMethod, country_code: 'us'},
    ['country_code'],
  ],
  ['a method of no kind', 'PayeePaymentMethodAdd', market, ['type']],
  ['a new default', 'PaymentMethodUpdate', {is_default: true}, []],
  ['a default taken away', 'PaymentMethodUpdate', {is_default: false}, ['is_default']],
];

describe('schemas of parties and payment methods', () => {
  for (const [title, name, value, expected] of CASES)
    it(`${name} ${expected.length > 0 ? 'refuses' : 'takes'} ${title}`, () =>
      assert.deepEqual(complaints(name, value), expected));

  it('have no place in an answer for a full account or card number', () => {
    const secret = [
      'bank_account',
      'card',
      'number',
      'account_number',
      'routing_number',
      'exp_month',
      'exp_year',
    ];
    assert.deepEqual(
      Object.keys(SCHEMAS.PaymentMethod.shape).filter((field) => secret.includes(field)),
      [],
    );
  });
});
