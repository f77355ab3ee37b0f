import assert from 'node:assert/strict';
import {fileFailure, sqliteFailure} from '../../../src/store/files/failures.ts';
import type {RemitError} from '../../../src/errors.ts';

describe('a failed file operation', () => {
  const denied = Object.assign(new Error('EACCES: permission denied'), {code: 'EACCES'});

  it('names the folder to look at, as one word of a shell', () => {
    assert.equal(
      fileFailure(denied, 'write', '/srv/my state/a.db').hint,
      "check who owns the file and its folder: ls -la '/srv/my state'",
    );
  });

  it('does so for a database too', () => {
    const failed = sqliteFailure(
      new Error('attempt to write a readonly database'),
      'write',
      '/srv/remit/a.db',
    );
    assert.equal((failed as RemitError).hint, 'check who owns the file and its folder: ls -la /srv/remit');
  });
});
