import assert from 'node:assert/strict';
import {chmodSync, chownSync, readdirSync, readFileSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import {Book} from '../../../src/reconcile/book/book.ts';
import type {BankLine} from '../../../src/reconcile/model/line.ts';
import {openSqlite} from '../../../src/store/sqlite/sqlite.ts';
import {addAll, line, newFolder, OPTIONS, payment, READ, recordId, SCOPE, withBook} from '../harness.ts';

const stateOf = (book: Book, key: string) => [...book.payments({key})][0]?.state;

describe('the book', () => {
  it('is one private file of the state folder, for one writer at a time', async () => {
    const folder = newFolder();
    assert.equal(Book.isIn(folder), false);
    await withBook(async () => {
      await assert.rejects(Book.open(folder, SCOPE, {write: true}), {code: 'LOCKED'});
    }, folder);
    assert.equal(Book.isIn(folder), true);
    assert.equal(statSync(join(folder, 'reconcile.sqlite')).mode & 0o777, 0o600);
    const book = await Book.open(folder, SCOPE, {write: false});
    assert.match(readFileSync(join(folder, 'reconcile.lock'), 'utf8'), /reading what reconcile found/);
    assert.deepEqual([...book.payments(), ...book.lines(), ...book.matches()], []);
    await book.close();
  });

  it('is read in a folder that cannot be written, and not written', async () => {
    const folder = newFolder();
    await withBook((book) => void book.addPayments([payment(1)]), folder);
    const isRoot = process.geteuid?.() === 0;
    if (isRoot)
      for (const path of [folder, ...readdirSync(folder).map((name) => join(folder, name))])
        chownSync(path, 65_534, 65_534);
    chmodSync(folder, 0o500);
    if (isRoot) process.seteuid?.(65_534); // root may write everywhere
    try {
      const book = await Book.open(folder, SCOPE, {write: false});
      assert.equal([...book.payments()].length, 1);
      await book.close();
      await assert.rejects(Book.open(folder, SCOPE, {write: true}), {code: 'STATE'});
    } finally {
      if (isRoot) process.seteuid?.(0);
      chmodSync(folder, 0o700);
    }
    assert.deepEqual(readdirSync(folder), ['reconcile.sqlite']);
  });

  it('is damaged without a table, or without what tells it from another one', async () => {
    for (const [sql, missing] of [
      ['drop table decisions', 'decisions'],
      [`delete from book_facts where name = 'id'`, 'its identity'],
      [`delete from book_facts where name = 'key'`, 'its identity'],
    ] as const) {
      const folder = newFolder();
      await withBook(() => undefined, folder);
      const db = await openSqlite(join(folder, 'reconcile.sqlite'), {durability: 'full'});
      db.exec(sql);
      db.close();
      await assert.rejects(Book.open(folder, SCOPE, {write: true}), {
        code: 'STATE_DAMAGED',
        message: `${join(folder, 'reconcile.sqlite')} is damaged: ${missing} is missing`,
      });
    }
  });

  it('returns lines, payments and balances as they were added', () =>
    withBook((book) => {
      const first: BankLine = line('a', {
        ...{
          id: undefined,
          valueDay: '2026-03-04',
          state: 'pending',
          returnCode: 'R01',
          amount: -(2n ** 60n) - 1n,
        },
        texts: [
          {path: 'Ntry/NtryDtls/TxDtls/Refs/EndToEndId', text: 'x "1"\n\u0000'},
          {path: 'b', text: ''},
        ],
      });
      const second = line('b', {text: 'x'});
      const one = payment(1, {
        ...{account: undefined, rail: undefined, status: undefined, amount: 2n ** 60n + 1n, kind: 'payin'},
        ...{
          traces: ['a', 'b'],
          groups: ['g', 'g'],
          row: {batch: 'march', reference: 'r 1', namespace: 'default'},
        },
      });
      const two = payment(2, {recordId: undefined, key: 'batch:march/r 2'});
      book.addPayments([one, two]);
      addAll(book, [first, second]);
      assert.deepEqual(
        [...book.lines()].map((each) => each.line),
        [first, second],
      );
      const byKey = [one, two].sort((a, b) => (a.key < b.key ? -1 : 1));
      assert.deepEqual(
        [...book.payments()].map((each) => each.payment),
        byKey,
      );
      assert.deepEqual(
        [...book.payments({batch: 'march'})].map((each) => each.payment),
        [one],
      );
      assert.deepEqual([...book.lines({within: {accounts: ['other'], from: '', to: '9'}})], []);
      const [found] = book.payments({key: two.key});
      assert.deepEqual(
        [found!.state, found!.candidates, found!.match, found!.bankingDaysOpen],
        ['expected', [], undefined, 0],
      );
      const [lone] = book.lines({key: 'a'});
      assert.deepEqual([lone!.state, lone!.twin], ['unexplained', undefined]);
    }));

  it('adds all lines of a read or none', () =>
    withBook((book) => {
      function* broken() {
        yield line('a');
        throw new Error('line 2 of the statement is damaged');
      }
      assert.throws(() => book.addLines(broken(), READ), /damaged/);
      assert.deepEqual([...book.lines()], []);
      assert.deepEqual(book.addLines([line('a'), line('a')], READ), {
        added: 1,
        known: 1,
        changed: 0,
        gone: 0,
      });
    }));

  it('finds that lines are gone only among those that were read again', () =>
    withBook((book) => {
      const lines = [line('a', {bookingDay: '2026-03-02'}), line('b'), line('c', {account: 'other'})];
      addAll(book, lines);
      const gone = (read: object) => book.addLines([], {...READ, ...read}).gone;
      assert.equal(gone({from: '2026-03-03', to: '2026-03-31', account: 'third'}), 0);
      assert.equal(gone({source: 'statement'}), 0);
      assert.equal(gone({from: '2026-03-01', to: '2026-03-02'}), 1);
      assert.equal(gone({from: '2026-03-01', to: '2026-03-02'}), 0);
      const states = () => Object.fromEntries([...book.lines()].map((each) => [each.line.key, each.state]));
      book.match(OPTIONS);
      assert.deepEqual(states(), {a: 'changed', b: 'unexplained', c: 'unexplained'});
      addAll(book, [line('p', {state: 'pending'}), ...lines]);
      addAll(book, lines);
      book.match(OPTIONS);
      assert.deepEqual(states(), {a: 'unexplained', b: 'unexplained', c: 'unexplained'});
    }));

  it('has equal lines without an id as often as the bank lists them, in any order and in every read', () =>
    withBook((book) => {
      const fee = (fields: Partial<BankLine> = {}) => line('#fee', {id: undefined, ...fields});
      const pending = fee({state: 'pending'});
      const states = () => [...book.lines()].map(({line: {key, state}, state: found}) => [key, state, found]);
      const rest = Array.from({length: 1100}, (_, n) => line(`l${n}`));
      for (const list of [
        [fee(), pending, fee(), ...rest],
        [pending, ...rest, fee(), fee()],
      ]) {
        const added = book.addLines(list, READ);
        book.match(OPTIONS);
        assert.equal(added.added + added.known, 1103);
        assert.deepEqual(states().slice(0, 3), [
          ['#fee', 'posted', 'unexplained'],
          ['#fee/2', 'posted', 'unexplained'],
          ['#fee/3', 'pending', 'unexplained'],
        ]);
      }
      assert.equal(book.addLines([fee(), pending, ...rest], READ).gone, 1);
    }));

  it('keeps the last of two lines with one key in a read', () =>
    withBook((book) => {
      const text = (word: string) => line('a', {text: `${word} REFERENCE-1 REFERENCE-2`});
      book.addLines([text('one'), text('two'), text('three')], READ);
      assert.deepEqual(book.addLines([text('four'), text('five')], READ), {
        ...{added: 0, known: 0, changed: 2, gone: 0},
      });
      assert.equal(
        [...book.lines()].map(({line: {texts}}) => texts[0]?.text).join(),
        'five REFERENCE-1 REFERENCE-2',
      );
    }));

  it('calls a line altered only if it was posted with another amount, currency, account or day', () =>
    withBook((book) => {
      const stateAfter = (key: string, before: Partial<BankLine>, after: Parameters<typeof line>[1]) => {
        addAll(book, [line(key, before)]);
        addAll(book, [line(key, after)]);
        book.match(OPTIONS);
        return [...book.lines({key})][0]?.state;
      };
      assert.equal(stateAfter('a', {}, {text: 'with more text'}), 'unexplained');
      assert.equal(stateAfter('b', {state: 'pending', amount: -5n}, {amount: -6n}), 'unexplained');
      assert.equal(stateAfter('c', {amount: -6n}, {amount: -7n}), 'changed');
      book.addPayments([payment(1), payment(2)]);
      const of = (n: number, amount: bigint) => ({text: recordId(n), amount});
      assert.equal(stateAfter('d', of(1, -999n), of(1, -1000n)), 'matched');
      assert.equal(stateAfter('e', of(2, 999n), of(2, 1000n)), 'changed'); // no return: nothing was paid
    }));

  it('calls a line changed that was posted, then pending with another amount, and then gone', () =>
    withBook((book) => {
      addAll(book, [line('a'), line('b')]);
      addAll(book, [line('a', {amount: -1n, state: 'pending'}), line('b')]);
      addAll(book, [line('b')]);
      book.match(OPTIONS);
      assert.deepEqual(
        [...book.lines()].map(({state}) => state),
        ['changed', 'unexplained'],
      );
    }));

  it('replaces a payment whose key it has, with its traces and groups', () =>
    withBook((book) => {
      addAll(book, [line('a', {text: 'INV-11111'}), line('b', {text: 'INV-22222'})]);
      const lineNow = () => {
        book.match(OPTIONS);
        return [...book.payments()][0]!.match?.lines;
      };
      book.addPayments([payment(1, {traces: ['INV-11111'], groups: ['x']})]);
      assert.deepEqual(lineNow(), ['a']);
      book.addPayments([payment(1, {traces: ['INV-22222']})]);
      assert.deepEqual(lineNow(), ['b']);
      book.addPayments([payment(1, {traces: ['INV-22222']}), payment(1, {traces: ['INV-11111']})]);
      assert.deepEqual(lineNow(), ['a']);
      assert.deepEqual(
        [...book.payments()].map((each) => each.payment.groups),
        [[]],
      );
    }));

  it('forgets a row in doubt once its record is known', () =>
    withBook((book) => {
      const row = {batch: 'march', reference: 'INV-11111', namespace: 'default'};
      const doubt = payment(1, {
        key: 'batch:march/INV-11111',
        recordId: undefined,
        row,
        traces: ['INV-11111'],
        groups: ['g'],
      });
      book.addPayments([doubt, payment(2, {row: {...row, reference: 'other'}})]);
      addAll(book, [line('a', {text: 'INV-11111'})]);
      book.match(OPTIONS);
      assert.equal(stateOf(book, doubt.key), 'matched');
      book.addPayments([payment(1, {row, traces: ['INV-11111'], groups: ['g']})]);
      book.match(OPTIONS);
      assert.deepEqual([...book.payments()].map((each) => each.state).sort(), ['contradicted', 'matched']);
      assert.equal(stateOf(book, recordId(1)), 'matched');
      book.addPayments([
        {...doubt, key: 'batch:march/x', row: {...row, reference: 'x'}},
        payment(3, {row: {...row, reference: 'x'}}),
      ]);
      assert.equal(stateOf(book, 'batch:march/x'), undefined);
    }));

  it('keeps services apart, and takes all names of this machine for one', async () => {
    const folder = newFolder();
    const at = async <T>(baseUrl: string, work: (book: Book) => T): Promise<T> => {
      const book = await Book.open(folder, {mode: 'test', baseUrl}, {write: true});
      try {
        return work(book);
      } finally {
        await book.close();
      }
    };
    const add = (book: Book) => {
      book.addPayments([payment(1)]);
      addAll(book, [line('a', {text: recordId(1)})]);
      return book.match(OPTIONS).perCurrency[0]!.matched.count;
    };
    assert.equal(await at('http://localhost:4000', add), 1);
    assert.equal(await at('https://api.example.test', (book) => [...book.payments()].length), 0);
    assert.equal(await at('https://api.example.test', add), 1);
    const kept = (book: Book) => [...book.payments()].map((each) => each.state);
    assert.deepEqual(await at('http://127.0.0.1:4000', kept), ['matched']);
  });

  it('shows more than a page of payments, lines and matches, each once and by key', () =>
    withBook((book) => {
      const all = Array.from({length: 1100}, (_, n) => n + 1);
      book.addPayments(all.map((n) => payment(n, {amount: -BigInt(n)})));
      addAll(
        book,
        all.map((n) => line(`l${n}`, {text: recordId(n), amount: -BigInt(n)})),
      );
      book.match(OPTIONS);
      const keys = [...book.payments()].map((each) => each.payment.key);
      assert.deepEqual(keys, all.map(recordId).sort());
      assert.deepEqual(
        [...book.lines()].map((each) => each.line.key),
        all.map((n) => `l${n}`).sort(),
      );
      assert.deepEqual(
        [...book.matches()].map(({lines: [each]}) => each),
        all.map((n) => `l${n}`).sort(),
      );
      assert.equal([...book.payments({state: 'matched'})].length, 1100);
      assert.equal([...book.lines({state: 'unexplained'})].length, 0);
    }));

  it('shows the text that proves a match, and where it was', () =>
    withBook((book) => {
      book.addPayments([payment(1, {traces: ['INV-12345']})]);
      addAll(book, [
        line('a', {
          texts: [
            {path: 'x', text: 'ACH'},
            {path: 'y', text: 'paid INV-12345 twice'},
          ],
        }),
      ]);
      book.match(OPTIONS);
      const [match] = book.matches();
      assert.deepEqual(match!.proof, {path: 'y', text: 'paid INV-12345 twice', token: 'inv-12345'});
      assert.equal(match!.rule, 'trace');
    }));
});
