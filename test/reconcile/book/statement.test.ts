import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import type {Book} from '../../../src/reconcile/book/book.ts';
import {readStatement} from '../../../src/reconcile/statement/read-statement.ts';
import {ACCOUNT, addAll, line, OPTIONS, payment, readFound, UNMASKED, withBook} from '../harness.ts';
import {Dice} from '../../sim/random.ts';
import {filesUnder} from '../../sanitize/canaries.ts';
import {camtBalance, camtDocument, camtEntry, camtStatement} from '../statement/statements.ts';

const ORIGIN = {account: ACCOUNT, name: 'statement', by: 'kim', at: '', isNumberNamed: false, mask: UNMASKED};
const add = (book: Book, text: string) =>
  book.addStatement(ORIGIN, ({take, isKnown}) =>
    readStatement(Buffer.from(text), {account: ACCOUNT, isKnown}, take),
  );
const keysOf = (book: Book): string[] =>
  [...book.lines()]
    .filter(({state}) => state !== 'changed')
    .map(({line: {key, texts}}) => `${key} ${texts.map(({text}) => text).join(' ')}`);
const reversed = <T>(all: readonly T[]): T[] => [...all].reverse();
const header = 'booking_date,amount,currency_code,id,text';
const csv = (rows: readonly string[]) => [header, ...rows].join('\n');

