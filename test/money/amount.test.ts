import assert from 'node:assert/strict';
import {inspect} from 'node:util';
import fc from 'fast-check';
import {
  AmountError,
  NUMBER_FORMATS,
  exampleOf,
  formatMajor,
  groupMajor,
  majorIn,
  minorUnitsIn,
  parseMajor,
  parseMinor,
  toWire,
  type AmountProblem,
  type NumberFormat,
} from '../../src/money/amount.ts';
import {CURRENCIES} from '../../src/money/currencies.ts';
import {ExactNumber} from '../../src/narrow.ts';

const problemOf = (work: () => unknown): AmountProblem | 'accepted' => {
  try {
    work();
    return 'accepted';
  } catch (error) {
    assert.ok(error instanceof AmountError, String(error));
    assert.ok(!error.message.includes('\n') && error.message.length < 240, error.message);
    return error.problem;
  }
};

const describeValue = (value: unknown): string => inspect(value instanceof ExactNumber ? value.text : value);

const MAX = BigInt(Number.MAX_SAFE_INTEGER);
const withExponent = [...CURRENCIES].flatMap(([code, exponent]) => (exponent === null ? [] : [code]));
const currency = fc.constantFrom(...withExponent);
const minor = fc.bigInt({min: 1n, max: MAX});
const format = fc.constantFrom(...(Object.keys(NUMBER_FORMATS) as NumberFormat[]));

