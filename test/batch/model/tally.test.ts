import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {
  BUCKETS,
  DIFFERS_CODE,
  MAYBE_PAID_TWICE,
  type Outcome,
  openDoubt,
} from '../../../src/batch/model/outcome.ts';
import {countOutcome, emptyTally, type Standing} from '../../../src/batch/model/tally.ts';

const standing = (): Standing => ({
  ...{
    tally: emptyTally(),
    statuses: {},
    held: 0,
    canceled: 0,
    differs: 0,
    maybePaidTwice: 0,
    replaced: 0,
    orphans: [],
  },
});
const outcome = (facts: Partial<Outcome>): Outcome => ({...openDoubt(1, 0), ...facts});

describe('the counts of rows by outcome', () => {
  it('count held, canceled and accepted rows, each once', () => {
    const counts = standing();
    for (const facts of [
      {state: 'held'},
      {state: 'dead_key', status: 'canceled'},
      {state: 'accepted', status: 'settled'},
      {state: 'accepted', status: 'settled', code: DIFFERS_CODE},
      {state: 'accepted', status: null, ...MAYBE_PAID_TWICE},
      {state: 'dead_key', status: 'failed'},
      {state: 'unapproved', status: 'created', code: DIFFERS_CODE},
    ] as const)
      countOutcome(counts, outcome(facts), 1);
    const {statuses, held, canceled, differs, maybePaidTwice} = counts;
    assert.deepEqual(
      {held, canceled, differs, maybePaidTwice},
      {held: 1, canceled: 1, differs: 2, maybePaidTwice: 1},
    );
    assert.deepEqual(statuses, {settled: 2});
  });

  it('subtract what they added, for every state', () => {
    for (const state of [...BUCKETS, 'held', 'dead_key', 'collision'] as const)
      for (const status of [null, 'settled', 'canceled'])
        for (const code of [null, DIFFERS_CODE]) {
          const counts = standing();
          countOutcome(counts, outcome({state, status, code}), 1);
          countOutcome(counts, outcome({state, status, code}), -1);
          const {statuses, ...rest} = counts;
          assert.deepEqual(
            Object.values(statuses).filter((count) => count !== 0),
            [],
          );
          const {statuses: none, ...empty} = standing();
          assert.deepEqual([rest, none], [empty, {}]);
        }
  });
});
