import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {closeAfter, withResume} from '../../../../src/cli/batch/run/close-after.ts';
import {RemitError} from '../../../../src/errors.ts';

const NEXT = 'remit payouts batch resume november -p prod';

describe('closing after work', () => {
  it('reports the error of the work, not that of the closing', async () => {
    const full = new RemitError('STATE', 'Could not commit a change');
    const work = () => Promise.reject(full);
    await assert.rejects(
      closeAfter(work, () => Promise.reject(new Error('Could not release the lock'))),
      full,
    );
  });

  it('closes in any case, and gives what the work gave', async () => {
    let closed = 0;
    const close = () => Promise.resolve(void closed++);
    assert.equal(await closeAfter(() => Promise.resolve(7), close), 7);
    await assert.rejects(
      closeAfter(() => Promise.reject(new Error('no')), close),
      /no/,
    );
    assert.equal(closed, 2);
  });

  it('reports an error while closing if the work succeeded', async () => {
    await assert.rejects(
      closeAfter(
        () => Promise.resolve(7),
        () => Promise.reject(new Error('Could not release the lock')),
      ),
      /release the lock/,
    );
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
