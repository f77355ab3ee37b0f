import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import type {StatedBalances} from '../../../src/reconcile/model/line.ts';
import type {CurrencyTotals} from '../../../src/reconcile/model/totals.ts';
import {ACCOUNT, addAll, line, OPTIONS, payment, reconcile, recordId, withBook} from '../harness.ts';

const BIG = 2n ** 53n + 1n;
const balances = (
  opening: bigint,
  closing: bigint,
  fields: Partial<StatedBalances> = {},
): StatedBalances => ({
  ...{account: ACCOUNT, currency: 'USD', opening, closing, from: '2026-03-01', to: '2026-03-31'},
  ...fields,
});
const closes = ({opening, closing, matched, returned, internal, unexplained}: CurrencyTotals) =>
  opening! + matched.sum + returned.sum + internal.sum + unexplained.sum === closing;

describe('totals', () => {
  it('add up, by currency, in count and exact money', async () => {
    const {totals} = await reconcile(
      [
        payment(1),
        payment(2, {currency: 'EUR', amount: -5n}),
        payment(3, {amount: -70n}),
        payment(4, {amount: -8n}),
      ],
      [
        ...[line('a', {text: recordId(1)}), line('a back', {text: recordId(1), amount: 1000n})],
        ...[line('b', {text: recordId(2), currency: 'EUR', amount: -5n}), line('c', {amount: -70n})],
        ...[line('d', {amount: 33n}), line('p', {amount: -8n, text: recordId(4), state: 'pending'})],
      ],
      {balances: [balances(100n, 63n), balances(5n, 0n, {currency: 'EUR'})]},
    );
    assert.deepEqual([totals.conclusive, totals.why], [true, []]);
    const [eur, usd] = totals.perCurrency;
    assert.deepEqual([eur!.currency, usd!.currency], ['EUR', 'USD']);
    assert.deepEqual([eur!.opening, eur!.closing, eur!.matched], [5n, 0n, {count: 1, sum: -5n}]);
    assert.deepEqual([usd!.opening, usd!.closing], [100n, 63n]);
    assert.deepEqual(
      [usd!.matched, usd!.returned],
      [
        {count: 1, sum: -1000n},
        {count: 1, sum: 1000n},
      ],
    );
    assert.deepEqual(
      [usd!.unexplained, usd!.pending],
      [
        {count: 2, sum: -37n},
        {count: 1, sum: -8n},
      ],
    );
    assert.deepEqual(
      [usd!.lines.suggested, usd!.lines.unexplained],
      [
        {count: 1, sum: -70n},
        {count: 1, sum: 33n},
      ],
    );
    assert.deepEqual(usd!.planned, {count: 3, sum: -1078n});
    assert.deepEqual(
      [usd!.payments.returned, usd!.payments.suggested, usd!.payments.tentative],
      [
        ...[
          {count: 1, sum: -1000n},
          {count: 1, sum: -70n},
          {count: 1, sum: -8n},
        ],
      ],
    );
    assert.ok(totals.perCurrency.every(closes));
  });

  it('are exact at 2^53 and above, beyond 64 bits too', async () => {
    const max = 2n ** 63n - 1n;
    const amounts = [-BIG - 1n, -BIG, -max, -max, -max + 5n];
    const {totals, payments, book} = await reconcile(
      amounts.map((amount, n) => payment(n + 1, {amount})),
      amounts.map((amount, n) =>
        line(`l${n}`, {amount: n === 1 ? amount + 1n : amount, text: recordId(n + 1)}),
      ),
    );
    const sum = amounts.reduce((total, each) => total + each, 0n);
    assert.deepEqual(totals.perCurrency[0]!.planned, {count: 5, sum});
    assert.equal(totals.perCurrency[0]!.matched.sum + totals.perCurrency[0]!.unexplained.sum, sum + 1n);
    assert.equal(payments[recordId(2)], 'amount_differs'); // one double for 2^53 and 2^53 + 1
    assert.ok(book.matches.some((each) => each.includes('"difference":"1"')));
    const group = [payment(1, {amount: -BIG, groups: ['g']}), payment(2, {amount: -BIG - 1n, groups: ['g']})];
    for (const [more, state] of [
      [0n, 'matched'],
      [1n, 'unexplained'],
      [-1n, 'unexplained'],
    ] as const)
      assert.equal(
        (await reconcile(group, [line('a', {amount: -2n * BIG - 1n + more, text: '2 ENTRIES'})])).lines['a'],
        state,
      );
    const beyond = [payment(1, {amount: -max, groups: ['g']}), payment(2, {amount: -max, groups: ['g']})];
    assert.equal((await reconcile(beyond, [line('a', {amount: 2n})])).lines['a'], 'unexplained');
  });

  it('are not conclusive if lines and balances differ', async () => {
    const {totals} = await reconcile([], [line('a', {amount: 33n})], {balances: [balances(0n, 32n)]});
    assert.equal(totals.conclusive, false);
    assert.match(
      totals.why.join(),
      /lines from 2026-03-01 to 2026-03-31 and the stated balances differ by -0\.01 USD/,
    );
  });

  it('follow balances from period to period', async () => {
    const lines = [line('a', {amount: 5n}), line('b', {amount: 7n, bookingDay: '2026-04-01'})];
    const april = {from: '2026-04-01', to: '2026-04-30'};
    const good = await reconcile([], lines, {balances: [balances(1n, 6n), balances(6n, 13n, april)]});
    assert.deepEqual(
      [good.totals.why, good.totals.perCurrency[0]!.opening, good.totals.perCurrency[0]!.closing],
      [[], 1n, 13n],
    );
    const bad = await reconcile([], lines, {balances: [balances(1n, 6n), balances(7n, 14n, april)]});
    assert.match(
      bad.totals.why.join(),
      /opening balance of 2026-04-01 and the closing balance before it differ by 0\.01 USD/,
    );
    const off = await reconcile([], lines, {balances: [balances(1n, 7n), balances(7n, 14n, april)]});
    assert.equal(off.totals.why.length, 1); // the lines of March, and not the opening balance of April
    const partly = await reconcile([], lines, {balances: [balances(1n, 6n)]});
    assert.deepEqual([partly.totals.why, partly.totals.perCurrency[0]!.opening], [[], undefined]);
    const two = [balances(1n, 13n, {to: '2026-04-30'}), balances(100n, 100n, {account: 'another'})];
    assert.equal((await reconcile([], lines, {balances: two})).totals.perCurrency[0]!.closing, 113n);
    const other = await reconcile([], [], {
      balances: [balances(1n, 1n), balances(9n, 9n, {...april, account: 'b'})],
    });
    assert.deepEqual(other.totals.why, []);
  });

  it('have what a person has confirmed of amounts that differ, exact, in both directions', () =>
    withBook((book) => {
      const max = 2n ** 62n;
      book.addPayments([
        payment(1, {amount: -100n}),
        payment(2, {amount: -max}),
        payment(3, {amount: -max}),
        payment(4),
      ]);
      addAll(book, [
        line('fee', {amount: -115n}),
        line('back', {amount: 90n, bookingDay: '2026-03-05'}),
        line('sum', {amount: -1n}),
        line('same'),
      ]);
      book.match(OPTIONS);
      const by = {verb: 'confirm', note: 'x', by: 'kim', at: '2026-03-05T12:00:00Z'} as const;
      book.decide({...by, line: 'fee', payments: [recordId(1)]}, 15n);
      book.decide({...by, line: 'back', payments: [recordId(1)]}, 10n);
      book.decide({...by, line: 'sum', payments: [recordId(2), recordId(3)]}, 2n * max - 1n);
      book.decide({...by, line: 'same', payments: [recordId(4)]});
      const of = (from: string, to: string) =>
        book.match(OPTIONS, {accounts: [ACCOUNT], from, to}).perCurrency[0]?.differences;
      assert.deepEqual(of('2026-03-01', '2026-03-31'), {count: 3, sum: 2n * max - 1n - 15n - 10n});
      assert.deepEqual(of('2026-03-04', '2026-03-31'), {count: 1, sum: -10n});
      assert.equal(book.match(OPTIONS).perCurrency[0]?.differences.count, 3);
    }));

  it('are not conclusive if two statements disagree about a day', async () => {
    const lines = [line('a', {amount: 5n}), line('b', {amount: 7n, bookingDay: '2026-03-20'})];
    const why = async (...stated: StatedBalances[]) =>
      (await reconcile([], lines, {balances: stated})).totals.why.map((one) => one.replace(/^.*: /, ''));
    const half = {from: '2026-03-10'};
    assert.deepEqual(await why(balances(1n, 13n), balances(6n, 13n, half)), []);
    assert.deepEqual(await why(balances(1n, 13n), balances(7n, 14n, half)), [
      'a statement and a statement, about the opening balance of 2026-03-10, differ by 0.01 USD',
    ]);
    await withBook((book) => {
      addAll(book, lines);
      book.addBalances(balances(1n, 13n));
      const found = (minor: bigint, day?: string, to = '2026-03-31') => {
        const reported = [{account: ACCOUNT, currency: 'USD', minor, day}];
        const asked = {accounts: [ACCOUNT], from: '2026-03-01', to, reported};
        return book.match(OPTIONS, asked).why.join();
      };
      assert.equal(found(13n), '');
      assert.match(found(12n), /closing balance of 2026-03-31 as a statement .* reports differ by 0\.01 USD/);
      addAll(book, [...lines, line('c', {amount: 9n, bookingDay: '2026-04-02'})]);
      assert.equal(found(22n, '2026-04-02'), '');
      assert.equal(found(13n, '2026-04-02'), ''); // reported before the line
      assert.match(found(13n, '2026-04-05'), /differ by 0\.09 USD/);
    });
  });

  it('count what is gone in neither sum', () =>
    withBook((book) => {
      addAll(book, [line('a'), line('b')]);
      addAll(book, [line('b')]);
      const {perCurrency} = book.match(OPTIONS);
      assert.deepEqual(perCurrency[0]!.unexplained, {count: 1, sum: -1000n});
      assert.equal(perCurrency[0]!.balances, 'unknown');
    }));
});

