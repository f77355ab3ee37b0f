import assert from 'node:assert/strict';
import fs, {existsSync, mkdirSync} from 'node:fs';
import {syncBuiltinESMExports} from 'node:module';
import {join} from 'node:path';
import {RemitError} from '../../../src/errors.ts';
import {makeFolder, syncWayTo} from '../../../src/store/files/folder.ts';
import {scratchFolder} from '../scratch-folder.ts';

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

describe('the way to a folder', () => {
  const folder = scratchFolder();

  it('ends at a folder in which we may not write', () => {
    const closed = join(folder(), 'closed');
    const ours = join(closed, 'ours');
    mkdirSync(ours, {recursive: true});
    const synced: string[] = [];
    const {accessSync, openSync} = fs;
    const replaced = {
      accessSync: (path: string, mode: number) => {
        if (path === closed) throw Object.assign(new Error(path), {code: 'EACCES'});
        accessSync(path, mode);
      },
      openSync: (path: string, flags: string) => {
        synced.push(path);
        return openSync(path, flags);
      },
    };
    Object.assign(fs, replaced);
    syncBuiltinESMExports();
    try {
      syncWayTo(ours);
    } finally {
      Object.assign(fs, {accessSync, openSync});
      syncBuiltinESMExports();
    }
    assert.deepEqual(synced, [ours]);
  });
});
