import assert from 'node:assert/strict';
import {mkdirSync, mkdtempSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {brotliCompressSync} from 'node:zlib';
import {describe, it} from 'mocha';
import {readableStack} from '../../../src/cli/core/readable-stack.ts';

describe('readableStack', () => {
  const dist = join(mkdtempSync(join(tmpdir(), 'remit-frames-')), 'dist');
  mkdirSync(dist);
  const starts = [
    [10, 1, 'src/a.ts', {e: 'Runner', t: 'doIt', '#a': '#send', constructor: 'no'}],
    [12, 50, 'src/b.ts', {t: 'other'}],
  ];
  writeFileSync(join(dist, 'frames.json.br'), brotliCompressSync(JSON.stringify({'rest.cjs': starts})));
  const shown = (...frames: string[]) => {
    const error = new Error('no');
    error.stack = ['Error: no', ...frames.map((frame) => `    at ${frame}`)].join('\n');
    return readableStack(error)!
      .split('\n')
      .slice(1)
      .map((line) => line.trim());
  };
  const at = (place: string) => join(dist, `rest.cjs:${place}`);

  it('has the names and files of the source', () => {
    assert.deepEqual(
      shown(`e.run (${at('11:7')})`, `async t (${at('13:49')})`, `new t (${at('13:50')})`, at('900:1')),
      [
        'at Runner.run (src/a.ts, rest.cjs:11:7)',
        'at async doIt (src/a.ts, rest.cjs:13:49)',
        'at new other (src/b.ts, rest.cjs:13:50)',
        'at (src/b.ts, rest.cjs:900:1)',
      ],
    );
    assert.deepEqual(shown(`e.#a (${at('12:1')})`, `Object.t [as x] (${at('12:1')})`), [
      'at Runner.#send (src/a.ts, rest.cjs:12:1)',
      'at Object.t [as x] (src/a.ts, rest.cjs:12:1)',
    ]);
  });

  it('keeps other frames, and those before the first file', () => {
    const others = ['foo (/x/bin/run.cjs:1:2)', 'async Promise.all (index 0)', 'node:fs:1:2'];
    assert.deepEqual(
      shown(...others),
      others.map((frame) => `at ${frame}`),
    );
    assert.deepEqual(shown(`t (${at('2:9')})`), ['at t (rest.cjs:2:9)']);
  });

  it('leaves out lines of code, and shortens the message', () => {
    const error = new Error('no');
    error.stack = `Error: ${'x'.repeat(60_000)}\n${'code'.repeat(9_000)}\n    ^\n    at a (/b.js:1:2)`;
    assert.equal(readableStack(error), `Error: ${'x'.repeat(293)}\n    at a (/b.js:1:2)`);
    assert.equal(readableStack('no error'), undefined);
  });
});
