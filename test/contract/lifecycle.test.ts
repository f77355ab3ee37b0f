import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {
  ACCOUNT_TRANSFER_STATUSES,
  LIFECYCLES,
  MOVE_STATUSES,
  TRANSFER_STATUSES,
  VERIFICATION_STATUSES,
  canReach,
  isFinal,
  statusesBefore,
  type Lifecycle,
} from '../../src/contract/lifecycle.ts';

const all = Object.entries(LIFECYCLES) as [string, Lifecycle][];

function flaws({initial, next, good}: Lifecycle): string[] {
  const statuses = Object.keys(next);
  const finals = statuses.filter((status) => next[status]?.length === 0);
  const follows = (from: string, to: string) => canReach({initial, next, good} as Lifecycle, from, to);
  return [
    ...(statuses.includes(initial) ? [] : [`begins in the unknown ${initial}`]),
    ...statuses.flatMap((from) =>
      next[from]!.filter((to) => !statuses.includes(to)).map((to) => `${from} leads to the unknown ${to}`),
    ),
    ...statuses.filter((status) => !follows(initial, status)).map((status) => `${status} is never reached`),
    ...statuses
      .filter((status) => !finals.some((final) => follows(status, final)))
      .map((status) => `${status} never ends`),
    ...statuses
      .filter((status) => next[status]!.some((to) => follows(to, status)))
      .map((status) => `${status} can come again`),
    ...good.filter((status) => !finals.includes(status)).map((status) => `${status} is good but not final`),
    ...(good.length > 0 ? [] : ['no end is good']),
  ];
}

describe('lifecycles', () => {
  /** A payment method can be used, and later turn out to be bad. */
  const known: Readonly<Record<string, string[]>> = {paymentMethod: ['verified is good but not final']};
  for (const [name, lifecycle] of all)
    it(`of a ${name} is sound`, () => assert.deepEqual(flaws(lifecycle), known[name] ?? []));

  it('are caught when they are not', () => {
    const sound: Lifecycle = {
      initial: 'a',
      next: {a: ['b', 'c'], b: ['c'], c: []},
      good: ['c'],
      origin: {kind: 'assumed', row: 4},
    };
    assert.deepEqual(flaws(sound), []);
    assert.deepEqual(flaws({...sound, next: {...sound.next, b: ['d']}}), [
      'b leads to the unknown d',
      'b never ends',
    ]);
    assert.deepEqual(flaws({...sound, next: {a: ['c'], b: ['c'], c: []}}), ['b is never reached']);
    assert.deepEqual(flaws({...sound, next: {a: ['b', 'c'], b: ['a'], c: []}}), [
      'a can come again',
      'b can come again',
    ]);
    assert.deepEqual(flaws({...sound, good: ['b']}), ['b is good but not final']);
    assert.deepEqual(flaws({...sound, good: []}), ['no end is good']);
    assert.deepEqual(flaws({...sound, initial: 'z'}).at(0), 'begins in the unknown z');
  });

  it('know the statuses of the interface document and no other', () => {
    const statuses = ['created', 'canceled', 'approved', 'initiated', 'debited', 'settled', 'failed'];
    assert.deepEqual([...TRANSFER_STATUSES], statuses);
    assert.deepEqual(Object.keys(LIFECYCLES.payin.next).sort(), [...statuses].sort());
    assert.deepEqual(Object.keys(LIFECYCLES.payout.next).sort(), [...statuses].sort());
    assert.deepEqual([...MOVE_STATUSES], ['CREATED', 'SETTLED']);
    assert.deepEqual(Object.keys(LIFECYCLES.move.next), [...MOVE_STATUSES]);
    const transfer = ['created', 'approved', 'initiated', 'settled', 'failed'];
    assert.deepEqual([...ACCOUNT_TRANSFER_STATUSES], transfer);
    assert.deepEqual(Object.keys(LIFECYCLES.accountTransfer.next), transfer);
    assert.deepEqual(Object.keys(LIFECYCLES.paymentMethod.next), [...VERIFICATION_STATUSES]);
  });

  it('end a transfer in settled, canceled or failed', () => {
    const finals = TRANSFER_STATUSES.filter((status) => isFinal(LIFECYCLES.payout, status));
    assert.deepEqual(finals, ['canceled', 'settled', 'failed']);
    assert.deepEqual([...LIFECYCLES.payout.good], ['settled']);
  });

  it('never take an unknown status for an end', () => {
    assert.equal(isFinal(LIFECYCLES.payout, 'returned'), false);
    assert.equal(isFinal(LIFECYCLES.payout, 'toString'), false);
    assert.equal(isFinal(LIFECYCLES.payout, '__proto__'), false);
  });

  it('let a verified payment method fail, as the sandbox does (assumption 65)', () => {
    assert.deepEqual(statusesBefore(LIFECYCLES.paymentMethod, 'failed'), ['pending', 'verified']);
    assert.deepEqual(statusesBefore(LIFECYCLES.paymentMethod, 'verified'), ['pending']);
    assert.deepEqual(statusesBefore(LIFECYCLES.paymentMethod, 'pending'), []);
  });

  it('say which status can still come', () => {
    assert.equal(canReach(LIFECYCLES.payout, 'created', 'settled'), true);
    assert.equal(canReach(LIFECYCLES.payout, 'initiated', 'canceled'), false);
    assert.equal(canReach(LIFECYCLES.payout, 'settled', 'settled'), true);
    assert.equal(canReach(LIFECYCLES.payout, 'failed', 'settled'), false);
    assert.equal(canReach(LIFECYCLES.payout, 'unknown', 'settled'), false);
  });
});
