import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import type {FoundPayment} from '../../../src/reconcile/book/findings.ts';
import type {BankLine} from '../../../src/reconcile/model/line.ts';
import type {ExpectedPayment} from '../../../src/reconcile/model/payment.ts';
import {Dice} from '../../sim/random.ts';
import {addAll, type Found, newFolder, OPTIONS, READ, readFound, withBook} from '../harness.ts';
import {smallWorld} from '../small-worlds.ts';
import {worldOf} from '../worlds.ts';

const TODAY = {...OPTIONS, today: '2026-06-30'};
const SMALL = Array.from({length: 60}, (_, n) => smallWorld(n));
const LARGE = Array.from({length: 22}, (_, n) => worldOf(n));
const ALL = {
  payments: [...SMALL, ...LARGE].flatMap(({payments}) => payments),
  lines: [...SMALL, ...LARGE].flatMap(({lines}) => lines),
};

const found = (payments: readonly ExpectedPayment[], lines: readonly BankLine[]): Promise<Found> =>
  withBook((book) => {
    book.addPayments(payments);
    addAll(book, lines);
    return readFound(book, book.match(TODAY));
  });

function shuffled<T>(all: readonly T[], seed: number): T[] {
  const dice = new Dice(seed, 'order');
  return all
    .map((each) => ({each, at: dice.next()}))
    .sort((a, b) => a.at - b.at)
    .map(({each}) => each);
}

describe('a match', () => {
  it('does not depend on the order of lines and payments', async () => {
    const expected = await found(ALL.payments, ALL.lines);
    for (const seed of [1, 2])
      assert.deepEqual(await found(shuffled(ALL.payments, seed), shuffled(ALL.lines, seed)), expected);
  });

  it('does not depend on how the period was split, and a second run finds the same', async () => {
    const expected = await found(ALL.payments, ALL.lines);
    await withBook(async (_, folder) => folder).then(async (folder) => {
      await withBook((book) => {
        book.addPayments(ALL.payments.slice(0, 100));
        for (const [from, to] of [
          ['2026-03-10', '2026-12-31'],
          ['2020-01-01', '2026-03-09'],
        ] as const)
          for (const account of new Set(ALL.lines.map((each) => each.account))) {
            const its = ALL.lines.filter(
              (each) => each.account === account && each.bookingDay >= from && each.bookingDay <= to,
            );
            book.addLines(its, {...READ, account, from, to});
          }
        book.match({...TODAY, today: '2026-03-09'});
        book.addPayments(ALL.payments.slice(50));
      }, folder);
      // In another process.
      await withBook((book) => {
        for (const time of ['first', 'second'])
          assert.deepEqual(readFound(book, book.match(TODAY)), expected, time);
        addAll(book, ALL.lines);
        assert.deepEqual(readFound(book, book.match(TODAY)), expected, 'read again');
      }, folder);
    });
  });

  it('moves only the payment of a line that is removed, added or altered', async () => {
    const world = LARGE.find(({dialect}) => dialect === 'id')!;
    const before = await found(world.payments, world.lines);
    const proven = world.lines.filter(({key}) => {
      const of = world.truth.get(key)!;
      return (
        of.role === 'paid' &&
        world.provable.has(of.payments[0]!) &&
        !world.provablyReturned.has(of.payments[0]!)
      );
    });
    assert.ok(proven.length > 5);
    for (const line of proven.slice(0, 2)) {
      const key = world.truth.get(line.key)!.payments[0]!;
      const without = world.lines.filter((each) => each !== line);
      const altered = [...without, {...line, amount: line.amount - 1n}];
      const doubled = [...world.lines, {...line, key: `${line.key} again`}];
      for (const [lines, state] of [
        [without, /contradicted|ambiguous/],
        [altered, /amount_differs/],
        [doubled, /duplicate/],
      ] as const) {
        const after = await found(world.payments, lines);
        assert.match((JSON.parse(after.payments[key]!) as FoundPayment).state, state);
        const moved = world.payments
          .map((each) => each.key)
          .filter((each) => after.payments[each] !== before.payments[each]);
        assert.deepEqual(moved, [key]);
      }
    }
  });

  it('confirms or releases no other payment after such a change, in any dialect of a bank', async () => {
    let changes = 0;
    for (const world of LARGE.slice(0, 11)) {
      const confirmed = async (lines: readonly BankLine[]) => {
        const {payments} = await found(world.payments, lines);
        return world.payments.map(({key}) => {
          const {match, returned} = JSON.parse(payments[key] ?? '') as FoundPayment;
          return {
            key,
            lines: [match?.state === 'matched' ? match.lines : [], returned?.lines ?? []].join(';'),
          };
        });
      };
      const before = new Map((await confirmed(world.lines)).map(({key, lines}) => [key, lines]));
      const proven = world.lines.filter(({key}) => {
        const {role, payments} = world.truth.get(key)!;
        return role === 'paid' && world.provable.has(payments[0]!);
      });
      for (const line of proven.slice(0, 2)) {
        const without = world.lines.filter((each) => each !== line);
        const altered = [...without, {...line, amount: line.amount - 1n}];
        for (const lines of [without, altered, [...world.lines, {...line, key: `${line.key} again`}]]) {
          const moved = (await confirmed(lines)).filter((now) => before.get(now.key) !== now.lines);
          assert.deepEqual(
            moved.map(({key}) => key),
            [world.truth.get(line.key)!.payments[0]],
            world.dialect,
          );
          changes += 1;
        }
      }
    }
    assert.ok(changes > 20, String(changes));
  });

  it('follows a line that a later read changes, drops or has again', async () => {
    const world = LARGE.find(({dialect}) => dialect === 'id')!;
    const [line] = world.lines.filter(({key}) => world.provable.has(world.truth.get(key)!.payments[0]!));
    const key = world.truth.get(line!.key)!.payments[0]!;
    const read = {...READ, account: line!.account};
    const others = world.lines.filter((each) => each !== line);
    await withBook((book) => {
      book.addPayments(world.payments);
      const stateAfter = (lines: readonly BankLine[]) => {
        const counts = book.addLines(lines, read);
        book.match(TODAY);
        const [payment] = book.payments({key});
        const [its] = book.lines({key: line!.key});
        return [counts, payment!.state, its!.state];
      };
      const all = world.lines.length;
      const none = {added: 0, known: all, changed: 0, gone: 0};
      assert.deepEqual(stateAfter(world.lines), [{...none, added: all, known: 0}, 'matched', 'matched']);
      assert.deepEqual(stateAfter(others), [{...none, known: all - 1, gone: 1}, 'contradicted', 'changed']);
      assert.deepEqual(stateAfter(world.lines), [none, 'matched', 'matched']);
      const other = [...others, {...line!, amount: line!.amount - 1n}];
      assert.deepEqual(stateAfter(other), [
        {...none, known: all - 1, changed: 1},
        'amount_differs',
        'amount_differs',
      ]);
      assert.deepEqual(stateAfter([...others, {...other.at(-1)!, texts: []}]), [
        ...[{...none, known: all - 1, changed: 1}, 'contradicted', 'changed'],
      ]);
    }, newFolder());
  });
});
