import assert from 'node:assert/strict';
import {bai2Records} from '../../../src/reconcile/statement/bai2/bai2-records.ts';
import {refusals} from '../../../src/reconcile/statement/file/refusal.ts';
import {accountOf, read, refuses} from './statements.ts';

const FILE = [
  '01,122099999,123456789,260302,0200,1,65,,2/',
  '02,031001234,122099999,1,260301,2359,,2/',
  '03,0123456789,,010,+100000,,,015,100550/',
  '88,,,100,1000,2,,400,450,1/',
  '16,165,500,V,260302,,REF1,CUST1,PAID, IN FULL',
  '88,SECOND 1/2 LINE',
  '16,142,500,S,100,200,200,REF2,/',
  '88,THIRD/',
  '16,475,450,D,3,0,150,1,150,2,150,,,CHECK',
  '49,203450,8/',
  '98,203450,1,10/',
  '99,203450,1,12/',
];
const file = (change: (lines: string[]) => unknown = () => undefined, end = '\n'): string => {
  const lines = [...FILE];
  change(lines);
  return lines.join(end);
};

describe('BAI2', () => {
  for (const [name, end] of [
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
    ['CRLF and spaces', '   \r\n'],
  ] as const)
    it(`gives transactions with their funds types, texts and continuations: ${name}`, async () => {
      const text = file(undefined, end);
      const {format, lines, balances} = await read(text);
      assert.deepEqual([format, await accountOf(text)], ['bai2', '…6789']);
      const facts = lines.map(({id, amount, currency, bookingDay, valueDay, state, texts}) => [
        ...[id, amount, currency, bookingDay, valueDay, state],
        texts.find(({path}) => path === 'text')?.text,
      ]);
      assert.deepEqual(facts, [
        ['REF1', 500n, 'USD', '2026-03-01', '2026-03-02', 'posted', 'PAID, IN FULL\nSECOND 1/2 LINE'],
        ['REF2', 500n, 'USD', '2026-03-01', undefined, 'posted', 'THIRD'],
        [undefined, -450n, 'USD', '2026-03-01', undefined, 'posted', 'CHECK'],
      ]);
      const paths = lines[0]?.texts.map(({path}) => path);
      assert.deepEqual(paths, ['type_code', 'bank_reference', 'customer_reference', 'text']);
      const day = '2026-03-01';
      const expected = {
        account: 'A',
        currency: 'USD',
        opening: 100_000n,
        closing: 100_550n,
        from: day,
        to: day,
      };
      assert.deepEqual(balances, [expected]);
    });

  it('reads several records in one line, and a text that is broken without a record', async () => {
    const text = file((lines) => {
      lines.splice(0, 2, `${String(lines[0])}  ${String(lines[1])}`);
    }).replace('16,475', '16,475');
    assert.equal((await read(text)).lines.length, 3);
    const broken = file((lines) => (lines[8] = `${String(lines[8])}\n1111111 REST`));
    const {lines} = await read(broken);
    assert.equal(lines[2]?.texts.at(-1)?.text, 'CHECK\n1111111 REST');
    const odd = file((all) => all.splice(9, 0, '99x')); // text too
    assert.equal((await read(odd)).lines[2]?.texts.at(-1)?.text, 'CHECK\n99x');
    const ends = ['49,203450,9/', '98,203450,1,11/', '99,203450,1,13/'];
    const nothing = file((all) => all.splice(9, 3, '16,165,,,R9', ...ends)); // without an amount
    assert.equal((await read(nothing)).lines[3]?.amount, 0n);
    for (const more of ['88', '88/', '88,']) {
      const empty = file((all) => all.splice(9, 3, more, ...ends));
      assert.equal((await read(empty)).lines[2]?.texts.at(-1)?.text, 'CHECK', more);
    }
  });

  it('joins the lines of a record, which are at most 10,000', async () => {
    const recordOf = async (texts: readonly string[]) => {
      const lines = async function* () {
        for (const [index, text] of texts.entries()) yield {number: index + 1, text};
      };
      for await (const {fields, physical} of bai2Records(lines(), refusals('a.bai')))
        return {fields, physical};
      return undefined;
    };
    const parts = ['03,a/', '88,b/', '88,c/', '88,d/'];
    assert.deepEqual(await recordOf(parts), {fields: ['03', 'a', 'b', 'c', 'd'], physical: 4});
    const long = ['16,a', ...Array.from({length: 10_000}, () => '88,')];
    await assert.rejects(recordOf(long), /line 10001: a record with too many continuations/);
  });

  it('reports of a day that is not over have pending lines and no balances', async () => {
    for (const modifier of [1, 3]) {
      const text = file((all) => (all[1] = String(all[1]).replace(',2/', `,${modifier}/`)));
      const {lines, balances} = await read(text);
      assert.deepEqual([lines.map(({state}) => state), balances], [['pending', 'pending', 'pending'], []]);
    }
  });

  it('states balances only if the account has both, by the ledger', async () => {
    const balancesOf = async (from: string, to: string, total: number) =>
      (
        await read(
          file((all) => {
            all[2] = String(all[2]).replace(from, to);
            for (const line of [9, 10, 11]) all[line] = String(all[line]).replace('203450', String(total));
          }),
        )
      ).balances.length;
    assert.equal(await balancesOf('010,+100000', '010,', 103_450), 0);
    assert.equal(await balancesOf('015,100550', '015,', 102_900), 0);
    assert.equal(await balancesOf('015,100550', '045,100550', 203_450), 0);
    assert.equal(await balancesOf('010,+100000', '040,+100000', 203_450), 0);
    assert.equal(await balancesOf('010,+100000', '010,100000', 203_450), 1);
  });

  it('has the balances of each day, also if one does not follow from the day before', async () => {
    const day = (date: string, opening: number, closing: number, booked: number) => {
      const total = opening + closing + booked;
      return [
        ...[`02,C,A,1,${date},2359,,2/`, `03,111,,010,${opening},,,015,${closing}/`],
        ...[`16,165,${booked},,R,,X`, `49,${total},3/`, `98,${total},1,5/`],
      ];
    };
    const days = [...day('260301', 0, 500, 500), ...day('260302', 700, 900, 200)];
    const {balances} = await read(['01,A,B,260303,0200,1,65,,2/', ...days, '99,2800,2,12/'].join('\n'));
    assert.deepEqual(
      balances.map(({from, to, opening, closing}) => [from, to, opening, closing]),
      [
        ['2026-03-01', '2026-03-01', 0n, 500n],
        ['2026-03-02', '2026-03-02', 700n, 900n],
      ],
    );
  });

  it('takes the currency of the account, of the group, or the default', async () => {
    const currencies = async (group: string, account: string, currencyDefault?: string) => {
      const text = file((all) => {
        all[1] = String(all[1]).replace('2359,,', `2359,${group},`);
        all[2] = String(all[2]).replace('6789,,', `6789,${account},`);
      });
      return (await read(text, {currencyDefault})).lines[0]?.currency;
    };
    assert.deepEqual(
      [await currencies('CAD', 'EUR'), await currencies('CAD', ''), await currencies('', '', 'CHF')],
      ['EUR', 'CAD', 'CHF'],
    );
  });

  it('knows the direction of customized type codes', async () => {
    for (const [type, amount] of [
      ['920', 500n],
      ['959', 500n],
      ['960', -500n],
      ['100', 500n],
      ['699', -500n],
      ['399', 500n],
      ['400', -500n],
      ['999', -500n],
    ] as const) {
      const {lines} = await read(file((all) => (all[4] = String(all[4]).replace('16,165', `16,${type}`))));
      assert.equal(lines[0]?.amount, amount, type);
    }
  });

  it('knows no direction of other type codes', async () => {
    for (const type of ['099', '700', '919', '000', '16A', '1650'])
      await refuses(
        file((all) => (all[4] = String(all[4]).replace('16,165', `16,${type}`))),
        new RegExp(`line 5: the type code "${type}" is neither a credit nor a debit$`),
      );
  });

  it('skips the fields of every funds type', async () => {
    for (const [funds, valueDay] of [
      ['', undefined],
      ['Z', undefined],
      ['0', undefined],
      ['1', undefined],
      ['2', undefined],
      ['S,1,2,3', undefined],
      ['V,260305,1200', '2026-03-05'],
      ['V,,', undefined],
      ['D,0', undefined],
      ['D,2,1,100,2,400', undefined],
    ] as const) {
      const {lines} = await read(file((all) => (all[4] = `16,165,500,${funds},REF1,CUST1,A,B`)));
      assert.deepEqual(
        [lines[0]?.id, lines[0]?.valueDay, lines[0]?.texts.at(-1)?.text],
        ['REF1', valueDay, 'A,B\nSECOND 1/2 LINE'],
        funds,
      );
    }
  });

  describe('refuses', () => {
    const change = (line: number, from: string | RegExp, to: string) =>
      file((lines) => (lines[line - 1] = String(lines[line - 1]).replace(from, to)));
    for (const [what, text, words] of [
      [
        'a control total of the account',
        change(10, '203450', '203451'),
        /line 10: the control total of the account is 203451 in the file, but 203450 by its records$/,
      ],
      [
        'a control total of the group',
        change(11, '203450', '203451'),
        /line 11: the control total of the group is 203451 in the file, but 203450 by its records$/,
      ],
      [
        'a control total of the file',
        change(12, '203450', '203451'),
        /line 12: the control total of the file is 203451 in the file, but 203450 by its records$/,
      ],
      [
        'a number of records of the account',
        change(10, ',8/', ',9/'),
        /line 10: the number of records of the account is 9 in the file, but 8 by its records$/,
      ],
      [
        'a number of records of the group',
        change(11, ',10/', ',11/'),
        /line 11: the number of records of the group is 11 in the file, but 10 by/,
      ],
      [
        'a number of records of the file',
        change(12, ',12/', ',11/'),
        /line 12: the number of records of the file is 11 in the file, but 12 by/,
      ],
      [
        'a number of accounts',
        change(11, ',1,', ',2,'),
        /line 11: the number of accounts is 2 in the file, but 1 by its records$/,
      ],
      [
        'a number of groups',
        change(12, ',1,', ',2,'),
        /line 12: the number of groups is 2 in the file, but 1 by its records$/,
      ],
      ['an altered amount', change(5, '500', '501'), /control total/],
      ['a lost transaction', file((lines) => lines.splice(8, 1)), /line 9/],
      ['an amount with decimals', change(5, '500', '5.00'), /line 5: "5\.00" is not a whole number/],
      ['a type code without a direction', change(5, '165', '890'), /line 5: the type code "890"/],
      ['an unknown funds type', change(5, ',V,', ',Q,'), /line 5: the funds type "Q"/],
      ['a day that does not exist', change(2, '260301', '260230'), /line 2: .* is not a day/],
      ['an as-of day that is missing', change(2, '260301', ''), /line 2/],
      ['a group that deletes', change(2, ',1,26', ',2,26'), /line 2: the group status "2"/],
      ['a test', change(2, ',1,26', ',4,26'), /line 2: the group status "4"/],
      ['corrections of another file', change(2, ',1,26', ',3,26'), /line 5: the group corrects/],
      ['an unknown currency', change(3, '6789,,', '6789,ABC,'), /line 3: "ABC"/],
      [
        'a file without its end',
        file((lines) => lines.splice(11)),
        /: is truncated: the trailer of the file is missing$/,
      ],
      [
        'an account without its end',
        file((lines) => lines.splice(9)),
        /: is truncated: the trailer of the account is missing$/,
      ],
      [
        'a group without its end',
        file((lines) => lines.splice(10)),
        /: is truncated: the trailer of the group is missing$/,
      ],
      [
        'a group in a group',
        file((lines) => lines.splice(2, 0, String(lines[1]))),
        /line 3: a record 02 in the wrong place$/,
      ],
      [
        'an account in an account',
        file((lines) => lines.splice(4, 0, String(lines[2]))),
        /line 5: a record 03 in the wrong place$/,
      ],
      [
        'a second account, also if it has no transactions',
        file((lines) => lines.splice(10, 2, '03,999/', '49,0,2/', '98,203450,2,12/', '99,203450,1,14/')),
        /statements of 2 accounts: …6789, …999$/,
      ],
      [
        'a second header',
        file((lines) => lines.splice(1, 0, String(lines[0]))),
        /line 2: a record 01 in the wrong place$/,
      ],
      [
        'a trailer of a group in an account',
        file((lines) => lines.splice(9, 1)),
        /line 10: a trailer of a group in the wrong place$/,
      ],
      [
        'a trailer of the file in a group',
        file((lines) => lines.splice(10, 1)),
        /line 11: a trailer of a file in the wrong place$/,
      ],
      [
        'a file without its header',
        file((lines) => lines.splice(0, 1)),
        /line 1: the file does not begin with a record 01$|line 1: a record 02/,
      ],
      [
        'a transaction outside of an account',
        file((lines) => lines.splice(10, 0, '16,165,1,,,,X')),
        /line 11: a transaction outside of an account$/,
      ],
      [
        'a number of distributions that is missing',
        change(9, ',D,3,', ',D,x,'),
        /line 9: the number of distributions is missing$/,
      ],
      ...['x3', '3x'].map(
        (count) =>
          [
            `a number of distributions ${count}`,
            change(9, ',D,3,', `,D,${count},`),
            /line 9: the number of distributions is missing$/,
          ] as const,
      ),
      [
        'a continuation at the beginning',
        `88,x/\n${file()}`,
        /line 1: a continuation \(88\) without a record before it$/,
      ],
      ['an empty file', '\n\n', /is truncated: it is empty/],
      ['something after the end', `${file()}\n02,a,b,1,260301,,,2/`, /line 13: the file continues/],
      ['a text after its end', file((all) => all.splice(8, 0, 'MORE')), /line 9: begins with "MOR"/],
      ['a transaction alone', '16,165,1,,,,X', /line 1: the file does not begin with a record 01$/],
      ['a trailer without numbers', change(10, ',8/', '/'), /line 10: "" is not a whole number/],
      ['another record', change(4, '88,', 'XX,'), /line 4: begins with "XX,"/],
      ['a transaction before an account', file((lines) => lines.splice(2, 2)), /line 3/],
    ] as const)
      it(what, async () => {
        await refuses(text, words, {format: 'bai2'});
      });
  });
});
