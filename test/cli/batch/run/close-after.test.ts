import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {closeAfter, withEnd, withResume} from '../../../../src/cli/batch/run/close-after.ts';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import {RemitError} from '../../../../src/errors.ts';

const same = (error: unknown) => error;

const NEXT = 'remit payouts batch run november -p prod';

describe('closing after work', () => {
  it('reports the error of the work, not that of the closing', async () => {
    const full = new RemitError('STATE', 'Could not commit a change');
    const work = () => Promise.reject(full);
    await assert.rejects(
      closeAfter(work, () => Promise.reject(new Error('Could not release the lock')), same),
      full,
    );
  });

  it('closes in any case, and gives what the work gave', async () => {
    let closed = 0;
    const close = () => Promise.resolve(void closed++);
    assert.equal(await closeAfter(() => Promise.resolve(7), close, same), 7);
    await assert.rejects(
      closeAfter(() => Promise.reject(new Error('no')), close, same),
      /no/,
    );
    assert.equal(closed, 2);
  });

  it('reports an error while closing if the work succeeded, with what the work gave', async () => {
    await assert.rejects(
      closeAfter(
        () => Promise.resolve(7),
        () => Promise.reject(new Error('Could not release the lock')),
        (error, done) => new Error(`${done} done: ${(error as Error).message}`),
      ),
      /^Error: 7 done: Could not release the lock$/,
    );
  });

  it('changes no other error than that of the local state', () => {
    const lost = new RemitError('LOCKED', 'the lock was taken by another process');
    assert.equal(withEnd(lost, {} as Summary, 'remit payouts batch status november'), lost);
  });
});

const COMMANDS = {next: NEXT, report: 'remit payouts batch report november'};

describe('a run that cannot write its journal', () => {
  it('names the batch, what may have happened and how to continue', () => {
    const full = new RemitError(
      'STATE',
      'Could not commit a change to journal.db: no space is left on its disk',
      {
        hint: 'make room on the disk',
        details: {errno: 'ENOSPC'},
      },
    );
    const error = withResume(full, 'november', COMMANDS) as RemitError;
    assert.match(error.message, /^batch november was stopped: Could not commit .* Rows may have been sent/);
    assert.equal(error.hint, NEXT);
    assert.deepEqual(error.details, {errno: 'ENOSPC', batch_id: 'november', next: NEXT});
    assert.equal(error.exitCode, 13);
  });

  it('does not change any other error', () => {
    const lost = new RemitError('LOCKED', 'the lock was taken by another process');
    assert.equal(withResume(lost, 'november', COMMANDS), lost);
  });
});