describe('amounts in major units', () => {
  const right: [string, string, bigint, (NumberFormat | 'undeclared')?][] = [
    ['1500.75', 'USD', 150075n],
    ['1500', 'USD', 150000n],
    ['1500.7', 'USD', 150070n],
    ['0.01', 'USD', 1n],
    ['0012.50', 'USD', 1250n],
    ['4.35', 'USD', 435n], // 4.35 * 100 is 434.99999999999994
    ['1.01', 'USD', 101n],
    ['8.2', 'EUR', 820n],
    ['1500', 'JPY', 1500n],
    ['0.005', 'KWD', 5n],
    ['1234.567', 'KWD', 1234567n],
    ['1.234', 'KWD', 1234n, '1234.56'],
    ['12.500', 'KWD', 12500n],
    ['12.5', 'KWD', 12500n],
    ['1.234', 'KWD', 1234000n, '1.234,56'],
    ['1.5', 'KWD', 1500n],
    ['1.2345', 'CLF', 12345n],
    ['1234.567', 'KWD', 1234567n, 'undeclared'], // a group has at most three digits
    ['0.234', 'KWD', 234n, 'undeclared'],
    ['1.2345', 'CLF', 12345n, 'undeclared'],
    ['90071992547409.91', 'USD', MAX],
    ['9007199254740991', 'JPY', MAX],
    ['1,234.50', 'USD', 123450n, '1,234.56'],
    ['1,234,567.89', 'USD', 123456789n, '1,234.56'],
    ['1234.50', 'USD', 123450n, '1,234.56'],
    ['19.234,56', 'EUR', 1923456n, '1.234,56'],
    ['1234,5', 'EUR', 123450n, '1234,56'],
    ['1 234,50', 'EUR', 123450n, '1 234,56'],
    ['1 234.50', 'EUR', 123450n, '1 234.56'],
    ["1'234.50", 'CHF', 123450n, "1'234.56"],
  ];
  for (const [text, code, expected, declared] of right) {
    it(`reads ${JSON.stringify(text)} ${code}${declared === undefined ? '' : ` as ${declared}`} as ${expected} minor units`, () => {
      assert.equal(parseMajor(text, code, declared), expected);
    });
  }

  const wrong: [string, string, AmountProblem, (NumberFormat | 'undeclared')?][] = [
    ['', 'USD', 'empty'],
    ['  ', 'USD', 'empty'],
    ['\u00a0', 'USD', 'empty'],
    [' 12', 'USD', 'space'],
    ['12 ', 'USD', 'space'],
    ['-5.00', 'USD', 'sign'],
    ['+5.00', 'USD', 'sign'],
    ['5.00-', 'USD', 'sign'],
    ['(5.00)', 'USD', 'sign'],
    ['\u22125.00', 'USD', 'not-ascii'],
    ['$5.00', 'USD', 'currency-sign'],
    ['5.00€', 'EUR', 'currency-sign'],
    ['€ 5,00', 'EUR', 'currency-sign'],
    ['USD 5.00', 'USD', 'currency-sign'],
    ['5.00 USD', 'USD', 'currency-sign'],
    ['5.00USD', 'USD', 'currency-sign'],
    ['1e3', 'USD', 'exponent'],
    ['1.5E+18', 'USD', 'exponent'],
    ['1,5E-2', 'USD', 'exponent'],
    ['0x10', 'USD', 'hex'],
    ['0b11', 'USD', 'hex'],
    ['0o17', 'USD', 'hex'],
    ['\uff11\uff12', 'USD', 'not-ascii'],
    ['\u0661\u0662', 'USD', 'not-ascii'],
    ['1\u00a0234.50', 'USD', 'not-ascii'],
    ['1\u202f234.50', 'USD', 'not-ascii'],
    ['12\u200b', 'USD', 'not-ascii'],
    ['12\t', 'USD', 'not-ascii'],
    ['12\n', 'USD', 'not-ascii'],
    ['1,234.50', 'USD', 'grouping'],
    ['1,234', 'USD', 'grouping'],
    ['19.234,56', 'EUR', 'grouping'],
    ['1234,56', 'EUR', 'grouping'],
    ['1 234.50', 'EUR', 'grouping'],
    ["1'234.50", 'CHF', 'grouping'],
    ['1.2.3', 'USD', 'grouping'],
    ['1.234.567', 'EUR', 'grouping'],
    ['1.234', 'KWD', 'ambiguous', 'undeclared'],
    ['123.456', 'BHD', 'ambiguous', 'undeclared'],
    ['1.234', 'USD', 'too-many-decimals', 'undeclared'],
    ['1.234', 'USD', 'too-many-decimals'],
    ['12.5000', 'KWD', 'too-many-decimals'],
    ['12.50', 'JPY', 'too-many-decimals'],
    ['1.234', 'JPY', 'too-many-decimals'],
    ['.5', 'USD', 'incomplete'],
    ['5.', 'USD', 'incomplete'],
    ['.', 'USD', 'incomplete'],
    ['abc', 'USD', 'not-a-number'],
    ['12abc', 'USD', 'not-a-number'],
    ['1_000', 'USD', 'not-a-number'],
    ['NaN', 'USD', 'not-a-number'],
    ['Infinity', 'USD', 'not-a-number'],
    ['12%', 'USD', 'not-a-number'],
    ['=1+1', 'USD', 'not-a-number'],
    ['null', 'USD', 'not-a-number'],
    ['1.005', 'USD', 'too-many-decimals'],
    ['1.100', 'USD', 'too-many-decimals'],
    ['10.0', 'JPY', 'too-many-decimals'],
    ['1234.5678', 'KWD', 'too-many-decimals'],
    ['0', 'USD', 'zero'],
    ['0.00', 'USD', 'zero'],
    ['000', 'USD', 'zero'],
    ['90071992547409.92', 'USD', 'too-large'],
    ['9007199254740992', 'JPY', 'too-large'],
    ['9'.repeat(200_000), 'USD', 'too-large'],
    ['5.00', 'usd', 'unknown-currency'],
    ['5.00', 'ZZZ', 'unknown-currency'],
    ['5.00', '', 'unknown-currency'],
    ['5.00', 'BGN', 'unknown-currency'],
    ['5.00', 'constructor', 'unknown-currency'],
    ['5.00', 'XAU', 'no-exponent'],
    ['12,34.50', 'USD', 'grouping', '1,234.56'],
    ['1,2345.50', 'USD', 'grouping', '1,234.56'],
    ['1,23', 'USD', 'grouping', '1,234.56'],
    ['1234,567.89', 'USD', 'grouping', '1,234.56'],
    ['0,500', 'USD', 'grouping', '1,234.56'],
    ['1,,234', 'USD', 'grouping', '1,234.56'],
    [',234', 'USD', 'incomplete', '1,234.56'],
    ['19.234,56', 'EUR', 'grouping', '1,234.56'],
    ['1.5', 'EUR', 'grouping', '1.234,56'],
    ['1234.56', 'EUR', 'grouping', '1.234,56'],
    ['1234.56', 'EUR', 'grouping', '1234,56'],
    ['1  234,56', 'EUR', 'grouping', '1 234,56'],
    [' 234,56', 'EUR', 'space', '1 234,56'],
  ];
  for (const [text, code, problem, declared] of wrong) {
    const shown = JSON.stringify(text.length > 30 ? `${text.slice(0, 30)}…` : text);
    it(`refuses ${shown} ${code}${declared === undefined ? '' : ` as ${declared}`} as ${problem}`, () => {
      assert.equal(
        problemOf(() => parseMajor(text, code, declared)),
        problem,
      );
    });
  }

  it('shows how to fix a code in lower case and one that is no longer in use', () => {
    assert.throws(() => parseMajor('5', 'usd'), /"usd" is not .*; write USD$/);
    assert.throws(() => parseMajor('5', 'HRK'), /"HRK" is not .* in use; EUR replaced it$/);
  });

  it('never repeats a long run of digits, which may be an account number', () => {
    assert.throws(
      () => parseMajor('4000056655665556', 'JPY', '1,234.56') && parseMajor('4000056655665556x', 'JPY'),
      (error: Error) => error.message.includes('…5556') && !error.message.includes('400005'),
    );
  });

  it('reads back what it wrote, in every currency', () => {
    fc.assert(
      fc.property(minor, currency, (amount, code) => {
        assert.equal(parseMajor(formatMajor(amount, code), code, '1234.56'), amount);
      }),
    );
  });

  it('reads every declared format as the same number', () => {
    fc.assert(
      fc.property(minor, currency, format, fc.boolean(), (amount, code, declared, grouped) => {
        const {decimal, group} = NUMBER_FORMATS[declared] as {decimal: string; group?: string};
        const [whole = '', fraction] = formatMajor(amount, code).split('.');
        const shown = grouped && group !== undefined ? whole.replace(/\B(?=([0-9]{3})+$)/g, group) : whole;
        const text = fraction === undefined ? shown : shown + decimal + fraction;
        assert.equal(parseMajor(text, code, declared), amount);
      }),
    );
  });

  it('accepts without a declared format only what one plain grammar describes, and keeps every digit', () => {
    const soup = fc.string({
      unit: fc.constantFrom(...'0123456789', '0', '1', '.', ',', '-', 'e', 'x', ' ', "'", '\u00a0', '\uff11'),
    });
    fc.assert(
      fc.property(soup, currency, (text, code) => {
        const problem = problemOf(() => parseMajor(text, code));
        if (problem !== 'accepted') return;
        assert.match(text, /^[0-9]+(\.[0-9]+)?$/);
        const [whole = '', fraction = ''] = text.split('.');
        const exponent = CURRENCIES.get(code) as number;
        assert.equal(parseMajor(text, code), BigInt(whole + fraction.padEnd(exponent, '0')));
      }),
      {numRuns: 500},
    );
  });
});