describe('a statement in the book', () => {
  const more = (text: string) => `<AcctSvcrRef>REF</AcctSvcrRef><AddtlNtryInf>${text}</AddtlNtryInf>`;
  const entries = [
    ...[camtEntry('1.00'), camtEntry('1.00'), camtEntry('1.00', {sign: 'CRDT'})],
    ...[camtEntry('2.00', {more: more('A')}), camtEntry('2.00', {more: more('B')})],
    ...[camtEntry('2.00', {more: more('B')}), camtEntry('3.00', {more: more('B')})],
    camtEntry('2.00', {more: more('B'), day: '2026-03-03'}),
  ];

  it('has equal lines under different keys, the same in every order of the file and in every read', async () => {
    const text = (list: readonly string[]) => camtDocument(camtStatement({entries: list}));
    const [first] = await Promise.all(
      [entries, reversed(entries), [...entries.slice(4), ...entries.slice(0, 4)]].map((list) =>
        withBook(async (book) => {
          await add(book, text(list));
          book.match(OPTIONS);
          const keys = keysOf(book);
          for (const again of [list, reversed(list)]) {
            await add(book, text(again));
            book.match(OPTIONS);
            assert.deepEqual(keysOf(book), keys);
          }
          return keys;
        }),
      ),
    ).then((all) => {
      for (const each of all) assert.deepEqual(each, all[0]);
      return all;
    });
    assert.equal(new Set(first!.map((key) => key.split(' ')[0])).size, entries.length);
    assert.ok(
      first!.some((key) => /REF\/2026-03-02\/-200\/[0-9a-f]{8}\/2 REF B$/.test(key)),
      first!.join('\n'),
    );
  });

  for (const count of [1, 2, 255, 256, 257, 1100])
    it(`has ${count} equal lines, beside others, in any order`, () =>
      withBook(async (book) => {
        const rows = Array.from({length: count}, (_, n) => [
          '2026-03-02,-1.00,USD,,FEE',
          `2026-03-02,-2.00,USD,ID,text ${n % 7}`,
          `2026-03-03,-${n}.50,USD,,other`,
        ]).flat();
        const dice = new Dice(count, 'rows');
        await add(book, csv(rows));
        book.match(OPTIONS);
        const keys = keysOf(book);
        assert.equal(keys.length, rows.length);
        assert.equal(new Set(keys.map((key) => key.split(' ')[0])).size, rows.length);
        const mixed = rows.map((row) => ({row, at: dice.next()})).sort((a, b) => a.at - b.at);
        await add(book, csv(mixed.map(({row}) => row)));
        book.match(OPTIONS);
        assert.deepEqual(keysOf(book), keys);
        // One of the equal lines is no longer there.
        await add(book, csv(rows.slice(1)));
        const {perCurrency} = book.match(OPTIONS);
        assert.equal(keysOf(book).length, rows.length - 1);
        assert.equal(perCurrency[0]!.lines.unexplained.count, rows.length - 1);
      }));

  it('that cannot be read to its end leaves the book as it was, and names the line or element', () =>
    withBook(async (book) => {
      const rows = Array.from({length: 3000}, (_, n) => `2026-03-02,-${n}.00,USD,,text ${n}`);
      await add(book, csv(rows.slice(0, 10)));
      addAll(book, [line('from the service')]);
      const before = readFound(book, book.match(OPTIONS));
      const large = camtStatement({
        closing: camtBalance('CLBD', '-100.00', '2026-03-02'),
        entries: [
          ...Array.from({length: 3000}, (_, n) => camtEntry(`${n}.00`, {currency: 'USD'})),
          camtEntry('x'),
        ],
      });
      const good = camtStatement({iban: 'DE02100100100006820101', entries: [camtEntry('1.00')]});
      for (const [text, words] of [
        [csv([...rows, '2026-03-02,x,USD,,text']), /line 3002: "x" is not an amount/],
        [csv([...rows, '2026-03-02,1.00']), /line 3002/],
        [camtDocument(good, large), /element Stmt\/Ntry \(entry 3001\)/],
        [camtDocument(good, camtStatement({iban: 'DE02300209000106531065'})), /2 accounts/],
        ['booking_date,amount,currency_code\n2026-03-02,1,USD\n', /major or in minor/],
      ] as const)
        await assert.rejects(add(book, text), words);
      assert.deepEqual(readFound(book, book.match(OPTIONS)), before);
    }));

  it('has its balances and days, and an empty one changes nothing', () =>
    withBook(async (book) => {
      await add(book, camtDocument(camtStatement({entries: [camtEntry('1.00', {sign: 'CRDT'})]})));
      assert.match(book.match(OPTIONS).why.join(), /stated balances differ by -1\.00 EUR/);
      await add(book, csv([]));
      assert.equal(keysOf(book).length, 1);
      // Another statement of the same days has no such line.
      await add(book, camtDocument(camtStatement({})));
      assert.deepEqual(book.match(OPTIONS).why, []);
      assert.deepEqual(keysOf(book), []);
    }));

  describe('of a file with several accounts', () => {
    const ibans = ['DE02100100100006820101', 'DE02300209000106531065'];
    const of = (iban: string, amount: string) => camtStatement({iban, entries: [camtEntry(amount)]});
    const both = [of(ibans[0]!, '1.00'), of(ibans[1]!, '2.00')];
    const amounts = (book: Book) => [...book.lines()].map(({line: {amount}}) => amount);

    for (const order of ['first', 'last'] as const)
      it(`takes the lines of the one that it had before, which comes ${order}`, () =>
        withBook(async (book) => {
          const file = camtDocument(...(order === 'first' ? both : reversed(both)));
          await assert.rejects(add(book, file), /2 accounts: …\d{4}, …\d{4}/);
          assert.deepEqual([amounts(book), book.statements.all()], [[], []]);
          await add(book, camtDocument(both[0]!));
          await add(book, file);
          assert.deepEqual(amounts(book), [-100n]);
          assert.deepEqual(
            book.statements.all().map(({ending, lines}) => [ending, lines]),
            [['0101', 1]],
          );
        }));

    it('is refused if it has neither, or only another, and nothing of it is added', () =>
      withBook(async (book) => {
        await add(book, camtDocument(both[0]!));
        const others = [ibans[1]!, 'DE02120300000000202051'].map((iban) => of(iban, '3.00'));
        await assert.rejects(add(book, camtDocument(...others)), /2 accounts/);
        await assert.rejects(add(book, camtDocument(others[0]!)), /of the account …1065, .* are of …0101$/);
        assert.deepEqual([amounts(book), book.statements.all().length], [[-100n], 1]);
      }));
  });

  it('matches traces that its texts do not show, and stores no more of them than a keyed hash', async () => {
    const [number, other] = ['123456789012', '987654321098'];
    const mask = (_field: string, text: string) => text.replaceAll(/acct \d+/g, 'acct …');
    await withBook(async (book, folder) => {
      book.addPayments([payment(1, {traces: [number]}), payment(2, {traces: [other], amount: -2000n})]);
      const rows = ['2026-03-03,-10.00,USD,a,acct 123456789012', '2026-03-03,-20.00,USD,b,acct 987654321098'];
      // Equal lines wait for each other in a table.
      const text = csv([
        ...rows,
        '2026-03-03,-5.00,USD,c,acct 555566667777',
        '2026-03-03,-5.00,USD,c,acct 555566667777',
      ]);
      await book.addStatement({...ORIGIN, mask}, ({take, isKnown}) =>
        readStatement(Buffer.from(text), {account: ACCOUNT, isKnown}, take),
      );
      book.match(OPTIONS);
      const found = [...book.payments()].map(({state, match}) => `${state} ${match?.rule}`);
      assert.deepEqual(found, ['matched trace', 'matched trace']);
      for (const {text: stored} of filesUnder(folder))
        assert.equal(stored.includes('555566667777') || stored.includes(`acct ${number}`), false);
      assert.equal([...book.lines()].filter(({line: {amount}}) => amount === -500n).length, 2);
      for (const {line: of} of book.lines()) assert.equal(of.texts.at(-1)?.path, 'masked');
      // A payment that is read again keeps its hashes.
      book.addPayments([payment(1, {traces: [number]})]);
      book.match(OPTIONS);
      assert.deepEqual(
        [...book.payments()].map(({match}) => match?.rule),
        ['trace', 'trace'],
      );
    });
  });
});
