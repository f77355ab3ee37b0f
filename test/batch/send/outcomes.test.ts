import assert from 'node:assert/strict';
import fc from 'fast-check';
import type {JournalRow} from '../../../src/batch/journal/rows/row.ts';
import {bucketBefore} from '../../../src/batch/answers/outcome-of.ts';
import {DIFFERS_CODE, type Outcome} from '../../../src/batch/model/outcome.ts';
import type {Standing} from '../../../src/batch/model/tally.ts';
import type {Claims} from '../../../src/batch/registry/claim.ts';
import {Outcomes} from '../../../src/batch/send/outcomes.ts';
import {must} from '../../../src/narrow.ts';
import {Bench} from '../harness.ts';

const ROWS = 4;

const noClaims: Claims = {
  mark: undefined,
  claim: () => {},
  keep: () => {},
  paidByOthers: () => new Map(),
  older: () => {},
  free: () => {},
  usedForOtherContent: () => new Set(),
  paid: () => {},
  ended: () => {},
  withdrawPaid: () => {},
  hasEnded: () => Promise.resolve(false),
  found: () => {},
  formerRecords: () => new Map(),
  ofOther: () => undefined,
  holderOf: () => undefined,
  hasOtherScopes: false,
  flush: () => {},
};

type Step = Pick<Outcome, 'n' | 'state' | 'status' | 'code' | 'orphan'>;

const step: fc.Arbitrary<Step> = fc.record({
  n: fc.integer({min: 1, max: ROWS}),
  state: fc.constantFrom<Outcome['state'][]>(
    'staged',
    'held',
    'accepted',
    'already_paid',
    'unapproved',
    'rejected',
    'dead_key',
    'conflict',
    'collision',
    'in_doubt',
    'not_sent',
  ),
  status: fc.constantFrom(null, 'created', 'settled', 'failed', 'canceled'),
  code: fc.constantFrom(null, DIFFERS_CODE),
  orphan: fc.constant(null),
});

/** Without names whose count has become 0, and with sums as text. */
const comparable = ({tally, statuses, ...rest}: Standing) => ({
  ...rest,
  statuses: Object.fromEntries(Object.entries(statuses).filter(([, count]) => count !== 0)),
  tally: Object.entries(tally).map(([bucket, {count, totals}]) => [
    bucket,
    count,
    count === 0 ? {} : totals.toMajor(),
  ]),
});

describe('the counts of a run', () => {
  it('are those that the journal has, whatever outcomes its rows had before', async () => {
    const bench = new Bench();
    await bench.plan(bench.payouts(ROWS));
    await bench.inJournal(async ({journal}) => {
      const outcomes = new Outcomes({
        journal,
        claims: noClaims,
        clock: bench.clock,
        assertHeld: () => undefined,
      });
      const settle = ({n, ...facts}: Step) => {
        const row: JournalRow = must(journal.rows.of(`INV-${n}`), 'row');
        outcomes.record(row, bucketBefore(row, false), {
          ...{n: row.n, id: null, stagedAt: null, http: null, message: null, requestId: null, attempts: 1},
          ...facts,
        });
        outcomes.flush();
      };
      fc.assert(
        fc.property(fc.array(step, {minLength: 1, maxLength: 12}), (steps) => {
          for (const one of steps) settle(one);
          assert.deepEqual(comparable(outcomes.standing), comparable(journal.standing()));
        }),
        {numRuns: 60},
      );
    });
    bench.remove();
  });
});