describe('the example of an amount', () => {
  for (const [currency, typed, major] of [
    ['USD', '', '125.00'],
    ['KWD', '', '125.000'],
    ['JPY', '', '125'],
    [undefined, '', '125.00'],
    ['ZZZ', '', '125.00'],
    ['XAU', '', '125.00'],
    ['JPY', '12.5', '340'], // 125 would look like a correction
    ['JPY', '12', '340'],
    ['USD', '1250.005', '340.00'],
    ['USD', '99.999', '125.00'],
    ['USD', '0', '125.00'],
  ] as const)
    it(`is ${major} of ${currency ?? 'no currency'} after ${JSON.stringify(typed)}`, () => {
      assert.equal(exampleOf(currency, typed).major, major);
    });
});

describe('amounts in minor units', () => {
  it('reads digits exactly', () => {
    fc.assert(fc.property(minor, (amount) => assert.equal(parseMinor(String(amount)), amount)));
  });

  const wrong: [string, AmountProblem][] = [
    ['', 'empty'],
    ['0', 'zero'],
    ['12.50', 'not-digits'],
    ['12.00', 'not-digits'],
    ['1,250', 'not-digits'],
    ['1 250', 'not-digits'],
    ['1e3', 'exponent'],
    ['0x10', 'hex'],
    ['-5', 'sign'],
    ['+5', 'sign'],
    ['(5)', 'sign'],
    ['$5', 'currency-sign'],
    ['5n', 'not-digits'],
    ['\uff15', 'not-ascii'],
    [' 5', 'space'],
    ['9007199254740992', 'too-large'],
  ];
  for (const [text, problem] of wrong) {
    it(`refuses ${JSON.stringify(text)} as ${problem}`, () => {
      assert.equal(
        problemOf(() => parseMinor(text)),
        problem,
      );
    });
  }
});

