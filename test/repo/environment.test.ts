import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {ENVIRONMENT} from '../../src/cli/help/pages.ts';
import {readText, sourcesUnder} from './tree.ts';

/** Variables that the code reads and the page leaves out. */
const UNLISTED: Readonly<Record<string, string>> = {
  HOME: 'set by the system',
  TERM: 'set by the terminal',
  SHELL: 'set by the system; the default of completion install',
  NODE_DEBUG: 'refused with a live key; the error names it',
  NODE_TLS_REJECT_UNAUTHORIZED: 'refused with a live key; the error names it',
};

const READS = /\benv(?:\?\.)?(?:\.|\[\s*['"])?([A-Z][A-Z0-9_]+)/g;
/** Names that are constants elsewhere. */
const NAMES = /['"]((?:REMIT|XDG)_[A-Z_]+)['"]/g;

const namesIn = (text: string): string[] =>
  [READS, NAMES].flatMap((pattern) => [...text.matchAll(pattern)].map(([, name]) => name!));

describe('help environment', () => {
  it('lists every variable that the code reads, and no other', () => {
    const texts = [
      ...sourcesUnder('src')
        .filter(({path}) => path !== 'src/cli/help/pages.ts')
        .map(({text}) => text),
      readText('bin/run.cjs'),
    ];
    const read = new Set(texts.flatMap(namesIn));
    const documented = [...Object.keys(ENVIRONMENT), ...Object.keys(UNLISTED)];
    assert.deepEqual([...read].sort(), documented.sort());
  });

  it('finds each way of reading one', () => {
    const text = `env.NO_COLOR; process.env.HOME; env['TERM']; runtime.env?.['USER']; const V = 'REMIT_X';`;
    assert.deepEqual(namesIn(text), ['NO_COLOR', 'HOME', 'TERM', 'USER', 'REMIT_X']);
  });
});
