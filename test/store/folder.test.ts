import assert from 'node:assert/strict';
import {existsSync} from 'node:fs';
import {RemitError} from '../../src/errors.ts';
import {makeFolder} from '../../src/store/folder.ts';

describe('a folder where the system knows none', () => {
  it('is refused, and not tried for ever', () => {
    if (!existsSync('/proc/version')) return;
    assert.throws(
      () => makeFolder('/proc/remit/a/b'),
      (error) =>
        error instanceof RemitError &&
        error.code === 'STATE' &&
        error.message.startsWith('Could not make the folder /proc/remit/a/b:'),
    );
  });
});
