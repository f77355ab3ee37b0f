import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import type {Match} from '../../../src/reconcile/model/finding.ts';
import {bruteForce} from '../brute-force.ts';
import {addAll, OPTIONS, withBook} from '../harness.ts';
import {smallWorld} from '../small-worlds.ts';

const WORLDS = Number(process.env['REMIT_SMALL_WORLDS'] ?? 400);
const AT_ONCE = 100;

describe('the rules, against brute force', () => {
  for (let first = 0; first < WORLDS; first += AT_ONCE)
    it(`find the same in worlds ${first} to ${first + AT_ONCE - 1} of up to 8 by 8`, () => compare(first));
});

const textOf = ({rule, state, lines, payments}: Match) =>
  `${rule} ${state} ${lines.join()} ${payments.join()}`;

async function compare(first: number): Promise<void> {
  const seeds = Array.from({length: AT_ONCE}, (_, index) => first + index);
  const rail = (seed: number) => (seed % 2 === 0 ? undefined : 'wire');
  const fees = [
    ...seeds.map((seed) => ({rail: rail(seed), fee: {currency: `W${seed}`, amount: 25n}})),
    {rail: 'standard_ach', fee: {basisPoints: 833n}}, // 25 of 300, and nearly 25 of others
  ];
  const options = {...OPTIONS, today: '2026-03-09', fees};
  await withBook((book) => {
    const worlds = seeds.map(smallWorld);
    book.addPayments(worlds.flatMap(({payments}) => payments));
    addAll(
      book,
      worlds.flatMap(({lines}) => lines),
    );
    book.match(options);
    const payments = new Map([...book.payments()].map(({payment: {key}, state}) => [key, state]));
    const lines = new Map([...book.lines()].map(({line: {key}, state}) => [key, state]));
    const matches = [...book.matches()];
    for (const [index, world] of worlds.entries()) {
      const own = new Set(world.lines.map(({key}) => key));
      assert.deepEqual(
        {
          payments: Object.fromEntries(world.payments.map(({key}) => [key, payments.get(key)])),
          lines: Object.fromEntries(world.lines.map(({key}) => [key, lines.get(key)])),
          matches: matches
            .filter((match) => own.has(match.lines[0]!))
            .map(textOf)
            .sort(),
        },
        sorted(
          bruteForce(world.payments, world.lines, {...options, fees: [fees[index]!, fees.at(-1)!]}),
          world,
        ),
        `seed ${seeds[index]}`,
      );
    }
  });
}

/** In the order in which the two were made. */
const sorted = (
  {payments, lines, matches}: ReturnType<typeof bruteForce>,
  world: ReturnType<typeof smallWorld>,
) => ({
  payments: Object.fromEntries(world.payments.map(({key}) => [key, payments[key]])),
  lines: Object.fromEntries(world.lines.map(({key}) => [key, lines[key]])),
  matches,
});
