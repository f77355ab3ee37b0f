import assert from 'node:assert/strict';
import {RemitError} from '../../../src/errors.ts';
import {maskedNumber, refusals, shortQuote} from '../../../src/reconcile/statement/file/refusal.ts';
import {
  currencyDecimals,
  dayAfter,
  dayOfParts,
  isoDay,
  shortDay,
  signedMinor,
  wholeMinor,
} from '../../../src/reconcile/statement/file/values.ts';

const at = {refuse: refusals('file'), place: {line: 7}};
const why = (work: () => unknown): string => {
  try {
    return `not refused: ${String(work())}`;
  } catch (error) {
    assert.ok(error instanceof RemitError && error.code === 'STATEMENT_INVALID');
    return error.message.replace('file, line 7: ', '');
  }
};
const LARGEST = 2n ** 63n - 1n;

describe('the values of statements', () => {
  it('are refused with the place in the file, and with what nothing was recorded of', () => {
    const refuse = refusals('a.xml');
    for (const [place, message] of [
      [{line: 3}, 'a.xml, line 3: is wrong'],
      [{element: 'Ntry'}, 'a.xml, element Ntry: is wrong'],
      [undefined, 'a.xml: is wrong'],
    ] as const) {
      const error = refuse(place, 'is wrong');
      assert.deepEqual([error.message, error.details], [message, place]);
      assert.equal(
        error.openHint,
        'download the statement again, or ask the bank for it; nothing of this file was recorded',
      );
    }
    const cause = new Error('x');
    const error = refuse(undefined, 'is wrong', 'do this', cause);
    assert.deepEqual([error.openHint, error.cause], ['do this', cause]);
  });

  it('are quoted in messages up to 40 characters, and long numbers up to four digits', () => {
    for (const [text, shown] of [
      ['a"b', '"a\\"b"'],
      ['x'.repeat(40), `"${'x'.repeat(40)}"`],
      ['x'.repeat(41), `"${'x'.repeat(40)}…"`],
      ['1234567', '"1234567"'],
      ['12345678', '"…5678"'],
      ['A12345678B', '"A…5678B"'],
    ] as const)
      assert.equal(shortQuote(text), shown);
    assert.deepEqual([maskedNumber('12345678'), maskedNumber('12')], ['…5678', '…12']);
  });

  it('are amounts of major units, with a sign and any decimals that the currency has', () => {
    for (const [text, currency, decimal, minor] of [
      ...[
        ['12.50', 'USD', '.', 1250n],
        ['-12.5', 'USD', '.', -1250n],
        ['+12', 'USD', '.', 1200n],
      ],
      ...[
        ['12.', 'USD', '.', 1200n],
        ['.5', 'USD', '.', 50n],
        ['12,5', 'EUR', ',', 1250n],
      ],
      ...[
        ['1.5', 'USD', '.,', 150n],
        ['1,5', 'USD', '.,', 150n],
        ['7', 'JPY', '.', 7n],
        ['7.00', 'JPY', '.', 7n],
      ],
      ...[
        ['1.2340', 'KWD', '.', 1234n],
        ['0.0000', 'USD', '.', 0n],
        ['-0', 'USD', '.', 0n],
      ],
      ...[
        ['92233720368547758.07', 'USD', '.', LARGEST],
        ['-92233720368547758.07', 'USD', '.', -LARGEST],
      ],
      [`${'0'.repeat(36)}1.00`, 'USD', '.', 100n],
    ] as [string, string, '.' | ',' | '.,', bigint][])
      assert.equal(signedMinor(text, currency, decimal, at), minor, text);
    for (const [text, currency, decimal, message] of [
      ['', 'USD', '.', '"" is not an amount'],
      ['.', 'USD', '.', '"." is not an amount'],
      ['-', 'USD', '.', '"-" is not an amount'],
      ['1,5', 'USD', '.', '"1,5" is not an amount'],
      ['1.5', 'USD', ',', '"1.5" is not an amount'],
      ['1.5.0', 'USD', '.', '"1.5.0" is not an amount'],
      ['x1', 'USD', '.', '"x1" is not an amount'],
      ['1x', 'USD', '.', '"1x" is not an amount'],
      [`${'0'.repeat(37)}1.00`, 'USD', '.', '"…0001.0…" is not an amount'],
      ['1.005', 'USD', '.', '"1.005" has more decimals than USD, which has 2'],
      ['1.5', 'JPY', '.', '"1.5" has more decimals than JPY, which has 0'],
      ['92233720368547758.08', 'USD', '.', 'the amount "…7758.08" is too large'],
      ['-92233720368547758.08', 'USD', '.', 'the amount "-…7758.08" is too large'],
    ] as const)
      assert.equal(
        why(() => signedMinor(text, currency, decimal, at)),
        message,
      );
  });

  it('are whole numbers of minor units', () => {
    for (const [text, minor] of [
      ['5', 5n],
      ['+5', 5n],
      ['-005', -5n],
      [String(LARGEST), LARGEST],
      [`-${String(LARGEST)}`, -LARGEST],
      ['0'.repeat(40), 0n],
    ] as const)
      assert.equal(wholeMinor(text, at), minor);
    for (const [text, message] of [
      ['', '"" is not a whole number of minor units'],
      ['1.0', '"1.0" is not a whole number of minor units'],
      ['a1', '"a1" is not a whole number of minor units'],
      ['0'.repeat(41), '"…0000…" is not a whole number of minor units'],
      [String(LARGEST + 1n), 'the amount "…5808" is too large'],
      [String(-LARGEST - 1n), 'the amount "-…5808" is too large'],
    ] as const)
      assert.equal(
        why(() => wholeMinor(text, at)),
        message,
      );
  });

  it('are in a currency with minor units', () => {
    assert.deepEqual([currencyDecimals('USD', at), currencyDecimals('JPY', at)], [2, 0]);
    assert.match(
      why(() => currencyDecimals('DEM', at)),
      /^"DEM" is not an ISO 4217 currency code/,
    );
  });

  it('are days of the calendar, in the forms of each format', () => {
    assert.equal(dayOfParts(['2028', '02', '29'], at), '2028-02-29');
    for (const parts of [
      ['2027', '02', '29'],
      ['2026', '13', '01'],
      ['2026', '1', '01'],
      ['26', '01', '01'],
    ] as const)
      assert.equal(
        why(() => dayOfParts(parts, at)),
        `"${parts.join('-')}" is not a day`,
      );
    for (const text of [
      '2026-03-02',
      '2026-03-02T23:59:59.999-11:00',
      '2026-03-02Z',
      '2026-03-02+01:00',
      '2026-03-02-05:00',
    ])
      assert.equal(isoDay(text, at), '2026-03-02', text);
    for (const text of ['', '2026-03-2', ' 2026-03-02', '2026-03-02 10:00', '2026-03-021', '2026-03-02-'])
      assert.equal(
        why(() => isoDay(text, at)),
        `"${text}" is not a date such as 2026-03-31`,
      );
    assert.equal(
      why(() => isoDay('2026-02-30', at)),
      '"2026-02-30" is not a day',
    );
    for (const [text, day] of [
      ['260302', '2026-03-02'],
      ['791231', '2079-12-31'],
      ['800101', '1980-01-01'],
      ['990101', '1999-01-01'],
      ['000101', '2000-01-01'],
    ] as const)
      assert.equal(shortDay(text, at), day);
    for (const text of ['', '26030', '2603021', 'x260302', '26-3-2'])
      assert.equal(
        why(() => shortDay(text, at)),
        `"${text}" is not a date such as 260331`,
      );
    assert.deepEqual([dayAfter('2026-02-28'), dayAfter('2026-12-31')], ['2026-03-01', '2027-01-01']);
  });
});
