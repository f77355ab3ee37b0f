import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import type {FeeRule} from '../../../src/reconcile/model/options.ts';
import {addDays} from '../../../src/sandbox/time/schedule.ts';
import {line, payment, reconcile, recordId} from '../harness.ts';

const ID = recordId(1);
const paid = line('paid', {text: ID});
const states = async (...args: Parameters<typeof reconcile>) => {
  const {payments, lines} = await reconcile(...args);
  return {...payments, ...lines};
};

describe('the rules', () => {
  it('1: match a line that has the id of a payout as a whole word and its amount', async () => {
    for (const text of [
      `payout ${ID} by wire`,
      `PAYOUT ${ID.toUpperCase()}`,
      ID.replaceAll('-', ''),
      `REF:${ID}/2`,
      `PAYOUT-${ID}-1`,
      ID.replaceAll('-', '\u2010'),
    ])
      assert.deepEqual(
        await states([payment(1)], [line('a', {text})]),
        {[ID]: 'matched', a: 'matched'},
        text,
      );
  });

  it('1: never match a part of an id', async () => {
    for (const text of [
      ID.slice(0, 35),
      ID.slice(1),
      `x${ID}`,
      `${ID}0`,
      ID.replaceAll('-', '').slice(0, 31),
    ])
      assert.deepEqual(
        await states([payment(1)], [line('a', {text})]),
        {[ID]: 'suggested', a: 'suggested'},
        text,
      );
  });

  it('2: match a trace of at least eight characters, and nothing that banks write for another reason', async () => {
    const of = (trace: string, amount = -1000n) => payment(1, {traces: [trace], amount});
    const state = async (trace: string, text: string, amount = -1000n) =>
      (await states([of(trace, amount)], [line('a', {text, amount})]))['a'];
    assert.equal(await state('INV-1234', 'payment inv-1234 of'), 'suggested'); // seven without the dash
    assert.equal(await state('INV-12345', 'payment inv-12345 of'), 'matched');
    assert.equal(await state('INV-12345', 'payment inv12345 of'), 'suggested'); // may be another reference
    assert.equal(await state('12345678-9', 'TRN 123-456-789'), 'suggested');
    assert.equal(await state('INV-12345', 'payment INV\u201012345 of'), 'matched');
    assert.equal(await state('12345678', 'ACH 12345678'), 'matched');
    assert.equal(await state('20260303', 'ACH 20260303'), 'suggested');
    assert.equal(await state('03032026', 'ACH 03032026'), 'suggested');
    assert.equal(await state('31122026', 'ACH 31122026'), 'suggested');
    assert.equal(await state('12345678', 'ACH 12345678', -12345678n), 'suggested');
    assert.equal(await state('12345678', 'USD 123,456.78'), 'suggested');
    assert.equal(await state('E2E/2026/0001', 'X E2E/2026/0001 Y'), 'matched');
    assert.equal(await state('order 77 of june', 'ORDER 77 OF JUNE'), 'matched');
  });

  it('2: take no token that belongs to two payments, or that may be the beginning of a longer one', async () => {
    const two = [payment(1, {traces: ['BATCH-7777']}), payment(2, {traces: ['batch-7777'], amount: -2000n})];
    assert.deepEqual(await states(two, [line('a', {text: 'BATCH-7777'})]), {
      ...{[ID]: 'suggested', [recordId(2)]: 'contradicted', a: 'suggested'},
    });
    const longer = [
      payment(1, {traces: ['INV-10000']}),
      payment(2, {traces: ['INV-100001'], amount: -2000n}),
    ];
    const at = async (text: string) => (await states(longer, [line('a', {text})]))['a'];
    assert.equal(await at('paid INV-10000'), 'suggested');
    assert.equal(await at('paid INV-10000 of march'), 'matched');
  });

  it('2: take no line from before the payment for its trace, which may have been used before', async () => {
    const march = payment(1, {traces: ['INV-12345'], day: '2026-03-05'});
    const on = async (bookingDay: string, text = 'INV-12345') =>
      (await states([march], [line('a', {bookingDay, text})]))['a'];
    assert.equal(await on('2025-03-05'), 'unexplained');
    assert.equal(await on('2026-03-03'), 'unexplained');
    assert.equal(await on('2026-03-04'), 'matched');
    assert.equal(await on('2026-03-03', ID), 'matched');
  });

  it('2a: go no further if a line has the id and another amount', async () => {
    const other = payment(2, {amount: -900n});
    assert.deepEqual(await states([payment(1), other], [line('a', {text: ID, amount: -900n})]), {
      ...{[ID]: 'amount_differs', [other.key]: 'contradicted', a: 'amount_differs'},
    });
    const {book} = await reconcile([payment(1)], [line('a', {text: ID, amount: -900n})]);
    assert.match(book.matches[0]!, /"difference":"100"/);
  });

  it('1: match beside a line with the same id and another amount, such as a fee', async () => {
    const {payments, lines, book} = await reconcile(
      [payment(1)],
      [paid, line('fee', {text: `fee ${ID}`, amount: -25n})],
    );
    assert.deepEqual([payments, lines], [{[ID]: 'matched'}, {paid: 'matched', fee: 'amount_differs'}]);
    assert.match(book.lines['fee']!, new RegExp(`"candidates":\\["${ID}"\\]`));
  });

  it('2b: go no further if two lines have one id, and show both', async () => {
    const {payments, lines, book} = await reconcile(
      [payment(1)],
      [paid, line('again', {text: ID}), line('free')],
    );
    assert.deepEqual(payments, {[ID]: 'duplicate'});
    assert.deepEqual(lines, {again: 'duplicate', free: 'unexplained', paid: 'duplicate'});
    assert.match(book.matches[0]!, /"lines":\["again","paid"\]/);
  });

  it('are ambiguous about a line with the ids of two payments', async () => {
    const both = line('both', {text: `${ID} ${recordId(2)}`});
    assert.deepEqual(await states([payment(1), payment(2)], [both]), {
      ...{[ID]: 'ambiguous', [recordId(2)]: 'ambiguous', both: 'ambiguous'},
    });
    assert.deepEqual(await states([payment(1), payment(2)], [paid, {...both, amount: -2000n}]), {
      ...{[ID]: 'matched', [recordId(2)]: 'ambiguous', paid: 'matched', both: 'ambiguous'},
    });
  });

  it('keep currencies and accounts apart', async () => {
    for (const [fields, state] of [
      [{currency: 'EUR'}, 'amount_differs'],
      [{amount: 0n}, 'amount_differs'],
      [{account: 'another'}, 'unexplained'],
    ] as const)
      assert.deepEqual(await states([payment(1)], [{...paid, ...fields}]), {
        [ID]: 'contradicted',
        paid: state,
      });
    assert.equal(
      (await states([payment(1, {account: undefined})], [{...paid, account: 'another'}]))['paid'],
      'matched',
    );
  });

  describe('3: find a return', () => {
    const back = (days: number, fields: object = {}) =>
      line(`back${days}`, {
        text: `RETURN ${ID}`,
        amount: 1000n,
        bookingDay: addDays('2026-03-03', days),
        returnCode: 'R01',
        ...fields,
      });
    const options = {today: '2026-09-30'};

    for (const days of [0, 1, 2, 30, 60])
      it(`${days} days after the line of its payment`, async () => {
        const {payments, lines, book} = await reconcile([payment(1)], [paid, back(days)], options);
        assert.deepEqual(
          [payments[ID], lines['paid'], lines[`back${days}`]],
          ['returned', 'matched', 'returned'],
        );
        assert.match(book.payments[ID]!, /"match":\{"rule":"id","state":"matched","lines":\["paid"\]/);
        assert.match(
          book.payments[ID]!,
          /"returned":\{"rule":"return","state":"returned".*"difference":"0","returnCode":"R01".*"candidates":\[\]/,
        );
      });

    it('of each of 60 payments, that came back after 1 to 60 days', async () => {
      const days = Array.from({length: 60}, (_, index) => index + 1);
      const {payments, lines, totals} = await reconcile(
        days.map((n) => payment(n)),
        days.flatMap((n) => [
          line(`paid ${n}`, {text: recordId(n)}),
          line(`back ${n}`, {
            text: `RETURN ${recordId(n)}`,
            amount: 1000n,
            bookingDay: addDays('2026-03-03', n),
          }),
        ]),
        options,
      );
      assert.deepEqual([...new Set(Object.values(payments))], ['returned']);
      assert.deepEqual([...new Set(Object.values(lines))].sort(), ['matched', 'returned']);
      assert.deepEqual(totals.perCurrency[0]?.returned, {count: 60, sum: 60_000n});
    });

    it('not before that line, not with another amount, and not without a match', async () => {
      const state = async (...lines: Parameters<typeof reconcile>[1]) => states([payment(1)], lines, options);
      assert.deepEqual(await state(paid, back(-1)), {
        [ID]: 'matched',
        paid: 'matched',
        'back-1': 'unexplained',
      });
      assert.deepEqual(await state(paid, back(1, {amount: 999n})), {
        [ID]: 'matched',
        paid: 'matched',
        back1: 'amount_differs',
      });
      assert.deepEqual(await state(back(1)), {[ID]: 'contradicted', back1: 'unexplained'});
      assert.deepEqual(await state(paid, back(1, {state: 'pending'})), {
        [ID]: 'matched',
        paid: 'matched',
        back1: 'unexplained',
      });
    });

    it('only once: two are for a person', async () => {
      assert.deepEqual(await states([payment(1)], [paid, back(1), back(2)], options), {
        ...{[ID]: 'duplicate', paid: 'matched', back1: 'duplicate', back2: 'duplicate'},
      });
    });

    it('of a payment in a group, and of one that the service calls failed', async () => {
      const group = [payment(1, {groups: ['f']}), payment(2, {groups: ['f'], amount: -500n})];
      const whole = line('file', {amount: -1500n, text: 'ACH 2 ENTRIES'});
      assert.deepEqual(await states(group, [whole, back(5)], options), {
        ...{[ID]: 'returned', [recordId(2)]: 'matched', file: 'matched', back5: 'returned'},
      });
      assert.equal(
        (await states([payment(1, {status: 'failed'})], [paid, back(5)], options))[ID],
        'returned',
      );
    });
  });

  it('4: match the sum of a declared group, with or without the payments that failed', async () => {
    const group = [
      payment(1, {groups: ['file', 'batch']}),
      payment(2, {groups: ['file', 'batch'], amount: -500n}),
      payment(3, {groups: ['file', 'batch'], amount: -70n, status: 'failed'}),
    ];
    assert.deepEqual(await states(group, [line('a', {amount: -1500n, text: 'SETTLEMENT OF 2 PAYMENTS'})]), {
      ...{[ID]: 'matched', [recordId(2)]: 'matched', [recordId(3)]: 'expected', a: 'matched'},
    });
    assert.deepEqual(
      (await states(group, [line('a', {amount: -1570n, text: '3 items'})]))[recordId(3)],
      'contradicted',
    );
  });

  it('4: need the whole group, its days, and no other payment with that amount', async () => {
    const group = [payment(1, {groups: ['file']}), payment(2, {groups: ['file'], amount: -500n})];
    const whole = line('file', {amount: -1500n, text: 'ACH 2 ENTRIES'});
    const state = async (...args: Parameters<typeof states>) => (await states(...args))['file'];
    assert.equal(await state(group, [whole]), 'matched');
    assert.equal(await state(group, [paid, whole]), 'unexplained');
    assert.equal(await state(group, [{...whole, bookingDay: '2026-03-06'}]), 'unexplained');
    assert.equal(await state(group, [{...whole, bookingDay: '2026-03-01'}]), 'unexplained');
    assert.equal(await state([...group, payment(3, {amount: -1500n})], [whole]), 'ambiguous');
    assert.equal(await state(group, [whole, {...whole, key: 'again'}]), 'ambiguous');
    assert.equal(await state(group, [whole, line('own', {amount: -500n})]), 'ambiguous');
    assert.equal(await state([payment(1, {groups: ['one']})], [line('file')]), 'suggested');
  });

  it('4: need a day on which every payment of the group is due, whatever the days of those that failed', async () => {
    const group = [
      payment(1, {groups: ['file']}),
      payment(2, {groups: ['file'], amount: -500n, day: '2026-03-04'}),
    ];
    for (const day of [undefined, '2026-02-02', '2026-03-20'])
      for (const [bookingDay, state] of [
        ['2026-03-03', 'unexplained'],
        ['2026-03-04', 'matched'],
        ['2026-03-05', 'matched'],
        ['2026-03-06', 'unexplained'],
      ] as const) {
        const failed = payment(3, {groups: ['file'], amount: -70n, status: 'failed', day: day ?? ''});
        const whole = line('file', {amount: -1500n, text: '2 ENTRIES', bookingDay});
        const found = await states(day === undefined ? group : [...group, failed], [whole]);
        assert.equal(found['file'], state, `${day} ${bookingDay}`);
      }
  });

  it('4: take groups with the same members, but for those that failed, for one', async () => {
    const groups = {groups: ['batch', 'file']};
    const all = [payment(1, groups), payment(2, {...groups, amount: -500n})];
    const failed = payment(3, {groups: ['file'], amount: -70n, status: 'failed'});
    const whole = line('file', {amount: -1500n, text: '2 ENTRIES'});
    assert.equal((await states([...all, failed], [whole]))['file'], 'matched');
    const alike = [['x', 'y'], ['x'], ['y'], ['x', 'y']].map((names, n) =>
      payment(n + 1, {groups: names, amount: -500n}),
    );
    assert.equal(
      (await states(alike, [line('file', {amount: -1500n, text: '3 ENTRIES'})]))['file'],
      'ambiguous',
    );
    const other = [1, 4].map((n) => payment(n + 10, {groups: ['other'], amount: -750n}));
    assert.equal((await states([...all, failed, ...other], [whole]))['file'], 'ambiguous');
  });

  it('4: suggest a line with the sum of a group that does not state how many payments it has', async () => {
    const group = [payment(1, {groups: ['file']}), payment(2, {groups: ['file'], amount: -500n})];
    const state = async (text: string, path = 'text') =>
      (await states(group, [line('a', {amount: -1500n, texts: [{path, text}]})]))['a'];
    for (const text of [
      '',
      'RENT LANDLORD LLC',
      '3 ENTRIES',
      '12 ENTRIES',
      '1.2 ENTRIES',
      '2',
      '2 DAYS',
      'X2 ITEMS',
    ])
      assert.equal(await state(text), 'suggested', text);
    for (const text of ['2 ENTRIES', 'ACH 02 CREDITS', '9 DAYS, 2 payments'])
      assert.equal(await state(text), 'matched', text);
    assert.equal(await state('2', 'Ntry/NtryDtls/Btch/NbOfTxs'), 'matched');
    assert.equal(await state('3', 'Ntry/NtryDtls/Btch/NbOfTxs'), 'suggested');
    assert.equal(await state('2', 'batch.entry_count'), 'matched');
    const {book} = await reconcile(group, [line('a', {amount: -1500n})]);
    assert.match(book.matches[0]!, /"rule":"group","state":"suggested"/);
    assert.match(book.payments[ID]!, /"state":"suggested"/);
  });

  it('5: suggest the only payment and line with one amount in the days of its rail', async () => {
    const on = async (bookingDay: string, rail = 'standard_ach') =>
      (await states([payment(1, {rail, day: '2026-03-05'})], [line('a', {bookingDay})]))['a'];
    assert.equal(await on('2026-03-04'), 'unexplained');
    assert.equal(await on('2026-03-05'), 'suggested');
    assert.equal(await on('2026-03-10'), 'suggested'); // a Tuesday, three banking days later
    assert.equal(await on('2026-03-11'), 'unexplained');
    assert.equal(await on('2026-03-06', 'wire'), 'suggested');
    assert.equal(await on('2026-03-09', 'wire'), 'unexplained');
    assert.equal(await on('2026-03-12', 'carrier pigeon'), 'suggested');
  });

  it('5: confirm none of a thousand equal amounts on one day', async () => {
    const many = Array.from({length: 1000}, (_, n) => n);
    const {payments, lines, totals} = await reconcile(
      many.map((n) => payment(n + 1)),
      many.map((n) => line(`l${n}`)),
    );
    assert.deepEqual(
      [...new Set(Object.values(payments)), ...new Set(Object.values(lines))],
      ['ambiguous', 'ambiguous'],
    );
    assert.equal(totals.perCurrency[0]!.matched.count, 0);
  });

  it('5: show all of a few that a line may be about', async () => {
    const {book} = await reconcile(
      [payment(1), payment(2)],
      [line('a'), line('b'), line('c', {bookingDay: '2026-04-30'})],
    );
    const keys = [ID, recordId(2)].sort();
    assert.equal((JSON.parse(book.lines['a']!) as {candidates: string[]}).candidates.join(), keys.join());
    assert.match(book.payments[ID]!, /"candidates":\["a","b"\]/);
  });

  for (const count of [99, 100, 101])
    it(`4: show a group of ${count} payments that two lines may be about, if it has at most 100`, async () => {
      const group = Array.from({length: count}, (_, n) =>
        payment(n + 1, {amount: -BigInt(n + 7), groups: ['file']}),
      );
      const amount = group.reduce((sum, each) => sum + each.amount, 0n);
      const {book, lines} = await reconcile(group, [line('a', {amount}), line('b', {amount})]);
      assert.deepEqual([lines['a'], lines['b']], ['ambiguous', 'ambiguous']);
      const {candidates} = JSON.parse(book.lines['a']!) as {candidates: string[]};
      assert.deepEqual(candidates, count > 100 ? [] : group.map(({key}) => key).sort());
    });

  it('6: suggest the only set of payments of one rail and day with the amount of a line', async () => {
    const amounts = [-101n, -203n, -407n];
    const open = amounts.map((amount, n) => payment(n + 1, {amount}));
    assert.deepEqual(Object.values(await states(open, [line('a', {amount: -508n})])).sort(), [
      'contradicted',
      'suggested',
      'suggested',
      'suggested',
    ]);
    assert.equal(
      (await states([...open, payment(4, {amount: -305n})], [line('a', {amount: -508n})]))['a'],
      'ambiguous',
    );
    assert.equal(
      (await states(open, [line('a', {amount: -508n}), line('b', {amount: -304n})]))['a'],
      'ambiguous',
    );
    const wires = [-150n, -154n].map((amount, n) => payment(n + 5, {amount, rail: 'wire'}));
    assert.equal((await states([...open, ...wires], [line('a', {amount: -304n})]))['a'], 'ambiguous');
    const thirteen = Array.from({length: 13}, (_, n) => payment(n + 1, {amount: -(2n ** BigInt(n))}));
    assert.equal((await states(thirteen.slice(1), [line('a', {amount: -6n})]))['a'], 'suggested');
    assert.equal((await states(thirteen, [line('a', {amount: -3n})]))['a'], 'unexplained');
  });

  it('7: suggest a payment or a group less a fee that a rule names', async () => {
    const fees = [{rail: 'wire', fee: {currency: 'USD', amount: 25n}}];
    const wire = payment(1, {rail: 'wire'});
    const at = async (payments: Parameters<typeof reconcile>[0], amount: bigint) =>
      (await states(payments, [line('a', {amount})], {fees}))['a'];
    assert.equal(await at([wire], -1025n), 'suggested');
    assert.equal(await at([wire], -975n), 'unexplained');
    assert.equal(await at([payment(1)], -1025n), 'unexplained');
    const payin = (amount: bigint) => payment(1, {rail: 'wire', kind: 'payin', amount});
    assert.equal(await at([payin(1000n)], 975n), 'suggested');
    assert.equal(await at([payin(25n)], -25n), 'unexplained');
    const group = [
      payment(1, {rail: 'wire', groups: ['b']}),
      payment(2, {rail: 'wire', groups: ['b'], amount: -500n}),
    ];
    assert.deepEqual(
      await states(
        [...group, payment(3, {groups: ['c']}), payment(4, {groups: ['c']})],
        [line('a', {amount: -1525n})],
        {fees},
      ),
      {
        ...{[ID]: 'suggested', [recordId(2)]: 'suggested', a: 'suggested'},
        ...{[recordId(3)]: 'contradicted', [recordId(4)]: 'contradicted'},
      },
    );
    const {book} = await reconcile([wire], [line('a', {amount: -1025n})], {fees});
    assert.match(book.matches[0]!, /"rule":"less_fee","state":"suggested".*"difference":"-25"/);
  });

  it('7: suggest a payment less a percentage of its amount, rounded half up', async () => {
    const at = async (own: bigint, booked: bigint, fees: readonly FeeRule[], fields = {}) =>
      (
        await states(
          [payment(1, {rail: 'wire', amount: own, ...fields})],
          [line('a', {amount: booked, ...fields})],
          {
            fees,
          },
        )
      )['a'];
    const of = (basisPoints: bigint, rail?: string): FeeRule => ({rail, fee: {basisPoints}});
    const [low, high] = [[of(149n)], [of(150n)]];
    for (const [own, booked, fees] of [
      [-10_000n, -10_149n, low],
      [-100n, -102n, high],
      [100n, 98n, high],
      [-100n, -101n, low],
      [-(10n ** 14n), -(10n ** 14n) - 10n ** 10n, [of(1n)]],
      [
        -10_000n,
        -10_150n,
        [...high, of(150n, 'wire'), {rail: undefined, fee: {currency: 'USD', amount: 150n}}],
      ],
    ] as const)
      assert.equal(await at(own, booked, fees), 'suggested', `${own} as ${booked}`);
    assert.equal(await at(-10_000n, -10_150n, high, {currency: 'EUR'}), 'suggested', 'in every currency');
    for (const [own, booked, fees] of [
      [-100n, -102n, low],
      [-10_000n, -10_151n, high],
      [-10_000n, -9850n, high],
      [-10_000n, -10_150n, [of(150n, 'same_day_ach')]],
      [-(2n ** 63n - 1n), -(2n ** 63n - 2n), high],
      [-(10n ** 15n), -(10n ** 15n) - 10n ** 11n, [of(1n)]],
    ] as const)
      assert.notEqual(await at(own, booked, fees), 'suggested', `${own} as ${booked}`);
    // Without a fee that has at least half a minor unit there is nothing to suggest: rule 5 has compared the amount.
    assert.equal(await at(-33n, -33n, high), 'suggested');
    assert.deepEqual(
      (
        await reconcile([payment(1, {amount: -33n})], [line('a', {amount: -33n})], {fees: high})
      ).book.matches.map((match) => /"rule":"\w+"/.exec(match)?.[0]),
      ['"rule":"amount_and_day"'],
    );
  });

  it('call a payment tentative while its line is pending, and matched once it is posted under another id', async () => {
    const pending = line('pending', {text: ID, state: 'pending'});
    assert.deepEqual(await states([payment(1)], [pending]), {[ID]: 'tentative', pending: 'matched'});
    assert.deepEqual(await states([payment(1)], [pending, paid]), {
      [ID]: 'matched',
      paid: 'matched',
      pending: 'matched',
    });
    assert.equal((await states([payment(1)], [line('pending', {state: 'pending'})]))[ID], 'contradicted');
  });

  it('call what no line came for expected, overdue or contradicted, and count the banking days', async () => {
    const on = async (today: string, status?: string) => {
      const {payments, book} = await reconcile([payment(1, {status})], [], {today});
      return [payments[ID], (JSON.parse(book.payments[ID]!) as {bankingDaysOpen: number}).bankingDaysOpen];
    };
    assert.deepEqual(await on('2026-03-05', 'debited'), ['expected', 0]);
    assert.deepEqual(await on('2026-03-06', 'debited'), ['overdue', 1]);
    assert.deepEqual(await on('2026-03-08', 'debited'), ['overdue', 1]);
    assert.deepEqual(await on('2026-03-09'), ['overdue', 2]);
    assert.deepEqual(await on('2026-03-09', 'settled'), ['contradicted', 2]);
    assert.deepEqual(await on('2026-03-09', 'failed'), ['expected', 0]);
    assert.deepEqual(await on('2026-03-09', 'canceled'), ['expected', 0]);
    assert.deepEqual(await on('2026-03-09', 'created'), ['expected', 0]);
    const {book} = await reconcile(
      [payment(1), payment(2, {day: '2026-03-10', amount: -5n})],
      [line('a'), line('b', {bookingDay: '2026-03-11', amount: -5n})],
      {today: '2026-03-16'},
    );
    assert.match(book.payments[ID]!, /"state":"suggested".*"bankingDaysOpen":7/);
    assert.match(book.payments[recordId(2)]!, /"state":"suggested".*"bankingDaysOpen":1/);
  });

  it('call a payment contradicted that failed and that the bank has paid', async () => {
    assert.equal((await states([payment(1, {status: 'failed'})], [paid]))[ID], 'contradicted');
    assert.equal((await states([payment(1, {status: 'created'})], [paid]))[ID], 'matched');
    assert.equal((await states([payment(1, {status: 'failed'})], [line('a')]))[ID], 'expected');
  });

  it('call both sides of a transfer, and lines that the caller knows, internal', async () => {
    const side = (amount: bigint, account: string) =>
      payment(1, {key: `${ID} ${account}`, kind: 'transfer', amount, account});
    const lines = [
      line('out', {text: ID, account: 'a'}),
      line('in', {text: ID, account: 'b', amount: 1000n}),
      line('simulated', {text: 'simulated credit'}),
    ];
    const isInternal = ({texts}: {texts: readonly {text: string}[]}) =>
      texts.some(({text}) => text.startsWith('simulated'));
    assert.deepEqual(await states([side(-1000n, 'a'), side(1000n, 'b')], lines, {isInternal}), {
      ...{
        [`${ID} a`]: 'matched',
        [`${ID} b`]: 'matched',
        in: 'internal',
        out: 'internal',
        simulated: 'internal',
      },
    });
    const [only, other] = [line('only', {text: 'simulated credit'}), line('other')];
    for (const state of ['posted', 'pending'] as const)
      assert.deepEqual(await states([], [{...only, state}], {isInternal}), {only: 'internal'});
    assert.deepEqual(await states([], [other], {isInternal}), {other: 'unexplained'});
  });
});