describe('two witnesses', () => {
  const stated = (key: string, fields: object = {}) =>
    line(key, {source: 'statement', id: undefined, ...fields});

  it('are one line with the texts of both', async () => {
    const found = await reconcile(
      [payment(1), payment(2, {amount: -70n})],
      [
        line('a'),
        stated('b', {text: recordId(1)}),
        line('c', {amount: -70n, text: recordId(2)}),
        stated('d', {amount: -70n}),
      ],
    );
    assert.deepEqual(found.totals.why, []);
    assert.deepEqual(found.payments, {[recordId(1)]: 'suggested', [recordId(2)]: 'matched'});
    assert.deepEqual(found.lines, {a: 'suggested', b: 'suggested', c: 'matched', d: 'matched'});
    assert.deepEqual(found.totals.perCurrency[0]!.matched, {count: 1, sum: -70n});
    assert.match(found.book.lines['a']!, /"twin":"b"/);
    assert.match(found.book.lines['b']!, /"twin":"a"/);
    assert.match(found.book.matches[0]!, new RegExp(recordId(1)));
  });

  it('are paired by the id of the bank, by a common word, and by day', async () => {
    const both = (...lines: Parameters<typeof reconcile>[1]) => reconcile([], lines);
    const byId = await both(
      line('a'),
      line('b'),
      stated('c', {id: 'b', bookingDay: '2026-03-20'}),
      stated('d'),
    );
    assert.match(byId.book.lines['b']!, /"twin":"c"/);
    assert.match(byId.book.lines['a']!, /"twin":"d"/);
    const words = await both(
      ...[line('a', {text: 'REF-11111'}), line('b', {text: 'REF-22222'})],
      ...[stated('c', {text: 'ref 2 REF-22222'}), stated('d', {text: 'REF-11111'})],
    );
    assert.match(words.book.lines['b']!, /"twin":"c"/);
    const days = await both(line('a'), stated('c', {bookingDay: '2026-03-06'}));
    assert.match(days.book.lines['a']!, /"twin":"c"/);
    const far = await both(line('a'), stated('c', {bookingDay: '2026-03-07'}));
    assert.equal(far.totals.conclusive, false);
  });

  it('are no pair where one of them has two lines that are alike', async () => {
    for (const fields of [{}, {text: 'REF-11111'}, {id: 'x'}])
      for (const [one, two] of [
        [line, stated],
        [stated, line],
      ] as const) {
        const {book} = await reconcile([], [one('a', fields), two('b', fields), two('c', fields)]);
        assert.doesNotMatch(Object.values(book.lines).join(), /"twin"/, JSON.stringify(fields));
      }
  });

  it('state how many payments a group has, if they share an id of the bank', async () => {
    const group = [1, 2].map((n) => payment(n, {groups: ['file']}));
    const [whole, other] = [
      line('a', {amount: -2000n}),
      [line('b', {amount: -9n}), stated('d', {id: 'b', amount: -9n, text: '2 ENTRIES'})],
    ];
    for (const [id, text, state] of [
      ['a', '2 ENTRIES', 'matched'],
      ['a', '', 'suggested'],
      [undefined, '2 ENTRIES', 'suggested'],
    ] as const) {
      const lines = [whole, ...other, stated('c', {id, amount: -2000n, text})];
      assert.equal((await reconcile(group, lines)).lines['a'], state, `${id} ${text}`);
    }
  });

  it('are compared: what one of them lacks is not conclusive', async () => {
    const later = line('e', {amount: -5n, bookingDay: '2026-03-09'});
    const {totals} = await reconcile(
      [],
      [later, line('a'), line('b', {amount: -2n}), stated('c', {amount: -3n}), stated('d')],
    );
    assert.deepEqual(totals.why, [
      `account ${ACCOUNT}: the statement does not have 2 lines of the service, from 2026-03-03 on`,
      `account ${ACCOUNT}: the service does not have 1 line of the statement: -0.03 USD on 2026-03-03`,
    ]);
  });

  it('are compared only where both were read', () =>
    withBook((book) => {
      const read = {account: ACCOUNT, from: '2026-03-01', to: '2026-03-31'};
      book.addLines([line('a'), line('b', {bookingDay: '2026-02-02'})], {
        ...read,
        from: '2026-01-01',
        source: 'service',
      });
      book.addLines([stated('c')], {...read, source: 'statement'});
      assert.deepEqual(book.match(OPTIONS).why, []);
    }));

  it('pair equal lines, as many in both, if only one side names payments', async () => {
    const payments = [payment(1), payment(2)];
    const named = [stated('c', {text: recordId(1)}), stated('d', {text: recordId(2)})];
    const found = await reconcile(payments, [line('a'), line('b'), ...named]);
    assert.deepEqual([found.totals.why, Object.values(found.payments)], [[], ['suggested', 'suggested']]);
    assert.equal(found.totals.perCurrency[0]!.lines.suggested.count, 2);
    const texts = ['MISC 47110815', 'MISC 47110816'].map((text) => line(text, {text}));
    assert.deepEqual((await reconcile(payments, [...texts, ...named])).totals.why, []);
    const cross = await reconcile(payments, [
      line('a', {text: recordId(1)}),
      line('b'),
      named[1]!,
      stated('e', {text: 'x'}),
    ]);
    assert.equal(cross.totals.conclusive, false);
  });

  describe('that have only their amount and day in common', () => {
    const credit = {amount: 1000n, bookingDay: '2026-03-05'};
    const back = (text: string) => stated('file', {...credit, text: `RETURN ${recordId(1)} R03 ${text}`});
    const paid = [line('a', {text: recordId(1)}), stated('b')];
    const customer = 'CUSTOMER PAYMENT 20260305 2026-03-05 05.03.2026 0000001000 10:00:00 ACME';
    const states = async (...lines: Parameters<typeof reconcile>[1]) => {
      const {payments, lines: found} = await reconcile([payment(1)], lines);
      return [payments[recordId(1)], found['credit']];
    };

    it('prove no return with a text that only the statement has', async () => {
      for (const text of ['', 'CUSTOMER', '20260305', '2026-03-05', '05.03.2026', '0000001000', '10:00:00'])
        assert.deepEqual(
          await states(...paid, line('credit', {...credit, text: customer}), back(text)),
          ['matched', 'unexplained'],
          text,
        );
      const {book} = await reconcile([payment(1)], [...paid, line('credit', credit), back('')]);
      assert.match(book.lines['file']!, new RegExp(`"candidates":\\["${recordId(1)}"\\]`));
    });

    it('prove it with the text of the service, beside one that only the statement has', async () => {
      const own = line('own', {...credit, bookingDay: '2026-03-06', text: recordId(1)});
      const lines = [...paid, own, line('credit', credit), back('')];
      assert.deepEqual(await states(...lines), ['returned', 'unexplained']);
    });

    it('prove it if they share a reference or an id of the bank as well', async () => {
      const text = 'TRN 778812341234';
      assert.deepEqual(await states(...paid, line('credit', {...credit, text}), back(text)), [
        ...['returned', 'returned'],
      ]);
      assert.deepEqual(await states(...paid, line('credit', credit), {...back(''), id: 'credit'}), [
        ...['returned', 'returned'],
      ]);
    });

    it('are suggested for a payment, in any number, beside no other line of it', async () => {
      const rent = line('rent', {text: 'OFFICE RENT LANDLORD'});
      const file = stated('file', {text: `LANDLORD ${recordId(1)}`});
      const state = async (...lines: Parameters<typeof reconcile>[1]) =>
        (await reconcile([payment(1)], lines)).payments[recordId(1)];
      assert.equal(await state(rent, file), 'suggested');
      assert.equal(await state(rent, {...file, bookingDay: '2026-03-06'}), 'suggested');
      const later = [line('next', {bookingDay: '2026-03-12'}), {...file, key: 'n', bookingDay: '2026-03-12'}];
      assert.equal(await state(rent, file, ...later), 'ambiguous');
      assert.equal(
        await state(rent, file, line('own', {bookingDay: '2026-03-12', text: recordId(1)})),
        'matched',
      );
      const {book} = await reconcile([payment(1)], [rent, file]);
      assert.match(book.matches[0]!, /"rule":"id","state":"suggested"/);
    });

    it('can be confirmed by a person', () =>
      withBook((book) => {
        book.addPayments([payment(1)]);
        addAll(book, [line('rent'), stated('file', {text: recordId(1)})]);
        book.match(OPTIONS);
        const by = {by: 'kim', note: 'x', at: '2026-03-05T12:00:00Z'};
        book.decide({verb: 'confirm', line: 'rent', payments: [recordId(1)], ...by});
        book.match(OPTIONS);
        assert.equal([...book.payments()][0]!.state, 'matched');
      }));
  });

  it('a line that only the statement has proves nothing, also where the service was not read', async () => {
    const back = (n: number, key: string, fields: object = {}) =>
      stated(key, {
        amount: 1000n,
        bookingDay: '2026-03-05',
        text: `Return of payout ${recordId(n)}, R02`,
        ...fields,
      });
    const group = [3, 4].map((n) => payment(n, {amount: BigInt(-n), groups: ['file']}));
    await withBook((book) => {
      book.addPayments([payment(1), payment(2), payment(5), ...group]);
      const read = {account: ACCOUNT, from: '2026-03-01', to: '2026-03-31'};
      const paid = [line('paid', {text: recordId(1)}), line('paid too', {text: recordId(2)})];
      book.addLines(paid, {...read, source: 'service'});
      const forged = [
        ...[back(1, 'forged'), stated('paid 2', {text: recordId(5)}), stated('file', {amount: -7n})],
        back(2, 'later', {bookingDay: '2026-04-01'}), // the service was not read for April
      ];
      const copies = paid.map((one) => ({...one, key: `copy of ${one.key}`, source: 'statement'}) as const);
      book.addLines([...copies, ...forged], {...read, to: '2026-04-30', source: 'statement'});
      const totals = book.match(OPTIONS);
      assert.equal(totals.conclusive, false);
      const state = (key: string) => [...book.lines({key})][0]!.state;
      assert.deepEqual(['forged', 'paid 2', 'file', 'later'].map(state), [
        ...['statement_only', 'statement_only', 'statement_only', 'statement_only'],
      ]);
      const states = [1, 2, 5, 3, 4].map((n) => [...book.payments({key: recordId(n)})][0]!.state);
      assert.deepEqual(states, ['matched', 'matched', 'contradicted', 'contradicted', 'contradicted']);
      assert.deepEqual([...book.returnsOf([recordId(1), recordId(2)]).keys()], []);
      assert.equal(totals.perCurrency[0]!.unexplained.sum, 1000n); // of April only
      assert.deepEqual(
        [...book.lines()].flatMap((one) => (one.isCounted ? [one.line.key] : [])),
        ['later', 'paid', 'paid too'],
      );
      const decision = {line: 'forged', note: 'x', by: 'kim', at: '2026-03-05T12:00:00Z'};
      const confirm = {...decision, verb: 'confirm', payments: [recordId(1)]} as const;
      assert.throws(() => book.decide(confirm), /only the statement has line forged/);
      book.decide({...decision, verb: 'ignore', payments: []});
      book.match(OPTIONS);
      assert.equal(state('forged'), 'ignored');
    });
  });
});
