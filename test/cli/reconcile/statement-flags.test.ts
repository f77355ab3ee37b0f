import assert from 'node:assert/strict';
import {statementFlags, statementOptions} from '../../../src/cli/reconcile/statement-flags.ts';
import {read, refuses} from '../../reconcile/statement/statements.ts';

describe('the flags for statements', () => {
  it('become the options of the reader', async () => {
    const text = 'Tag;Betrag;Konto\n31.03.2026;1.234,56;000111222\n31.03.2026;1,00;000111333\n';
    const options = statementOptions({
      'account-number': '1222',
      currency: 'EUR',
      map: ['booking_date=Tag', 'Amount=Betrag', 'account=Konto'],
      'day-format': 'DD.MM.YYYY',
      'number-format': '1.234,56',
      encoding: 'windows-1252',
    });
    const {lines} = await read(text, {account: 'A', ...options});
    assert.deepEqual(
      lines.map(({amount, currency, bookingDay}) => [amount, currency, bookingDay]),
      [[123_456n, 'EUR', '2026-03-31']],
    );
  });

  it('are those that the errors of the reader name', async () => {
    const row = (text: string) => `booking_date,amount,account\n${text}\n`;
    const hints = [
      (await refuses(row('2026-03-02,1.00,1'), /currency/)).hint,
      (await refuses(row('02.03.2026,1.00,1'), /not a date/, {currencyDefault: 'USD'})).hint,
      (await refuses(row('2026-03-02,"1,00",1'), /not an amount/, {currencyDefault: 'USD'})).hint,
      (await refuses('a,b\n1,2\n', /no column/)).hint,
      (await refuses(Buffer.from('a,b\nä,2\n', 'latin1'), /not UTF-8/)).hint,
      (
        await refuses(row('2026-03-02,1.00,111222\n2026-03-02,1.00,111333'), /2 accounts/, {
          account: 'A',
          currencyDefault: 'USD',
        })
      ).hint,
      (await refuses('hello', /no known format/)).hint,
    ];
    const named = hints.flatMap((hint) => [...String(hint).matchAll(/--([a-z-]+)/g)].map(([, name]) => name));
    assert.deepEqual(new Set(named), new Set([...Object.keys(statementFlags), 'format']));
  });
});
