import assert from 'node:assert/strict';
import {existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {RemitError} from '../../../src/errors.ts';
import {writeFileAtomic} from '../../../src/store/files/atomic-file.ts';
import {fileFailure, sqliteFailure} from '../../../src/store/files/failures.ts';
import {makeFolder} from '../../../src/store/files/folder.ts';
import {scratchFolder} from '../scratch-folder.ts';

const isState = (pattern: RegExp) => (error: unknown) =>
  error instanceof RemitError &&
  error.code === 'STATE' &&
  error.exitCode === 13 &&
  pattern.test(error.message);

describe('an atomic write', () => {
  const folder = scratchFolder();
  const path = () => join(folder(), 'status.json');

  it('makes a file of mode 0600, or of the mode asked for', () => {
    writeFileAtomic(path(), 'one');
    assert.equal(readFileSync(path(), 'utf8'), 'one');
    assert.equal(statSync(path()).mode & 0o777, 0o600);
    writeFileAtomic(path(), new Uint8Array([1, 2]), {mode: 0o640, durable: false});
    assert.deepEqual([...readFileSync(path())], [1, 2]);
    assert.equal(statSync(path()).mode & 0o777, 0o640);
  });

  it('replaces the file and never changes it: who has the old one open reads it to its end', () => {
    writeFileAtomic(path(), 'old');
    const before = statSync(path()).ino;
    writeFileAtomic(path(), 'new');
    assert.notEqual(statSync(path()).ino, before);
    assert.deepEqual(readdirSync(folder()), ['status.json']);
  });

  it('leaves nothing behind when it fails, and says what failed', () => {
    mkdirSync(join(path(), 'in the way'), {recursive: true});
    assert.throws(() => writeFileAtomic(path(), 'x'), isState(/^Could not write .*status\.json: /));
    assert.deepEqual(readdirSync(folder()), ['status.json']);
    assert.throws(
      () => writeFileAtomic(join(folder(), 'none', 'a'), 'x'),
      isState(/none\/a: its folder does not exist$/),
    );
  });
});

describe('a folder of remit', () => {
  const folder = scratchFolder();

  it('is readable by its owner only, and so are those made above it', () => {
    makeFolder(join(folder(), 'a', 'b'));
    assert.equal(statSync(join(folder(), 'a')).mode & 0o777, 0o700);
    assert.equal(statSync(join(folder(), 'a', 'b')).mode & 0o777, 0o700);
  });

  it('is refused below a file, with the true reason', () => {
    writeFileSync(join(folder(), 'f'), '');
    assert.throws(() => makeFolder(join(folder(), 'f', 'b')), isState(/a part of its path is a file/));
    assert.equal(existsSync(join(folder(), 'f', 'b')), false);
  });
});

describe('failures of files', () => {
  for (const [code, pattern] of Object.entries({
    ENOSPC: /no space is left/,
    EACCES: /permission denied/,
    EROFS: /read-only/,
    EIO: /disk reported/,
  })) {
    it(`say what ${code} means and what to do`, () => {
      const failure = fileFailure(Object.assign(new Error('raw'), {code}), 'write', '/x/y');
      assert.ok(isState(pattern)(failure), failure.message);
      assert.ok(failure.hint);
      assert.equal(failure.details?.['errno'], code);
    });
  }

  it('keep an error that is already a RemitError', () => {
    const told = new RemitError('LOCKED', 'held');
    assert.equal(fileFailure(told, 'write', 'x'), told);
    assert.equal(sqliteFailure(told, 'write', 'x'), told);
  });

  const messages: [string, string][] = [
    ['file is not a database', 'STATE_DAMAGED'],
    ['database disk image is malformed', 'STATE_DAMAGED'],
    ['malformed database schema (t)', 'STATE_DAMAGED'],
    ['database or disk is full', 'STATE'],
    ['attempt to write a readonly database', 'STATE'],
    ['unable to open database file', 'STATE'],
    ['Could not open the database "x"', 'STATE'],
    ['disk I/O error', 'STATE'],
    ['database is locked', 'LOCKED'],
  ];
  for (const [message, code] of messages) {
    it(`take SQLite's "${message}" for ${code}`, () => {
      const failure = sqliteFailure(new Error(message), 'change', '/x/y.db');
      assert.ok(failure instanceof RemitError);
      assert.equal(failure.code, code);
      assert.match(failure.message, /^Could not change \/x\/y\.db: /);
    });
  }

  it('do not change an error of SQL', () => {
    const error = new Error('no such table: t');
    assert.equal(sqliteFailure(error, 'change', 'x'), error);
  });
});
