import assert from 'node:assert/strict';
import {emptyTally} from '../../../src/batch/model/tally.ts';
import {BUCKETS, bucketOf, type RowState} from '../../../src/batch/model/outcome.ts';
import {exitCodeOf, isWhole, summarise, type Summary} from '../../../src/batch/standing/summary.ts';
import type {Plan} from '../../../src/batch/model/plan-facts.ts';
import type {RunStop} from '../../../src/batch/model/stop.ts';

const PLAN = {
  batchId: 'b1',
  revision: 2,
  kind: 'payout',
  planHash: 'h',
  figures: {rows: 4, totals: {USD: '90071992547409.94', JPY: '7'}},
} as unknown as Plan;

function standing() {
  const tally = emptyTally();
  tally.accepted.count = 2;
  tally.accepted.totals.add('USD', 9007199254740991n).add('JPY', 7n);
  tally.in_doubt.count = 2;
  tally.in_doubt.totals.add('USD', 3n);
  return {
    tally,
    statuses: {settled: 1, failed: 1},
    held: 0,
    canceled: 0,
    differs: 0,
    maybePaidTwice: 0,
    replaced: 0,
    orphans: [],
  };
}

const summaryWith = (changes: Partial<Summary> & {reason?: RunStop['reason']}): Summary => {
  const zero = Object.fromEntries(BUCKETS.map((bucket) => [bucket, 0]));
  const {reason, ...rest} = changes;
  const stopped = reason === undefined ? null : {reason, message: 'm'};
  return {
    ...({...zero, held: 0, differs: 0, failed: 0, state: 'incomplete'} as unknown as Summary),
    stopped_because: stopped,
    ...rest,
  };
};

describe('the summary of a batch', () => {
  it('has every row in exactly one bucket and every cent in exactly one sum', () => {
    const summary = summarise(PLAN, standing(), {
      ...{state: 'complete', mode: 'test', posts: 3, elapsedMs: 1.4, next: null},
    });
    assert.deepEqual(
      [
        summary.planned,
        summary.accepted,
        summary.in_doubt,
        summary.settled,
        summary.failed,
        summary.revision,
      ],
      [4, 2, 2, 1, 1, 2],
    );
    assert.deepEqual(summary.totals, {
      USD: {
        ...Object.fromEntries(BUCKETS.map((bucket) => [bucket, '0.00'])),
        ...{planned: '90071992547409.94', accepted: '90071992547409.91', in_doubt: '0.03'},
      },
      JPY: {...Object.fromEntries(BUCKETS.map((bucket) => [bucket, '0'])), planned: '7', accepted: '7'},
    });
  });

  it('is complete only if counts and sums equal the plan', () => {
    assert.ok(isWhole(PLAN, standing().tally));
    const oneMore = standing().tally;
    oneMore.staged.count++;
    assert.ok(!isWhole(PLAN, oneMore));
    const oneCent = standing().tally;
    oneCent.in_doubt.totals.add('USD', 1n);
    assert.ok(!isWhole(PLAN, oneCent));
    const otherCurrency = standing().tally;
    otherCurrency.in_doubt.totals.add('EUR', 1n);
    assert.ok(!isWhole(PLAN, otherCurrency));
    const less = standing().tally;
    less.accepted.totals.subtract('JPY', 7n);
    assert.ok(!isWhole(PLAN, less));
  });

  it('puts each state into one bucket', () => {
    const states: Record<RowState, (typeof BUCKETS)[number]> = {
      staged: 'staged',
      held: 'staged',
      accepted: 'accepted',
      already_paid: 'already_paid',
      unapproved: 'unapproved',
      rejected: 'rejected',
      dead_key: 'conflict',
      conflict: 'conflict',
      collision: 'conflict',
      in_doubt: 'in_doubt',
      not_sent: 'not_sent',
    };
    for (const [state, bucket] of Object.entries(states)) assert.equal(bucketOf(state as RowState), bucket);
  });

  // From the most severe to the least; each beats all that follow.
  const order: [string, Parameters<typeof summaryWith>[0], number][] = [
    ['a journal that is not whole', {reason: 'not-whole'}, 13],
    ['rows in doubt', {in_doubt: 1}, 12],
    ['credentials', {reason: 'credentials'}, 3],
    ['a collision', {reason: 'collision'}, 6],
    ['a breaker', {reason: 'failing'}, 7],
    ['rejected rows', {rejected: 1}, 8],
    ['nothing', {}, 0],
  ];
  for (const [index, [what, changes, code]] of order.entries()) {
    it(`means exit ${code} for ${what}`, () => {
      assert.equal(exitCodeOf(summaryWith(changes)), code);
      for (const [, milder] of order.slice(index + 1))
        assert.equal(exitCodeOf(summaryWith({...milder, ...changes})), code);
    });
  }

  for (const [reason, code] of [
    ['key-forgotten', 6],
    ['refused-at-first', 7],
    ['redirect', 7],
    ['unreachable', 7],
    ['rate-limited', 7],
    ['probe', 7],
    ['interrupted', 130],
    ['terminated', 143],
  ] as [RunStop['reason'], number][]) {
    it(`means exit ${code} when the run was stopped by ${reason}`, () => {
      assert.equal(exitCodeOf(summaryWith({reason, not_sent: 3, rejected: 1})), code);
      const isSignal = code > 128; // as of a single write that is interrupted: the user knows
      assert.equal(exitCodeOf(summaryWith({reason, in_doubt: 1})), isSignal ? code : 12);
    });
  }

  for (const changes of [
    {unapproved: 1},
    {conflict: 1},
    {held: 1, staged: 1},
    {differs: 1, accepted: 1},
    {state: 'held' as const, staged: 1},
  ])
    it(`means exit 8 with ${JSON.stringify(changes)}`, () =>
      assert.equal(exitCodeOf(summaryWith(changes)), 8));

  for (const changes of [{accepted: 3}, {already_paid: 3}, {staged: 3, state: 'staged' as const}])
    it(`means exit 0 with ${JSON.stringify(changes)}`, () =>
      assert.equal(exitCodeOf(summaryWith(changes)), 0));
});