describe('an amount in an answer', () => {
  for (const [value, units] of [
    [150075, 150075n],
    [-5, -5n],
    [0, 0n],
    [9_007_199_254_740_993n, 9_007_199_254_740_993n],
    [new ExactNumber('9007199254740993'), 9_007_199_254_740_993n],
    ['150075', 150075n],
    ['-5', -5n],
    ['0', 0n],
    ['9'.repeat(40), BigInt('9'.repeat(40))],
    ['9'.repeat(41), undefined],
    [12.5, undefined],
    [2 ** 53, undefined], // it may stand for several whole numbers
    [new ExactNumber('12.5'), undefined],
    [new ExactNumber('1e20'), 10n ** 20n],
    [new ExactNumber('-1.5E+20'), -15n * 10n ** 19n],
    [new ExactNumber('9007199254740993.0'), 9_007_199_254_740_993n],
    [new ExactNumber('9007199254740993e0'), 9_007_199_254_740_993n],
    [new ExactNumber('1234567890123456789e1'), 12_345_678_901_234_567_890n],
    [new ExactNumber('90071992547409930e-1'), 9_007_199_254_740_993n],
    [new ExactNumber('1e39'), 10n ** 39n],
    [new ExactNumber('1e40'), undefined],
    [new ExactNumber('1e999999999'), undefined],
    [new ExactNumber('0.0e999999999'), 0n],
    [new ExactNumber(`1e${'9'.repeat(400)}`), undefined],
    [new ExactNumber('9007199254740993.5'), undefined],
    [new ExactNumber('9007199254740993e-1'), undefined],
    ['1e20', undefined],
    ['12.5', undefined],
    ['-0', undefined],
    ['007', undefined],
    ['5 USD', undefined],
    ['USD 5', undefined],
    ['', undefined],
    [null, undefined],
    [undefined, undefined],
    [true, undefined],
  ] as const)
    it(`has ${units ?? 'no'} minor units if it is ${describeValue(value)}`, () => {
      assert.equal(minorUnitsIn(value), units);
    });

  for (const [minor, currency, major] of [
    [150075, 'USD', '1500.75'],
    ['150075', 'USD', '1500.75'],
    [12.5, 'USD', undefined],
    [5, 'ZZZ', undefined],
    [5, 'XAU', undefined],
    [5, undefined, undefined],
  ] as const)
    it(`is ${major ?? 'unreadable'} if it is ${JSON.stringify(minor)} of ${currency ?? 'no currency'}`, () => {
      assert.equal(majorIn(minor, currency), major);
    });
});

describe('amounts shown and sent', () => {
  const shown: [bigint, string, string][] = [
    [150075n, 'USD', '1500.75'],
    [5n, 'USD', '0.05'],
    [0n, 'USD', '0.00'],
    [-5n, 'KWD', '-0.005'],
    [1500n, 'JPY', '1500'],
    [12345n, 'CLF', '1.2345'],
    [10n ** 30n, 'USD', `${10n ** 28n}.00`],
  ];
  for (const [amount, code, text] of shown) {
    it(`shows ${amount} ${code} as ${text}`, () => assert.equal(formatMajor(amount, code), text));
  }

  it('refuses to show an amount of a currency without a minor unit', () => {
    assert.equal(
      problemOf(() => formatMajor(5n, 'XAU')),
      'no-exponent',
    );
  });

  it('sends up to 2^53 - 1 and refuses one more, either sign', () => {
    assert.equal(toWire(MAX), Number.MAX_SAFE_INTEGER);
    assert.equal(toWire(-MAX), -Number.MAX_SAFE_INTEGER);
    assert.equal(
      problemOf(() => toWire(MAX + 1n)),
      'too-large',
    );
    assert.equal(
      problemOf(() => toWire(-MAX - 1n)),
      'too-large',
    );
  });
});

describe('an amount for people', () => {
  for (const [plain, grouped] of [
    ['0.05', '0.05'],
    ['999', '999'],
    ['1000', '1,000'],
    ['3771787.00', '3,771,787.00'],
    ['-100.00', '-100.00'],
    ['-1000.00', '-1,000.00'],
    ['12345.6789', '12,345.6789'],
  ] as const)
    it(`shows ${plain} as ${grouped}`, () => assert.equal(groupMajor(plain), grouped));

  it('is suggested in the format that the text seems to have', () => {
    for (const [text, format] of [
      ['1.234,56', '1.234,56'],
      ['1,234.56', '1,234.56'],
      ['1,234', '1,234.56'],
      ['1234,56', '1234,56'],
      ['1 234,56', "'1 234,56'"],
      ["1'234.56", `"1'234.56"`],
      ['1.23.45', '1,234.56'],
    ] as const)
      assert.throws(
        () => parseMajor(text, 'EUR'),
        ({message}: Error) => message.endsWith(`--number-format ${format}`),
      );
  });

  it('is suggested in the declared format, if there is one', () => {
    assert.throws(
      () => parseMajor('1.5', 'EUR', '1.234,56'),
      /does not match the declared number format 1\.234,56/,
    );
  });

  it('is repeated whole in an error up to 40 characters, and cut after them', () => {
    const message = (text: string) => {
      try {
        parseMajor(text, 'USD');
      } catch (error) {
        return (error as Error).message;
      }
      return assert.fail('it is no amount');
    };
    assert.ok(message('x'.repeat(40)).startsWith(`"${'x'.repeat(40)}" `));
    assert.ok(message('x'.repeat(41)).startsWith(`"${'x'.repeat(40)}…" `));
  });
});
