import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {statusComparisonsIn} from './status-comparisons.ts';
import {sourcesUnder} from './tree.ts';

/** The contract has the statuses, the sandbox moves records by them, and the batch engine is not changed. */
const FREE =
  /^src\/(?:contract|sandbox|batch\/(?:registry|run|repair|answers|send|standing|journal|model))\//;

/** What is left, with the reason. */
const LEFT = [
  'src/cli/resources/balance-history.ts', // the status of a bank transaction, which has no lifecycle
];

describe('statuses in src', () => {
  it('are compared by the contract: hasSucceeded, isBadEnd, isFinal, hasFailed, wasCanceled, or the initial one', () => {
    const sources = sourcesUnder('src').filter(({path}) => !FREE.test(path) && !LEFT.includes(path));
    assert.deepEqual(statusComparisonsIn(sources), []);
  });

  it('are found in each form', () => {
    const text = `
      const a = status === 'failed' || 'settled' !== row.status;
      const b = ['created', 'canceled'].includes(c) || new Set(['failed', 'canceled']).has(d);
      const e = verdict === 'verified' || state === 'failed' || ['created', 'canceled'];
      switch (record.status) { case 'approved': }`;
    assert.deepEqual(statusComparisonsIn([{path: 'a.ts', text}]), [
      'a.ts:2',
      'a.ts:2',
      'a.ts:3',
      'a.ts:3',
      'a.ts:5',
    ]);
  });
});
