import assert from 'node:assert/strict';
import {RemitError} from '../../../src/errors.ts';
import {readCsv} from '../../../src/reconcile/statement/csv/csv.ts';
import {refusals} from '../../../src/reconcile/statement/file/refusal.ts';
import {CSV_DAY_FORMATS} from '../../../src/reconcile/statement/file/statement.ts';
import {accountOf, read, refuses} from './statements.ts';

const csv = (header: string, ...rows: readonly string[]) => [header, ...rows, ''].join('\r\n');

describe('CSV statements', () => {
  it('give lines by the names of the columns; other columns are texts', async () => {
    const text = csv(
      'Account,ID,Booking date,Value Date,Amount,Currency-Code,Status,return_code,Details,Empty',
      '000111222,B1,2026-03-02,2026-03-03,-12.50,USD,Posted,R01,"PAID, ""NOW""",',
      '000111222,,2026-03-02,,7,USD,pending,,X,',
    );
    const {format, lines, balances} = await read(text);
    assert.deepEqual([format, balances, await accountOf(text)], ['csv', [], '…1222']);
    const [first, second] = lines;
    assert.deepEqual(first, {
      key: 'statement/A/B1/2026-03-02/-1250',
      source: 'statement',
      account: 'A',
      id: 'B1',
      amount: -1250n,
      currency: 'USD',
      bookingDay: '2026-03-02',
      valueDay: '2026-03-03',
      state: 'posted',
      returnCode: 'R01',
      texts: [{path: 'Details', text: 'PAID, "NOW"'}],
    });
    assert.deepEqual(
      [second?.amount, second?.state, second?.valueDay, second?.id],
      [700n, 'pending', undefined, undefined],
    );
  });

  it('take columns by a mapping, days and amounts by declared forms', async () => {
    const text = csv('Buchung;Betrag;Wert;Zweck', '"31.03.2026";"1.234,56";"1.4.2026";Miete');
    const {lines} = await read(text, {
      currencyDefault: 'EUR',
      map: {booking_date: 'Buchung', amount: 'betrag', value_date: 'WERT'},
      dayFormat: 'DD.MM.YYYY',
      numberFormat: '1.234,56',
    });
    const [line] = lines;
    assert.deepEqual(
      [line?.amount, line?.bookingDay, line?.valueDay, line?.texts],
      [123_456n, '2026-03-31', '2026-04-01', [{path: 'Zweck', text: 'Miete'}]],
    );
  });

  it('take a column that is mapped for nothing else, also if it has the name of another one', async () => {
    const text = csv('value_date,amount,Maß,MASS', '2026-03-02,150,x,USD');
    const map = {booking_date: 'value_date', amount_in_minor_units: 'amount', currency_code: 'MASS'};
    const [line] = (await read(text, {format: 'csv', map})).lines;
    assert.deepEqual([line?.amount, line?.bookingDay, line?.valueDay], [150n, '2026-03-02', undefined]);
  });

  it('take amounts from debit and credit, a direction, or minor units', async () => {
    const amounts = async (header: string, ...rows: string[]) =>
      (await read(csv(header, ...rows), {currencyDefault: 'USD'})).lines.map(({amount}) => amount);
    assert.deepEqual(await amounts('booking_date,debit,credit', '2026-03-02,1.50,', '2026-03-02,,2.50'), [
      -150n,
      250n,
    ]);
    assert.deepEqual(
      await amounts('booking_date,amount,direction', '2026-03-02,1.50,DEBIT', '2026-03-02,2.50,CR'),
      [-150n, 250n],
    );
    assert.deepEqual(await amounts('booking_date,debit,credit', '2026-03-02,0.00,', '2026-03-02,,1.50'), [
      0n,
      150n,
    ]);
    assert.deepEqual(await amounts('booking_date,amount_in_minor_units', '2026-03-02,-9007199254740993'), [
      -9_007_199_254_740_993n,
    ]);
  });

  it('know every word for a direction and a state, in any case', async () => {
    const lines = async (column: string, words: readonly string[]) =>
      (
        await read(
          csv(
            `booking_date,amount,currency_code,${column}`,
            ...words.map((word) => `2026-03-02,1.50,USD,${word}`),
          ),
        )
      ).lines;
    for (const [words, amount] of [
      [['credit', 'C', 'cr', 'CRDT', ''], 150n],
      [['debit', 'd', 'DR', 'dbit'], -150n],
    ] as const)
      assert.deepEqual(
        (await lines('direction', words)).map((one) => one.amount),
        words.map(() => amount),
      );
    const zero = csv('booking_date,amount,currency_code,direction', '2026-03-02,0.00,USD,debit');
    assert.equal((await read(zero)).lines[0]?.amount, 0n);
    for (const [words, state] of [
      [['', 'posted', 'Booked', 'BOOK'], 'posted'],
      [['pending', 'PDNG'], 'pending'],
    ] as const)
      assert.deepEqual(
        (await lines('status', words)).map((one) => one.state),
        words.map(() => state),
      );
  });

  it('read the account and the id of a line, and leave empty texts out', async () => {
    const text = csv(
      'booking_date,amount,currency_code,account,id,return_code,a,b',
      '2026-03-02,1.00,USD, DE1 2 , X , R02 ,, y ',
    );
    const {lines} = await read(text, {number: 'DE12'});
    assert.deepEqual(
      lines.map(({id, returnCode, texts}) => [id, returnCode, texts]),
      [['X', 'R02', [{path: 'b', text: 'y'}]]],
    );
  });

  it('take amounts of every declared form, up to the largest', async () => {
    const amountOf = async (amount: string, numberFormat?: '1,234.56' | '1.234,56') =>
      (
        await read(
          csv(
            'booking_date;amount;currency_code',
            `2026-03-02;${amount};USD`,
            '2026-03-02;1.00;USD'.replace('.', numberFormat === '1.234,56' ? ',' : '.'),
          ),
          {numberFormat},
        )
      ).lines[0]?.amount;
    for (const [amount, minor, format] of [
      ['92233720368547758.07', 2n ** 63n - 1n],
      ['-92233720368547758.07', -(2n ** 63n - 1n)],
      ['+5', 500n],
      ['7.', 700n],
      ['0.5', 50n],
      ['1,234,567.89', 123_456_789n, '1,234.56'],
      ['12,345', 1_234_500n, '1,234.56'],
      ['123', 12_300n, '1,234.56'],
      ['-1.234.567,8', -123_456_780n, '1.234,56'],
    ] as const)
      assert.equal(await amountOf(amount, format), minor, amount);
    for (const [amount, format] of [
      ['92233720368547758.08'],
      ['1,23,456.00', '1,234.56'],
      ['1234,567.00', '1,234.56'],
      [',123.00', '1,234.56'],
      ['1,2345.00', '1,234.56'],
      ['1.00.00'],
      ['.50'],
      ['1,a23.00', '1,234.56'],
      ['1.234,567', '1.234,56'],
    ] as const)
      await assert.rejects(amountOf(amount, format), /line 2: /, amount);
    await assert.rejects(amountOf('1a2,345', '1,234.56'), /is not an amount such as 1,234\.56$/);
    await assert.rejects(amountOf('"1,234.00"'), /is not an amount such as 1234\.56$/);
    assert.equal(await amountOf('123,456.78', '1,234.56'), 12_345_678n);
  });

  it('need decimals somewhere, unless the currency has none or the form is declared', async () => {
    const text = (currency: string, ...amounts: string[]) =>
      csv(
        'booking_date,amount,currency_code',
        ...amounts.map((amount) => `2026-03-02,${amount},${currency}`),
      );
    await refuses(text('USD', '5', '6', '7'), /line 2: "5" may be in major or in minor units/);
    assert.equal((await read(text('USD', '5', '6.00'))).lines.length, 2);
    assert.equal((await read(text('USD', '5.', '6'))).lines.length, 2);
    assert.equal((await read(text('JPY', '5', '6'))).lines.length, 2);
    assert.equal((await read(text('USD', '5'), {numberFormat: '1,234.56'})).lines.length, 1);
    // Three decimals may be thousands, unless there are too many digits before them.
    await refuses(text('KWD', '999.123'), /more or less than a thousand/);
    assert.equal((await read(text('KWD', '1234.123'))).lines[0]?.amount, 1_234_123n);
    assert.equal((await read(text('KWD', '1.12'))).lines[0]?.amount, 1_120n);
  });

  it('without a line have no account that could be named', async () => {
    const {hint} = await refuses(csv('booking_date,amount,currency,account'), /it has none$/, {
      number: '1234',
    });
    assert.equal(hint, 'name one by its last four characters or more: --account-number NUMBER');
  });

  it('read the days of every form', async () => {
    const days = {
      ...{'YYYY-MM-DD': '2026-03-02', YYYYMMDD: '20260302', 'MM/DD/YYYY': '3/2/2026'},
      ...{'DD/MM/YYYY': '02/03/2026', 'DD.MM.YYYY': '2.3.2026'},
    };
    assert.deepEqual(Object.keys(days), CSV_DAY_FORMATS);
    for (const dayFormat of CSV_DAY_FORMATS) {
      const day = days[dayFormat];
      const text = (written: string) => csv('booking_date,amount,currency_code', `${written},1.00,USD`);
      const {lines} = await read(text(day), {dayFormat});
      assert.equal(lines[0]?.bookingDay, '2026-03-02', dayFormat);
      for (const other of [`x${day}`, `${day}x`])
        await refuses(text(other), /line 2: "\S+" is not a date in the form/, {dayFormat});
    }
  });

  describe('are refused for', () => {
    const row = (day: string, amount: string, currency = 'USD') =>
      csv('booking_date,amount,currency_code', '2026-03-01,1.00,USD', `${day},${amount},${currency}`);
    const day = '2026-03-02';
    for (const [what, text, words] of [
      ['a day that is missing', row('', '1.00'), /line 3: the booking date is missing/],
      ['a day in another form', row('03/02/2026', '1.00'), /line 3: "03\/02\/2026".*YYYY-MM-DD/],
      ['a day that does not exist', row('2026-02-30', '1.00'), /line 3: .*not a day/],
      ['an amount that is missing', row(day, ''), /line 3: the amount is missing/],
      ['too many decimals', row(day, '1.005'), /line 3: "1\.005" has more decimals than USD/],
      ['zeros that may be thousands', row(day, '1.000'), /line 3: "1\.000" has more decimals/],
      ['decimals that may be thousands', row(day, '1.234', 'KWD'), /line 3: .*more or less than a thousand/],
      ['groups that were not declared', row(day, '"1,234.00"'), /line 3: "1,234\.00" is not an amount/],
      ['a currency sign', row(day, '$1.00'), /line 3: "\$1\.00" is not an amount/],
      ['two signs', row(day, '--1.00'), /line 3/],
      ['an amount beyond 64 bits', row(day, '99999999999999999999.99'), /line 3: the amount .* is too large/],
      [
        'minor units beyond 64 bits',
        csv('booking_date,amount_in_minor_units,currency_code', `${day},-9223372036854775808,USD`),
        /line 2: the amount .* is too large/,
      ],
      [
        'an unknown currency of minor units',
        csv('booking_date,amount_in_minor_units,currency_code', `${day},1,ABC`),
        /line 2: "ABC"/,
      ],
      ['an amount of two lines', row(day, '"1.00\nx"'), /line 3: "1\.00.*" is not an amount/s],
      ['a currency that is missing', row(day, '1.00', ''), /line 3: the currency is missing/],
      ['an unknown currency', row(day, '1.00', 'ABC'), /line 3: "ABC"/],
      ['a cell too many', row(day, '1.00', 'USD,'), /line 3: has 4 cells; the header has 3/],
      [
        'a direction beside debit and credit',
        csv('booking_date,debit,credit,direction,currency', `${day},1.00,,D,USD`),
        /line 1: has a column direction beside debit and credit$/,
      ],
      [
        'a column credit alone',
        csv('booking_date,credit', `${day},1.00`),
        /has only one of the columns debit and credit$/,
      ],
      ['an open quote', row(day, '"1.00'), /quote that is never closed/],
      [
        'amounts that may be minor units',
        csv('booking_date,amount,currency_code', `${day},150,USD`),
        /line 2: .*minor units/,
      ],
      ['no amount column', csv('booking_date,sum', `${day},1`), /line 1: has no column amount/],
      ['no booking date column', csv('day,amount', `${day},1`), /line 1: has no column booking_date/],
      [
        'two amount columns',
        csv('booking_date,amount,amount_in_minor_units', `${day},1,1`),
        /line 1: .*several columns/,
      ],
      ['a debit without a credit column', csv('booking_date,debit', `${day},1`), /line 1: .*only one/],
      [
        'a debit and a credit',
        csv('booking_date,debit,credit,currency_code', `${day},1.00,1.00,USD`),
        /line 2/,
      ],
      [
        'a negative debit',
        csv('booking_date,debit,credit,currency_code', `${day},-1.00,,USD`),
        /line 2: .*sign/,
      ],
      [
        'an unknown direction',
        csv('booking_date,amount,direction,currency_code', `${day},1.00,x,USD`),
        /line 2/,
      ],
      [
        'a direction and a sign',
        csv('booking_date,amount,direction,currency_code', `${day},-1.00,debit,USD`),
        /sign/,
      ],
      [
        'an unknown status',
        csv('booking_date,amount,status,currency_code', `${day},1.00,void,USD`),
        /"void"/,
      ],
      [
        'one column twice',
        csv('booking_date,amount,Amount', `${day},1.00,1.00`),
        /line 1: has several columns/,
      ],
    ] as const)
      it(what, async () => {
        await refuses(text, words, {format: 'csv'});
      });

    for (const [what, map, words] of [
      ['a header that the file lacks', {amount: 'Sum'}, /no column "Sum"/],
      ['a field that does not exist', {sum: 'amount'}, /no column "sum" to map to/],
      ['one header for two fields', {amount: 'currency_code', currency_code: 'currency_code'}, /twice/],
    ] as const)
      it(`a mapping with ${what}`, async () => {
        await refuses(row(day, '1.00'), words, {format: 'csv', map});
      });
  });

  it('end with the error of what reads the file', async () => {
    const cause = new RemitError('STATE', 'cut off');
    const chunks = async function* () {
      yield 'booking_date,amount\n';
      throw cause;
    };
    const options = {account: 'A'};
    await assert.rejects(
      readCsv(chunks(), 'a.csv', undefined as never, refusals('a.csv'), options),
      (error) => error === cause,
    );
  });

  it('have only whole amounts if their form is declared', async () => {
    const text = csv('booking_date,amount,currency_code', '2026-03-02,150,USD', '2026-03-02,"-1,200",USD');
    const {lines} = await read(text, {numberFormat: '1,234.56'});
    assert.deepEqual(
      lines.map(({amount}) => amount),
      [15_000n, -120_000n],
    );
  });
});
