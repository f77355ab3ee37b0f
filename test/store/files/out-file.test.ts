import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {RemitError} from '../../../src/errors.ts';
import {writeOutFile} from '../../../src/store/files/out-file.ts';

const isRefusal = (words: RegExp, hint: RegExp) => (error: unknown) =>
  error instanceof RemitError &&
  error.code === 'STATE' &&
  words.test(error.message) &&
  hint.test(String(error.hint));

describe('a file that a flag names', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'remit-out-'));
    path = join(folder, 'out.csv');
  });
  afterEach(() => rmSync(folder, {recursive: true, force: true}));

  it('is complete, readable only by its owner, and the only file that is left', async () => {
    await writeOutFile(path, ['one\n', 'two\n']);
    assert.equal(readFileSync(path, 'utf8'), 'one\ntwo\n');
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder), ['out.csv']);
  });

  it('keeps its earlier contents if a piece fails', async () => {
    writeFileSync(path, 'earlier');
    const pieces = function* () {
      yield 'half';
      throw new Error('the next page failed');
    };
    await assert.rejects(writeOutFile(path, pieces()), /the next page failed/);
    assert.equal(readFileSync(path, 'utf8'), 'earlier');
    assert.deepEqual(readdirSync(folder), ['out.csv']);
  });

  it('is not written through a link, even one that leads nowhere', async () => {
    symlinkSync(join(folder, 'nowhere'), path);
    await assert.rejects(writeOutFile(path, ['x'], '--html'), isRefusal(/symbolic link/, /with --html/));
    assert.deepEqual(readdirSync(folder), ['out.csv']);
  });

  it('is written to, and not replaced, if it is a device or a pipe', async () => {
    await writeOutFile('/dev/null', ['x']);
    assert.ok(statSync('/dev/null').isCharacterDevice());
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const reader = spawn('cat', [pipe], {stdio: ['ignore', 'pipe', 'inherit']});
    const read: Buffer[] = [];
    reader.stdout.on('data', (chunk: Buffer) => read.push(chunk));
    const closed = once(reader, 'close');
    await writeOutFile(pipe, ['one\n', 'two\n']);
    await closed;
    assert.equal(Buffer.concat(read).toString(), 'one\ntwo\n');
    assert.ok(statSync(pipe).isFIFO());
  });

  it('names a folder, or a missing folder, that cannot be written', async () => {
    await assert.rejects(writeOutFile(folder, ['x']), isRefusal(/it is a folder/, /name a file/));
    await assert.rejects(writeOutFile(join(folder, 'no', 'x'), ['x']), isRefusal(/does not exist/, /path/));
  });
});
