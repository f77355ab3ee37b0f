import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, it} from 'mocha';
import {MARKET_COUNTRIES, marketOf, withoutBlanks, wrongIn} from '../../src/contract/markets.ts';
import {check} from '../../src/contract/schemas/registry.ts';
import {ACCOUNTS} from '../sandbox/market-accounts.ts';

const INVALID = 'is not valid; check each digit';
const wrong = (country: string, name: string, value: string): string | undefined => {
  const market = marketOf(country)!;
  const field = [...market.bank, market.account].find((one) => one.name === name)!;
  return wrongIn(field, withoutBlanks(value));
};

describe('bank accounts of each country', () => {
  it('have an example each, and its values are accepted, with blanks and small letters too', () => {
    assert.deepEqual(Object.keys(ACCOUNTS).sort(), [...MARKET_COUNTRIES].sort());
    for (const [country, account] of Object.entries(ACCOUNTS)) {
      const market = marketOf(country)!;
      for (const {name} of [...market.bank, market.account]) {
        assert.equal(wrong(country, name, account[name]!), undefined, `${country} ${name}`);
        const typed = account[name]!.toLowerCase().replaceAll(/(.{4})/g, '$1 ');
        assert.equal(wrong(country, name, typed), undefined, `${country} ${name} ${typed}`);
      }
    }
  });

  for (const [country, name, value, why] of [
    ['US', 'routing_number', '021000022', INVALID],
    ['US', 'routing_number', '000000000', INVALID],
    ['US', 'routing_number', '02100002', 'must have 9 digits'],
    ['US', 'account_number', '123', 'must have 4 to 17 digits'],
    ['US', 'account_number', '1234X', 'must have 4 to 17 digits'],
    ['GB', 'sort_code', '12345', 'must have 6 digits'],
    ['GB', 'account_number', '1234567', 'must have 8 digits'],
    ['CA', 'institution_number', '0004', 'must have 3 digits'],
    ['CA', 'transit_number', '1234', 'must have 5 digits'],
    ['CA', 'account_number', '123456', 'must have 7 to 12 digits'],
    ['AU', 'bsb', '06200', 'must have 6 digits'],
    ['AU', 'account_number', '12345678901', 'must have 4 to 10 digits'],
    ['MX', 'clabe', '032180000118359718', INVALID],
    ['MX', 'clabe', '000000000000000000', INVALID],
    ['MX', 'clabe', '03218000011835971', 'must have 18 digits'],
    ['DE', 'iban', 'DE89370400440532013001', INVALID],
    ['DE', 'iban', 'DE8937040044053201300', 'must have 22 characters, beginning with DE and two digits'],
    ['DE', 'iban', 'NL91ABNA0417164300', 'must have 22 characters, beginning with DE and two digits'],
    ['FR', 'iban', 'FR1420041010050500013M02607', INVALID],
  ] as const)
    it(`${country}: ${name} ${value} ${why}`, () => assert.equal(wrong(country, name, value), why));

  it('notice each digit of a number with check digits that is mistyped, and each pair that is swapped', () => {
    const numbers = Object.entries(ACCOUNTS).flatMap(([country, account]) =>
      ['iban', 'clabe', 'routing_number'].flatMap((name) =>
        account[name] === undefined ? [] : [{country, name, value: account[name]}],
      ),
    );
    assert.equal(numbers.length, 12);
    fc.assert(
      fc.property(
        fc.constantFrom(...numbers),
        fc.nat(),
        fc.integer({min: 1, max: 9}),
        (number, place, by) => {
          const {country, name, value} = number;
          const from = name === 'iban' ? 4 : 0;
          const at = from + (place % (value.length - from));
          const digit = Number(value[at]);
          fc.pre(Number.isInteger(digit));
          const changed = `${value.slice(0, at)}${(digit + by) % 10}${value.slice(at + 1)}`;
          assert.equal(wrong(country, name, changed), INVALID);
        },
      ),
    );
  });

  it('need all of their fields, and have no others', () => {
    for (const [country, account] of Object.entries(ACCOUNTS)) {
      const method = {
        type: 'bank_account',
        country_code: country,
        currency_code: marketOf(country)!.currency,
      };
      const issuesOf = (bank_account: object) => {
        const result = check('PayerPaymentMethodAdd', {...method, bank_account});
        return result.ok ? [] : result.issues.map(({field, issue}) => `${field} ${issue}`);
      };
      assert.deepEqual(issuesOf(account), []);
      for (const name of Object.keys(account))
        assert.deepEqual(issuesOf({...account, [name]: undefined}), [`bank_account.${name} is missing`]);
      assert.deepEqual(issuesOf({...account, kontonummer: '1'}), [
        `bank_account.kontonummer is not a field of a bank account in ${country}`,
      ]);
    }
  });
});
