import assert from 'node:assert/strict';
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import {RemitError} from '../../../src/errors.ts';
import type {Book} from '../../../src/reconcile/book/book.ts';
import type {BankLine, StatedBalances} from '../../../src/reconcile/model/line.ts';
import {ACCOUNT, addAll, line, OPTIONS, payment, recordId, UNMASKED, withBook} from '../harness.ts';

const NUMBER = 'DE02100100100006820101';
const AT = '2026-04-01T09:00:00Z';
const MARCH = {from: '2026-03-01', to: '2026-03-31'};
const APRIL = {from: '2026-03-31', to: '2026-04-30'}; // one day of both, without lines
const days = MARCH;
const stated = (key: string, fields: Parameters<typeof line>[1] = {}) =>
  line(key, {source: 'statement', id: undefined, ...fields});

function add(
  book: Book,
  name: string,
  lines: readonly BankLine[],
  {
    number = NUMBER,
    format = 'camt053',
    balances = [] as StatedBalances[],
    account = ACCOUNT,
    days = MARCH,
    isNumberNamed = false,
  } = {},
): Promise<unknown> {
  const origin = {account, name, by: 'kim', at: AT, isNumberNamed, mask: UNMASKED};
  return book.addStatement(origin, async ({take}) => {
    for (const one of lines) take(one);
    return {format, number, days, balances};
  });
}

const how = {by: 'ada', at: AT, note: 'wrong file', withDecisions: false};
const states = (book: Book) => {
  book.match(OPTIONS);
  return Object.fromEntries([...book.lines()].map(({line: {key}, state}) => [key, state]));
};
const why = (book: Book) => book.match(OPTIONS).why.length;
const idOf = (book: Book, name: string) => book.statements.all().find((one) => one.name === name)?.id ?? '';
const refusal = async (work: () => unknown): Promise<RemitError> => {
  try {
    await work();
  } catch (error) {
    assert.ok(error instanceof RemitError);
    return error;
  }
  return assert.fail('not refused');
};

