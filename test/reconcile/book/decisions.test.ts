import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {Book} from '../../../src/reconcile/book/book.ts';
import type {RemitError} from '../../../src/errors.ts';
import type {Decision} from '../../../src/reconcile/model/finding.ts';
import {addAll, line, newFolder, OPTIONS, payment, recordId, SCOPE, withBook} from '../harness.ts';

const [ONE, TWO] = [recordId(1), recordId(2)];
const states = (book: Book) => {
  book.match(OPTIONS);
  return Object.fromEntries([
    ...[...book.payments()].map(({payment: {key}, state}) => [key === ONE ? 'one' : 'two', state]),
    ...[...book.lines()].map(({line: {key}, state}) => [key, state]),
  ]) as Record<string, string>;
};
const decision = (verb: Decision['verb'], of: string, payments: string[] = []): Decision => ({
  ...{verb, line: of, payments, note: 'seen in the bank portal', by: 'kim'},
  at: '2026-03-05T12:00:00Z',
});

/** Two payments and two lines that are alike. */
const alike = <T>(work: (book: Book) => T) =>
  withBook((book) => {
    book.addPayments([payment(1), payment(2)]);
    addAll(book, [line('a'), line('b')]);
    book.match(OPTIONS);
    return work(book);
  });

describe('a decision', () => {
  it('is followed by a match with the fees of the last run, of each service', () => {
    const folder = newFolder();
    const fees = [
      {rail: 'wire', fee: {currency: 'USD', amount: 2n ** 53n + 1n}},
      {rail: undefined, fee: {basisPoints: 250n}},
    ];
    const lessFee = (book: Book) =>
      [...book.lines({state: 'suggested'})].flatMap(({line: {key}, match}) => `${key} ${match?.rule}`);
    return withBook(async (first) => {
      first.addPayments([
        payment(1, {rail: 'wire', amount: -1n}),
        payment(2, {rail: 'wire', amount: -2n}),
        payment(3, {amount: -1000n}),
      ]);
      const wire = (amount: bigint) => amount - (2n ** 53n + 1n);
      const [a, b] = [line('a', {amount: wire(-1n)}), line('b', {amount: wire(-2n)})];
      addAll(first, [a, b, line('c', {amount: -1025n})]);
      first.match({...OPTIONS, fees});
      assert.deepEqual(lessFee(first), ['a less_fee', 'b less_fee', 'c less_fee']);
      await first.close();
      const other = {...SCOPE, baseUrl: 'https://other.example.test'};
      const elsewhere = await Book.open(folder, other, {write: true});
      elsewhere.match(OPTIONS);
      await elsewhere.close();
      return withBook((book) => {
        book.decide(decision('confirm', 'a', [ONE]), 2n ** 53n + 1n);
        book.match({...OPTIONS, fees: undefined});
        assert.deepEqual(lessFee(book), ['b less_fee', 'c less_fee']);
        book.match(OPTIONS); // a run without fees
        book.match({...OPTIONS, fees: undefined});
        assert.deepEqual(lessFee(book), []);
      }, folder);
    }, folder);
  });

  it('confirms a payment for a line, in every later match', () =>
    alike((book) => {
      book.decide(decision('confirm', 'a', [ONE]));
      const expected = {one: 'matched', two: 'suggested', a: 'matched', b: 'suggested'};
      assert.deepEqual(states(book), expected);
      assert.deepEqual(states(book), expected);
      const [match] = book.matches();
      assert.deepEqual(
        [match!.rule, match!.state, match!.lines, match!.payments],
        ['confirmed', 'matched', ['a'], [ONE]],
      );
      assert.equal(match!.proof, undefined);
    }));

  it('confirms several payments for one line, with the difference', () =>
    alike((book) => {
      book.decide(decision('confirm', 'a', [ONE, TWO]), 1000n);
      assert.deepEqual(states(book), {one: 'matched', two: 'matched', a: 'matched', b: 'unexplained'});
      assert.equal([...book.matches()][0]!.difference, 1000n);
    }));

  it('confirms a line of 0 as no return', () =>
    withBook((book) => {
      book.addPayments([payment(1), payment(2, {kind: 'payin', amount: 70n})]);
      addAll(book, [line('a', {amount: 0n}), line('b', {amount: 0n})]);
      book.match(OPTIONS);
      book.decide(decision('confirm', 'a', [ONE]), 1000n);
      book.decide(decision('confirm', 'b', [TWO]), 70n);
      assert.deepEqual(states(book), {one: 'matched', two: 'matched', a: 'matched', b: 'matched'});
    }));

  it('rejects a payment for a line, also one that has its id', () =>
    alike((book) => {
      book.decide(decision('reject', 'a', [ONE]));
      assert.deepEqual(states(book), {one: 'ambiguous', two: 'ambiguous', a: 'ambiguous', b: 'ambiguous'});
      assert.deepEqual([...book.lines({key: 'a'})][0]!.candidates, [TWO]);
      book.decide(decision('reject', 'b', [TWO]));
      assert.deepEqual(states(book), {one: 'suggested', two: 'suggested', a: 'suggested', b: 'suggested'});
      assert.deepEqual(
        [...book.matches()].map(({payments}) => payments),
        [[TWO], [ONE]],
      );
      addAll(book, [line('a', {text: ONE}), line('b', {text: ONE})]);
      assert.deepEqual(states(book), {one: 'matched', two: 'suggested', a: 'suggested', b: 'matched'});
    }));

  it('rejects a group and a set of payments by one of them', () =>
    withBook((book) => {
      book.addPayments([payment(1, {groups: ['file']}), payment(2, {amount: -70n, groups: ['file']})]);
      addAll(book, [line('a', {amount: -1070n, text: '2 ENTRIES'})]);
      book.decide(decision('reject', 'a', [TWO]));
      assert.deepEqual(states(book), {one: 'contradicted', two: 'contradicted', a: 'unexplained'});
      book.addPayments([payment(1), payment(2, {amount: -70n})]);
      assert.deepEqual(states(book), {one: 'contradicted', two: 'contradicted', a: 'unexplained'});
      addAll(book, [line('a', {amount: -1070n, text: '2 ENTRIES'}), line('b', {amount: -1070n})]);
      assert.deepEqual(states(book), {one: 'suggested', two: 'suggested', a: 'unexplained', b: 'suggested'});
      book.decide(decision('confirm', 'a', [TWO, ONE]));
      assert.deepEqual(states(book), {one: 'matched', two: 'matched', a: 'matched', b: 'unexplained'});
      book.addPayments([3, 4].map((n) => payment(n, {groups: ['other']})));
      addAll(book, [line('c', {amount: -2000n}), line('d', {amount: -1070n})]);
      book.decide(decision('reject', 'c', [ONE]));
      book.decide(decision('reject', 'd', [recordId(3)]));
      const {c, d} = states(book);
      assert.deepEqual([c, d], ['suggested', 'suggested']); // a group and a set without that payment
    }));

  it('ignores a line', () =>
    alike((book) => {
      book.decide(decision('ignore', 'a'));
      assert.deepEqual(states(book), {one: 'ambiguous', two: 'ambiguous', a: 'ignored', b: 'ambiguous'});
    }));

  it('about a pending line is valid once it is posted, and void if it is pending again', () =>
    withBook((book) => {
      const after = (state: 'pending' | 'posted') => (addAll(book, [line('a', {state})]), states(book)['a']);
      after('pending');
      book.decide(decision('ignore', 'a'));
      assert.deepEqual((['pending', 'posted', 'pending'] as const).map(after), [
        'ignored',
        'ignored',
        'changed',
      ]);
    }));

  it('is followed by the next one about its line, and all are kept', () =>
    alike((book) => {
      const all = [
        ...[decision('ignore', 'a'), decision('confirm', 'a', [ONE]), decision('reject', 'a', [ONE])],
        ...[decision('confirm', 'a', [ONE]), decision('reject', 'a'), decision('ignore', 'a')],
        decision('confirm', 'b', [TWO]),
      ];
      for (const each of all) book.decide(each);
      assert.deepEqual(states(book), {one: 'contradicted', two: 'matched', a: 'ignored', b: 'matched'});
      assert.deepEqual(book.decisions(), all);
      assert.deepEqual(book.decisions('b'), all.slice(6));
      book.decide(decision('reject', 'b', [TWO]));
      book.decide(decision('reject', 'a'));
      assert.deepEqual(states(book), {one: 'ambiguous', two: 'ambiguous', a: 'ambiguous', b: 'ambiguous'});
    }));

  it('is void once the bank has changed the line, and valid again once it is what it was', () =>
    alike((book) => {
      book.decide(decision('confirm', 'a', [ONE]));
      addAll(book, [line('a', {amount: -999n}), line('b')]);
      assert.deepEqual(states(book), {one: 'ambiguous', two: 'ambiguous', a: 'changed', b: 'ambiguous'});
      addAll(book, [line('a', {text: 'more of it'}), line('b')]);
      assert.equal(states(book)['one'], 'matched');
      addAll(book, [line('b')]);
      assert.deepEqual(states(book), {one: 'ambiguous', two: 'ambiguous', a: 'changed', b: 'ambiguous'});
    }));

  it('confirms that a line took the money of a payment back', () =>
    withBook((book) => {
      book.addPayments([payment(1), payment(2, {amount: -70n})]);
      addAll(book, [
        line('a', {text: ONE}),
        line('back', {amount: 1000n, returnCode: 'R02'}),
        line('other', {amount: 70n}),
      ]);
      book.match(OPTIONS);
      assert.equal(book.returnsOf([ONE]).size, 0);
      book.decide(decision('confirm', 'back', [ONE]));
      book.decide(decision('confirm', 'other', [TWO]));
      assert.deepEqual(states(book), {
        one: 'returned',
        two: 'returned',
        a: 'matched',
        back: 'returned',
        other: 'returned',
      });
      assert.deepEqual(
        [...book.returnsOf([ONE.toUpperCase(), 'unknown'])],
        [...[[ONE.toUpperCase(), {batch: undefined, code: 'R02', day: '2026-03-03', line: 'back'}]]],
      );
      const [found] = book.payments({key: ONE});
      assert.deepEqual(
        [found!.match!.rule, found!.returned!.rule, found!.returned!.difference],
        ['id', 'confirmed', 0n],
      );
    }));

  it('is refused for what is not in the book, for other currencies, and for a payment that has its line', () =>
    alike((book) => {
      const refused = (each: Decision, pattern: RegExp) => assert.throws(() => book.decide(each), pattern);
      refused(decision('ignore', 'c'), /the bank lists no line c/);
      refused(decision('reject', 'a', ['x']), /no payment x is expected/);
      refused(decision('confirm', 'a'), /name the payments/);
      book.addPayments([payment(3, {currency: 'EUR'}), payment(4, {amount: 5n})]);
      refused(decision('confirm', 'a', [recordId(3)]), /is in USD, and payment .* in EUR/);
      refused(decision('confirm', 'a', [ONE, recordId(4)]), /different directions/);
      book.decide(decision('confirm', 'a', [ONE]));
      book.match(OPTIONS);
      book.decide(decision('confirm', 'a', [ONE])); // again
      refused(decision('confirm', 'b', [ONE]), /already has the line a$/);
      assert.throws(() => book.decide(decision('confirm', 'b', [ONE])), {
        hint: `reject that one first: remit reconcile reject a ${ONE} --note TEXT`,
      });
      addAll(book, [line('b')]);
      refused(decision('reject', 'a'), /the bank lists no line a any more/);
      assert.equal(book.decisions().length, 2);
    }));

  it('is refused for a line that is confirmed, until that is rejected', () =>
    alike((book) => {
      book.decide(decision('confirm', 'a', [ONE]));
      assert.throws(
        () => book.decide(decision('ignore', 'a')),
        (error: RemitError) =>
          error.exitCode === 5 &&
          /line a is already confirmed for/.test(error.message) &&
          /reconcile reject a \S+ --note TEXT$/.test(error.hint ?? ''),
      );
      book.decide(decision('reject', 'a', [ONE]));
      book.decide(decision('ignore', 'a'));
      assert.equal(states(book)['a'], 'ignored');
    }));

  it('ignores a line that is gone, until the bank has it again', () =>
    alike((book) => {
      addAll(book, [line('b')]);
      assert.equal(states(book)['a'], 'changed');
      book.decide(decision('ignore', 'a'));
      assert.equal(states(book)['a'], 'ignored');
      addAll(book, [line('a'), line('b')]);
      assert.equal(states(book)['a'], 'ambiguous');
    }));

  it('about a line of a statement is about the line of the service that is its pair', () =>
    withBook((book) => {
      addAll(book, [line('a'), line('s', {source: 'statement', id: undefined})]);
      book.match(OPTIONS);
      book.decide(decision('ignore', 's'));
      assert.deepEqual(states(book), {a: 'ignored', s: 'ignored'});
    }));

  it('is refused for amounts that differ, unless the difference is stated', () =>
    withBook((book) => {
      book.addPayments([
        payment(1, {amount: -7710n}),
        payment(2, {amount: -125_000n}),
        payment(3, {amount: -125_000n}),
      ]);
      addAll(book, [
        line('a', {amount: -4242n}),
        line('back', {amount: 125_000n}),
        line('both', {amount: 250_000n}),
      ]);
      book.match(OPTIONS);
      const refused = (each: Decision, pattern: RegExp, difference?: bigint) =>
        assert.throws(
          () => book.decide(each, difference),
          (error: RemitError) =>
            error.code === 'LOCAL_VALIDATION' && pattern.test(`${error.message} ${String(error.hint)}`),
        );
      refused(
        decision('confirm', 'a', [ONE]),
        /^line a is 42\.42 USD, and payment [0-9a-f-]{36} is 77\.10 USD: the difference is 34\.68 USD .*--difference 34\.68$/,
      );
      refused(decision('confirm', 'a', [ONE]), /is 34\.68 USD, not 34\.67 USD/, 3467n);
      const returns = [TWO, recordId(3)];
      refused(decision('confirm', 'back', returns), /1,250\.00 USD, and its 2 payments are 2,500\.00 USD/);
      refused(decision('confirm', 'back', [TWO]), /leave out --difference/, 5n);
      const strange = {currency: 'QQQ', amount: -1000n}; // which has an unknown number of decimals
      book.addPayments([payment(4, strange)]);
      addAll(
        book,
        [...book.lines()].map((each) => each.line).concat(line('q', {...strange, amount: -1005n})),
      );
      refused(
        decision('confirm', 'q', [recordId(4)]),
        /^line q is 1005 minor units QQQ, .* is 1000 minor units QQQ: the difference is 5 minor .*--difference 5$/,
      );
      assert.deepEqual(book.decisions(), []);
      book.decide(decision('confirm', 'a', [ONE]), 3468n);
      book.decide(decision('confirm', 'back', [TWO, TWO]));
      assert.deepEqual(states(book), {
        one: 'matched',
        two: 'contradicted',
        a: 'matched',
        back: 'returned',
        both: 'unexplained',
        q: 'unexplained',
      });
      assert.throws(() => book.decide(decision('confirm', 'both', returns)), /already has the line back/);
      book.decide(decision('reject', 'back', [TWO]));
      book.match(OPTIONS);
      book.decide(decision('confirm', 'both', returns));
      book.match(OPTIONS);
      assert.equal(book.returnsOf(returns).size, 2);
    }));

  it('is refused for a line that is confirmed for another payment, and names that decision', () =>
    alike((book) => {
      book.decide(decision('confirm', 'a', [ONE]));
      book.decide(decision('confirm', 'a', [ONE]));
      assert.throws(
        () => book.decide(decision('confirm', 'a', [TWO])),
        new RegExp(
          `line a is already confirmed for ${ONE} \\(kim, 2026-03-05T12:00:00Z: seen in the bank portal\\)`,
        ),
      );
      book.decide(decision('reject', 'a', [ONE]));
      book.decide(decision('confirm', 'a', [TWO]));
      assert.equal(states(book)['a'], 'matched');
    }));

  it('that contradicts another one leaves the payment to a person', () =>
    alike((book) => {
      book.decide(decision('confirm', 'a', [ONE]));
      book.decide(decision('confirm', 'b', [ONE])); // before the first was applied
      assert.deepEqual(states(book), {one: 'duplicate', two: 'contradicted', a: 'duplicate', b: 'duplicate'});
    }));
});
