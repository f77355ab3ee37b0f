import assert from 'node:assert/strict';
import {canceledText, incompleteText} from '../../../src/batch/standing/end-words.ts';
import type {Summary} from '../../../src/batch/standing/summary.ts';

const NONE = {
  ...{planned: 300, accepted: 0, already_paid: 0, failed: 0, in_doubt: 0, unapproved: 0, rejected: 0},
  ...{canceled: 0, conflict: 0, staged: 0, not_sent: 0},
};
/** Only the counts are read. */
const summary = (counts: Partial<Summary>) => ({...NONE, ...counts}) as Summary;

describe('the end of a batch in words', () => {
  it('names every state that has a row, and no other', () => {
    assert.equal(
      incompleteText(summary({accepted: 53, unapproved: 246, rejected: 1})),
      '53 of 300 rows accepted; 246 not approved, 1 rejected',
    );
    assert.equal(
      incompleteText(
        summary({
          ...{planned: 1, already_paid: 2, failed: 1, in_doubt: 1, canceled: 1, conflict: 2},
          ...{staged: 1, not_sent: 1},
        }),
      ),
      '0 of 1 row accepted, of which 1 failed, 2 paid by another batch; ' +
        '1 in doubt, 1 canceled, 1 in conflict, 1 not released, 1 not sent',
    );
  });

  it('counts failed rows as a part of the accepted ones, and records that differ', () => {
    assert.equal(
      incompleteText(summary({planned: 3, accepted: 2, failed: 1, rejected: 1, differs: 1})),
      '2 of 3 rows accepted, of which 1 failed; 1 rejected; 1 record differs from its row',
    );
    assert.equal(
      incompleteText(summary({planned: 1, accepted: 1, failed: 1})),
      '1 of 1 row accepted, of which 1 failed',
    );
  });

  it('lists what was not canceled of a canceled batch', () => {
    assert.equal(
      canceledText(summary({canceled: 20, accepted: 1, in_doubt: 1, not_sent: 1})),
      '20 records canceled, 1 already released, 1 in doubt, 1 not sent; nothing more will be sent. To pay the canceled rows after all, run the file with another --batch-id',
    );
    assert.match(
      canceledText(summary({canceled: 1})),
      /^1 record canceled; nothing more will be sent\. To pay/,
    );
    assert.match(canceledText(summary({accepted: 1})), /nothing more will be sent$/);
  });
});
