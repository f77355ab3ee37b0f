import assert from 'node:assert/strict';
import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import {RemitError} from '../../../src/errors.ts';
import type {Book} from '../../../src/reconcile/book/book.ts';
import type {BankLine, StatedBalances} from '../../../src/reconcile/model/line.ts';
import {ACCOUNT, addAll, line, OPTIONS, payment, recordId, withBook} from '../harness.ts';

const NUMBER = 'DE02100100100006820101';
const AT = '2026-04-01T09:00:00Z';
const days = {account: ACCOUNT, from: '2026-03-01', to: '2026-03-31'};
const stated = (key: string, fields: Parameters<typeof line>[1] = {}) =>
  line(key, {source: 'statement', id: undefined, ...fields});

function add(
  book: Book,
  name: string,
  lines: readonly BankLine[],
  {number = NUMBER, format = 'camt053', balances = [] as StatedBalances[], account = ACCOUNT} = {},
): void {
  book.statements.requireNumber(account, {name, number, format});
  const origin = {name, format, number, by: 'kim', at: AT};
  book.addStatement({...days, account, lines, balances}, origin);
}

const how = {by: 'ada', at: AT, note: 'wrong file', withDecisions: false};
const states = (book: Book) => {
  book.match(OPTIONS);
  return Object.fromEntries([...book.lines()].map(({line: {key}, state}) => [key, state]));
};
const why = (book: Book) => book.match(OPTIONS).why.length;
const idOf = (book: Book, name: string) => book.statements.all().find((one) => one.name === name)?.id ?? '';
const refusal = (work: () => void): RemitError => {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof RemitError);
    return error;
  }
  return assert.fail('not refused');
};

