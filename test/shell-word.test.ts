import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {posixWord, shellWord} from '../src/shell-word.ts';
import {activeIn} from './sanitize/canaries.ts';

/** What a shell makes of words. */
function read(shell: string, words: readonly string[]): string[] {
  const input = `printf '%s\\0' ${words.join(' ')}\n`;
  const {stdout, status, stderr} = spawnSync(shell, {input, env: {...process.env, LC_ALL: 'C.UTF-8'}});
  assert.equal(status, 0, String(stderr));
  return stdout.toString('utf8').split('\0').slice(0, -1);
}

const PRINTED = ['a', 'INV-1', 'a b', "it's", '$HOME `id` \\ !', '', '-x', 'é 水', '"'];
const UNPRINTED = [
  'one\ntwo',
  "a\r\n'b'\t\\",
  '\u001b[2J',
  '\u202e1',
  '\u200b2',
  'x\u2028Hint: run evil',
  '\u{e0041}f',
];

describe('a word of a command', () => {
  it('is read by bash as it was, and stays on its line', () => {
    const words = [...PRINTED, ...UNPRINTED];
    const shown = words.map(shellWord);
    assert.deepEqual(read('bash', shown), words);
    for (const word of shown) assert.deepEqual([activeIn(word), word.includes('\n')], [[], false]);
    assert.equal(shellWord('Amount\n(USD)'), "$'Amount\\n(USD)'");
  });

  it('in a script is read by every POSIX shell', () => {
    const words = [...PRINTED, ...UNPRINTED];
    assert.deepEqual(read('sh', words.map(posixWord)), words);
  });

  it('is quoted only if it has to be', () => {
    assert.deepEqual(['INV-1', 'a b', 'é'].map(shellWord), ['INV-1', "'a b'", "'é'"]);
  });
});