describe('a statement in the book', () => {
  it('is refused on days that were read in another format, until that one is forgotten', () =>
    withBook(async (book) => {
      addAll(book, [line('a', {bookingDay: '2026-03-10'})]);
      const texts = (text: string) => [{path: 'text', text}];
      const at = {bookingDay: '2026-03-10'};
      await add(book, 'march.xml', [stated('s a', {...at, texts: texts('invoice 7, and more')})]);
      const csv = [stated('s a', {...at, texts: texts('invoice 7')})];
      const error = await refusal(() => add(book, 'march.csv', csv, {format: 'csv'}));
      assert.deepEqual(
        [error.code, error.message],
        [
          'LOCAL_VALIDATION',
          'march.csv is csv, and 2026-03-10 was already read as camt053, from march.xml; each day is read in one format only',
        ],
      );
      assert.equal(error.hint, 'to read march.csv instead: remit reconcile forget 2 --note TEXT');
      assert.deepEqual([why(book), book.statements.all().length], [0, 1]); // nothing of it is in the book
      // Without its own lines on these days it would lack those of the other one.
      assert.equal(
        (await refusal(() => add(book, 'none.csv', [], {format: 'csv'}))).code,
        'LOCAL_VALIDATION',
      );
      await add(book, 'april.csv', [stated('s b', {bookingDay: '2026-04-02'})], {format: 'csv', days: APRIL});
      await add(book, 'more.xml', [stated('s c', at)]);
      await add(book, 'other.csv', csv, {format: 'csv', account: 'other', number: 'DE99'});
      for (const name of ['march.xml', 'more.xml']) book.forget(idOf(book, name), how);
      await add(book, 'march.csv', csv, {format: 'csv'});
      assert.deepEqual(states(book)['a'], 'unexplained');
    }));

  it('leaves the key of a line alone that an earlier one has, whatever comes first in a text', () =>
    withBook(async (book) => {
      await add(book, 'one.xml', [stated('k', {text: 'last'})]);
      await add(book, 'two.xml', [stated('k', {text: 'first'}), stated('k', {text: 'last'})]);
      const keys = [...book.lines()].map(({line: {key, texts}}) => `${texts[0]?.text} ${key === 'k'}`);
      assert.deepEqual(keys.sort(), ['first false', 'last true']);
    }));

  it('is listed, and forgotten with all that only it has', () =>
    withBook(async (book) => {
      addAll(book, [line('a')]);
      await add(book, 'march.xml', [stated('s a')]);
      assert.equal(why(book), 0);
      const balances = [{...days, account: ACCOUNT, currency: 'USD', opening: 0n, closing: 5n}];
      await add(book, 'wrong.xml', [stated('s a'), stated('s b', {amount: 7n})], {balances});
      assert.equal(why(book), 1);
      assert.equal(states(book)['s b'], 'changed'); // the first one lacks it
      const reported = [{account: ACCOUNT, currency: 'USD', minor: 4n, day: undefined}];
      assert.match(
        book.match(OPTIONS, {accounts: [ACCOUNT], ...days, reported}).why.join(),
        /of 2026-03-31 as statement 3 \(wrong\.xml\) has it and as it follows from the balance that the service reports differ by 0\.01 USD/,
      );
      const [newest, first] = book.statements.all();
      assert.deepEqual(
        [newest?.name, newest?.lines, newest?.by, newest?.ending, first?.name, first?.lines],
        ['wrong.xml', 2, 'kim', '0101', 'march.xml', 1],
      );
      const forgotten = book.forget(newest?.id ?? '', how);
      assert.deepEqual(forgotten.forgotten, {by: 'ada', at: AT, note: 'wrong file'});
      assert.equal(why(book), 0);
      assert.deepEqual(states(book), {a: 'unexplained', 's a': 'unexplained'});
      assert.deepEqual(book.statements.all()[0]?.forgotten, forgotten.forgotten);
      const {message, hint} = await refusal(() => book.forget(newest?.id ?? '', how));
      assert.deepEqual(
        [message, hint],
        [`statement ${newest?.id} is forgotten already`, 'remit reconcile statements'],
      );
      assert.match((await refusal(() => book.forget('99', how))).message, /no statement 99 was read/);
    }));

  it('without an account number has no ending', () =>
    withBook(async (book) => {
      const origin = {
        account: ACCOUNT,
        name: 'march.csv',
        by: 'kim',
        at: AT,
        isNumberNamed: false,
        mask: UNMASKED,
      };
      await book.addStatement(origin, async ({take}) => {
        take(stated('s a'));
        return {format: 'csv', number: undefined, days, balances: []};
      });
      assert.deepEqual(
        book.statements.all().map(({name, ending, forgotten}) => [name, ending, forgotten]),
        [['march.csv', undefined, undefined]],
      );
    }));

  it('keeps equal pending lines apart, and pending', () =>
    withBook(async (book) => {
      const pending = stated('s a', {state: 'pending'});
      await add(book, 'march.xml', [pending, pending]);
      assert.deepEqual(
        [...book.lines()].map(({line: {key, state}}) => [key, state]),
        [
          ['s a', 'pending'],
          ['s a/2', 'pending'],
        ],
      );
    }));

  it('leaves no pair behind when it is forgotten, also before the next match', () =>
    withBook(async (book) => {
      book.addPayments([payment(1)]);
      addAll(book, [line('a')]);
      await add(book, 'march.xml', [stated('s a', {text: recordId(1)})]); // only it names the payment
      book.match(OPTIONS);
      const twins = () => [...book.lines()].map(({line: {key}, twin}) => [key, twin]);
      assert.deepEqual(twins(), [
        ['a', 's a'],
        ['s a', 'a'],
      ]);
      book.forget(idOf(book, 'march.xml'), how);
      assert.deepEqual(
        [...book.lines()].map(({line: {key}, isCounted}) => [key, isCounted]),
        [['a', true]],
      );
    }));

  it('that is read again is the same one', () =>
    withBook(async (book) => {
      addAll(book, [line('a')]);
      for (const name of ['march.xml', 'copy.xml']) await add(book, name, [stated('s a')]);
      assert.deepEqual(
        book.statements.all().map(({name, lines}) => [name, lines]),
        [['copy.xml', 1]],
      );
      book.forget(idOf(book, 'copy.xml'), how);
      assert.deepEqual(Object.keys(states(book)), ['a']); // its line is in no other read
      await add(book, 'copy.xml', [stated('s a')]);
      await add(book, 'other.xml', [stated('s a'), stated('s b', {amount: 7n})]);
      await add(book, 'march.xml', [stated('s a')]);
      assert.equal(why(book), 0); // the last one is valid
      book.forget(idOf(book, 'march.xml'), how); // wherever it was read
      assert.equal(book.statements.all().filter(({forgotten}) => forgotten !== undefined).length, 3);
      assert.equal(why(book), 1);
    }));

  it('gives a line back that a later statement did not have, once that one is forgotten', () =>
    withBook(async (book) => {
      addAll(book, [line('a')]);
      await add(book, 'march.xml', [stated('s a')]);
      await add(book, 'short.xml', [stated('s b', {amount: 7n})]);
      assert.equal(states(book)['s a'], 'changed');
      book.forget(idOf(book, 'short.xml'), how);
      assert.deepEqual([states(book)['s a'], why(book)], ['unexplained', 0]);
    }));

  for (const [first, second] of [
    ['long', 'short'],
    ['short', 'long'],
  ] as const)
    it(`proves nothing with a line that another one of the same days lacks, ${first} before ${second}`, () =>
      withBook(async (book) => {
        addAll(book, [line('a'), line('b', {amount: 7n, bookingDay: '2026-03-31'})]);
        const lines = {
          long: [stated('s a'), stated('s b', {amount: 7n, bookingDay: '2026-03-31'})],
          short: [stated('s a')],
        };
        for (const name of [first, second]) await add(book, `${name}.csv`, lines[name], {format: 'csv'});
        assert.deepEqual(states(book), {
          a: 'unexplained',
          b: 'unexplained',
          's a': 'unexplained',
          's b': 'changed',
        });
        const [newest, oldest] = [second, first].map((name) => idOf(book, `${name}.csv`));
        assert.deepEqual(book.statements.about('s b', {has: false}), [newest, oldest]);
        assert.deepEqual(book.statements.about('s b', {has: true}), [idOf(book, 'long.csv')]);
        book.forget(idOf(book, 'short.csv'), how);
        assert.equal(states(book)['s b'], 'unexplained');
      }));

  it('may lack lines of its last day that one for longer has', () =>
    withBook(async (book) => {
      const last = stated('s b', {amount: 7n, bookingDay: '2026-03-31'});
      await add(book, 'march.csv', [stated('s a')]);
      await add(book, 'more.csv', [stated('s a'), last], {days: {...MARCH, to: '2026-04-02'}});
      assert.equal(states(book)['s b'], 'unexplained');
    }));

  for (const id of [undefined, 'BANK-REF-1'])
    it(`proves nothing with a text that was edited later, ${id === undefined ? 'without' : 'with'} an id of the bank`, () =>
      withBook(async (book) => {
        book.addPayments([payment(1)]);
        addAll(book, [line('a', {text: 'TRN 778812341234'})]);
        const first = stated('s', {id, text: 'PAYMENT 778812341234'});
        await add(book, 'march.xml', [first]);
        assert.equal(states(book)['a'], 'suggested'); // by its amount
        const edited = stated(id === undefined ? 't' : 's', {
          id,
          text: `PAYMENT 778812341234 ${recordId(1)}`,
        });
        await add(book, 'edited.xml', [edited]);
        const found = states(book);
        assert.deepEqual(
          Object.values(found).sort(),
          ['changed', 'changed', 'suggested'],
          JSON.stringify(found),
        );
        assert.equal(why(book), 1); // the service has a line that no statement has
        assert.equal([...book.payments()][0]?.state, 'suggested');
        await add(book, 'edited.xml', [edited]);
        assert.equal([...book.payments()][0]?.state, 'suggested');
        // A person decides which of the two is right.
        book.forget(idOf(book, 'march.xml'), how);
        assert.deepEqual([why(book), [...book.payments()][0]?.state], [0, 'matched']);
      }));

  it('is not forgotten with decisions about lines that only it has, unless that is stated', () =>
    withBook(async (book) => {
      book.addPayments([payment(1)]);
      addAll(book, [line('a')]);
      await add(book, 'march.xml', [stated('s a', {text: 'REF'})]);
      await add(book, 'wrong.xml', [stated('s a', {text: 'REF'}), stated('s b', {amount: 7n})]);
      book.match(OPTIONS);
      const decision = {payments: [], note: 'interest', by: 'kim', at: AT};
      book.decide({...decision, verb: 'ignore', line: 's b'});
      book.decide({...decision, verb: 'ignore', line: 's a'});
      const id = idOf(book, 'wrong.xml');
      const {message, exitCode, hint} = await refusal(() => book.forget(id, how));
      assert.deepEqual(
        [exitCode, /1 decision .*: ignore s b \(interest\)$/.test(message)],
        [5, true],
        message,
      );
      assert.equal(hint, `to drop them too: remit reconcile forget ${id} --with-decisions --note TEXT`);
      book.forget(id, {...how, withDecisions: true});
      assert.equal(states(book)['s a'], 'ignored');
    }));

  it('of another account number is refused, with both endings; the number itself is not stored', () =>
    withBook(async (book, folder) => {
      await add(book, 'march.xml', [stated('s a')]);
      const other = 'DE02100100100006829999';
      const april = stated('s b', {bookingDay: '2026-04-01'});
      const refused = await refusal(() => add(book, 'other.xml', [], {number: other}));
      const {message, exitCode} = refused;
      assert.match(
        refused.hint ?? '',
        / reconcile forget \d+ --note TEXT; if .*, add --account-number 9999$/,
      );
      assert.equal(exitCode, 5);
      assert.match(
        message,
        /^other\.xml is of the account …9999, and .* of account \S+ so far are of …0101$/,
      );
      assert.equal(book.statements.all().length, 1);
      // The same ending: in another format it may be the same account, in this one it is another.
      const like = 'DE99100100100006820101';
      await refusal(() => add(book, 'like.xml', [], {number: like}));
      await refusal(() => add(book, 'other.txt', [], {number: '0006829999', format: 'mt940'}));
      await add(book, 'like.txt', [april], {number: '0006820101', format: 'mt940', days: APRIL});
      await add(book, 'own.xml', [], {number: other, account: 'another account'});
      book.forget(idOf(book, 'march.xml'), how);
      book.forget(idOf(book, 'like.txt'), how);
      const taken = await refusal(() => add(book, 'other.xml', [stated('s a')], {number: other}));
      assert.equal(
        taken.message,
        `other.xml is of the account …9999, which is account another account according to own.xml, not ${ACCOUNT}`,
      );
      assert.equal(taken.exitCode, 5);
      assert.match(
        taken.hint ?? '',
        /: remit reconcile --account another account --statement FILE; if own\.xml was .*: remit reconcile forget \d+ --note TEXT$/,
      );
      assert.equal(book.statements.all()[0]?.name, 'own.xml');
      book.forget(idOf(book, 'own.xml'), how);
      await add(book, 'other.xml', [stated('s a')], {number: other});
      for (const name of readdirSync(folder).filter((one) => /^reconcile\.sqlite(?:-wal)?$/.test(one))) {
        const bytes = readFileSync(join(folder, name), 'latin1');
        for (const number of [NUMBER, other, like, '0006820101']) assert.ok(!bytes.includes(number), number);
      }
    }));

  it('may be of any account number that a person has named for the account', () =>
    withBook(async (book) => {
      await add(book, 'march.xml', [stated('s a')]);
      const own = {number: 'DE99', days: APRIL};
      const april = [stated('s b', {bookingDay: '2026-04-02'})];
      await refusal(() => add(book, 'april.xml', april, own));
      await add(book, 'april.xml', april, {...own, isNumberNamed: true});
      for (const number of [NUMBER, 'DE99'])
        assert.equal(book.statements.isOf(ACCOUNT, number, 'camt053'), true);
      assert.equal(book.statements.isOf(ACCOUNT, 'DE88', 'camt053'), false);
      await add(book, 'more.xml', [...april, stated('s c', {bookingDay: '2026-04-03'})], own);
    }));

  it('is not added twice after the statement that first had its line was forgotten', () =>
    withBook(async (book) => {
      const [first, second] = ['PAYMENT', 'PAYMENT FOR MARCH'].map((text) => stated('s', {id: 'REF', text}));
      await add(book, 'march.xml', [first!]);
      await add(book, 'edited.xml', [second!]);
      book.forget(idOf(book, 'march.xml'), how);
      const keys = Object.keys(states(book));
      for (const lines of [[second!], [second!], [second!, second!]]) {
        await add(book, 'again.xml', lines);
        const found = states(book);
        assert.equal(Object.keys(found).length, lines.length, JSON.stringify(found));
        assert.equal(found[keys[0] ?? ''], 'unexplained');
      }
    }));

  it('has a number that no other one gets, also after the last one was forgotten', () =>
    withBook(async (book) => {
      await add(book, 'march.xml', [stated('s a')]);
      const {id, read} = book.identity;
      book.forget(idOf(book, 'march.xml'), how);
      assert.deepEqual(book.identity, {id, read});
      await add(book, 'right.xml', [stated('s b')]);
      assert.ok(Number(idOf(book, 'right.xml')) > Number(idOf(book, 'march.xml')));
      assert.deepEqual(Object.keys(states(book)), ['s b']);
    }));

  it('makes no payment tentative with a pending line', () =>
    withBook(async (book) => {
      book.addPayments([payment(1, {status: 'pending', day: '2026-03-30'})]);
      addAll(book, [line('a', {amount: 5n})]);
      const pending = {state: 'pending', text: recordId(1)} as const;
      await add(book, 'march.xml', [stated('s', pending)]);
      book.match(OPTIONS);
      assert.equal([...book.payments()][0]?.state, 'expected');
      addAll(book, [line('p', pending)]);
      book.match(OPTIONS);
      assert.equal([...book.payments()][0]?.state, 'tentative');
    }));
});