describe('a statement in the book', () => {
  it('is listed, and forgotten with all that only it has', () =>
    withBook((book) => {
      addAll(book, [line('a')]);
      add(book, 'march.xml', [stated('s a')]);
      assert.equal(why(book), 0);
      const balances = [{...days, currency: 'USD', opening: 0n, closing: 5n}];
      add(book, 'wrong.xml', [stated('s a'), stated('s b', {amount: 7n})], {balances});
      assert.equal(why(book), 2);
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
      assert.match(refusal(() => book.forget(newest?.id ?? '', how)).message, /is forgotten already/);
      assert.match(refusal(() => book.forget('99', how)).message, /no statement 99 was read/);
    }));

  it('that is read again is the same one', () =>
    withBook((book) => {
      addAll(book, [line('a')]);
      for (const name of ['march.xml', 'copy.xml']) add(book, name, [stated('s a')]);
      assert.deepEqual(
        book.statements.all().map(({name, lines}) => [name, lines]),
        [['copy.xml', 1]],
      );
      add(book, 'other.xml', [stated('s a'), stated('s b', {amount: 7n})]);
      add(book, 'march.xml', [stated('s a')]);
      assert.equal(why(book), 0); // the last one is valid
      book.forget(idOf(book, 'march.xml'), how); // wherever it was read
      assert.equal(book.statements.all().filter(({forgotten}) => forgotten !== undefined).length, 2);
      assert.equal(why(book), 1);
    }));

  it('gives a line back that a later statement did not have, once that one is forgotten', () =>
    withBook((book) => {
      addAll(book, [line('a')]);
      add(book, 'march.xml', [stated('s a')]);
      add(book, 'short.xml', [stated('s b', {amount: 7n})]);
      assert.equal(states(book)['s a'], 'changed');
      book.forget(idOf(book, 'short.xml'), how);
      assert.deepEqual([states(book)['s a'], why(book)], ['unexplained', 0]);
    }));

  for (const id of [undefined, 'BANK-REF-1'])
    it(`proves nothing with a text that was edited later, ${id === undefined ? 'without' : 'with'} an id of the bank`, () =>
      withBook((book) => {
        book.addPayments([payment(1)]);
        addAll(book, [line('a')]);
        const first = stated('s', {id, text: 'PAYMENT'});
        add(book, 'march.xml', [first]);
        assert.equal(states(book)['a'], 'suggested'); // by its amount
        const edited = stated(id === undefined ? 't' : 's', {id, text: `PAYMENT ${recordId(1)}`});
        add(book, 'edited.xml', [edited]);
        const found = states(book);
        assert.deepEqual(
          Object.values(found).sort(),
          ['changed', 'changed', 'suggested'],
          JSON.stringify(found),
        );
        assert.equal(why(book), 1); // the service has a line that no statement has
        assert.equal([...book.payments()][0]?.state, 'suggested');
        add(book, 'edited.xml', [edited]);
        assert.equal([...book.payments()][0]?.state, 'suggested');
        // A person decides which of the two is right.
        book.forget(idOf(book, 'march.xml'), how);
        assert.deepEqual([why(book), [...book.payments()][0]?.state], [0, 'matched']);
      }));

  it('is not forgotten with decisions about lines that only it has, unless that is stated', () =>
    withBook((book) => {
      book.addPayments([payment(1)]);
      addAll(book, [line('a')]);
      add(book, 'march.xml', [stated('s a', {text: 'REF'})]);
      add(book, 'wrong.xml', [stated('s a', {text: 'REF'}), stated('s b', {amount: 7n})]);
      book.match(OPTIONS);
      const decision = {payments: [], note: 'interest', by: 'kim', at: AT};
      book.decide({...decision, verb: 'ignore', line: 's b'});
      book.decide({...decision, verb: 'ignore', line: 's a'});
      const id = idOf(book, 'wrong.xml');
      const {message, exitCode} = refusal(() => book.forget(id, how));
      assert.deepEqual(
        [exitCode, /1 decision .*: ignore s b \(interest\)$/.test(message)],
        [5, true],
        message,
      );
      book.forget(id, {...how, withDecisions: true});
      assert.equal(states(book)['s a'], 'ignored');
    }));

  it('of another account number is refused, with both endings; the number itself is not stored', () =>
    withBook((book, folder) => {
      add(book, 'march.xml', [stated('s a')]);
      const other = 'DE02100100100006829999';
      const {message, exitCode} = refusal(() => add(book, 'other.xml', [], {number: other}));
      assert.equal(exitCode, 5);
      assert.match(
        message,
        /^other\.xml is of the account …9999, and .* of account \S+ so far are of …0101$/,
      );
      assert.equal(book.statements.all().length, 1);
      // The same ending: in another format it may be the same account, in this one it is another.
      const like = 'DE99100100100006820101';
      refusal(() => add(book, 'like.xml', [], {number: like}));
      refusal(() => add(book, 'other.txt', [], {number: '0006829999', format: 'mt940'}));
      add(book, 'like.txt', [stated('s a')], {number: '0006820101', format: 'mt940'});
      add(book, 'own.xml', [], {number: other, account: 'another account'});
      book.forget(idOf(book, 'march.xml'), how);
      book.forget(idOf(book, 'like.txt'), how);
      add(book, 'other.xml', [stated('s a')], {number: other});
      for (const name of readdirSync(folder).filter((one) => /^reconcile\.sqlite(?:-wal)?$/.test(one))) {
        const bytes = readFileSync(join(folder, name), 'latin1');
        for (const number of [NUMBER, other, like, '0006820101']) assert.ok(!bytes.includes(number), number);
      }
    }));

  it('makes no payment tentative with a pending line', () =>
    withBook((book) => {
      book.addPayments([payment(1, {status: 'pending', day: '2026-03-30'})]);
      addAll(book, [line('a', {amount: 5n})]);
      const pending = {state: 'pending', text: recordId(1)} as const;
      add(book, 'march.xml', [stated('s', pending)]);
      book.match(OPTIONS);
      assert.equal([...book.payments()][0]?.state, 'expected');
      addAll(book, [line('p', pending)]);
      book.match(OPTIONS);
      assert.equal([...book.payments()][0]?.state, 'tentative');
    }));
});
