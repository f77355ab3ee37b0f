import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {type Module, moduleOf, unusedExports} from './exports.ts';
import {sourcesUnder} from './tree.ts';

const modulesUnder = (folder: string, ...extensions: string[]): Module[] =>
  extensions.flatMap((extension) => sourcesUnder(folder, extension).map(moduleOf));

/** Exports for the world outside: of the library, and of the two bundles (`bin/bundle.mjs`). */
const FACES = [
  'src/automation/index.ts',
  'src/library/index.ts',
  'src/sandbox/index.ts',
  'src/webhooks/index.ts',
  'src/cli/core/start.ts',
  'src/cli/completion/callback.ts',
];

/**
 * Names that are declared in two files and mean the same in both, or that each reader sees beside one of them only. A
 * new one needs a reason: a reader who searches for a word finds one notion.
 */
const TWICE: Readonly<Record<string, readonly string[]>> = {
  'the face of the library has the name that its users expect': [
    'BatchRun',
    'startSandbox',
    'MAX_BODY_BYTES',
  ],
  'a vocabulary whose words stand beside each other: parts of a page, columns, rows of SQL, flags': [
    ...['moment', 'time', 'count', 'text', 'duration'],
  ],
  'the same question of a stored payment, and of an entry of the registry': [
    ...['isSamePayment', 'contentOf', 'isBeingSent'],
  ],
  'the same act at another depth': [
    'readRecord',
    'makeFolder',
    'failureOf',
    'toWire',
    'progressLine',
    'Gate',
  ],
  'one limit for what is read, one for what is shown': ['MOST_LEVELS'],
  'of rows, of secrets; of a batch, of help': ['factsOf', 'placeOf'],
  'passed on to the columns of lists': ['plainValue'],
};

describe('exports', () => {
  it('have one name for one thing, except for a reason', () => {
    // A schema has the name of what it describes.
    const src = modulesUnder('src', '.ts').filter(
      ({path}) => !FACES.includes(path) && !/^src\/(contract\/schemas|cli\/help\/outputs)\//.test(path),
    );
    const declared = new Map<string, string[]>();
    for (const {path, exported} of src)
      for (const name of exported.keys()) declared.set(name, [...(declared.get(name) ?? []), path]);
    const twice = [...declared].filter(([, paths]) => paths.length > 1);
    const allowed = Object.values(TWICE).flat();
    assert.deepEqual(
      twice
        .filter(([name]) => !allowed.includes(name))
        .map(([name, paths]) => `${name}: ${paths.join(', ')}`),
      [],
    );
    assert.deepEqual(
      allowed.filter((name) => !twice.some(([found]) => found === name)),
      [],
      'no longer declared twice',
    );
    assert.ok(allowed.length <= 21);
  });

  it('are used by another file of src, or else by their own file and a test', () => {
    const src = modulesUnder('src', '.ts');
    const unused = unusedExports(
      src.filter(({path}) => !FACES.includes(path)),
      {users: [...src, ...modulesUnder('bin', '.js', '.mjs')], tests: modulesUnder('test', '.ts', '.mjs')},
    );
    assert.equal(unused.join('\n'), '', 'delete them, or the word export');
  }); // reads every file of src and test

  it('are caught where nothing uses them', () => {
    const files = (texts: Record<string, string>) =>
      Object.entries(texts).map(([path, text]) => moduleOf({path, text}));
    const src = files({
      'src/a.ts': `export const used = 1, alone = 2, [bound] = [3];
export const own = alone;
export function tested() { return own; }
export interface Shape {}
export type Part = {};
export const shape: Shape = {};
export class Both {}
new Both();
export {alone as other};`,
      'src/b.ts': `import {used, type shape} from './a.ts';
import * as all from './c.ts';
export default {...all, used};
const dead = 'bound';`,
      'src/c.ts': 'export const first = 1;',
      'src/d.ts': `export const late = 1, later = 2; const load = async () => (await import('./e.ts')).there; load();`,
      'src/e.ts': 'export const there = 1, not = 2;',
    });
    const tests = files({'test/a.test.ts': `import {tested, Both} from '../src/a.ts'; tested(Both);`});
    assert.deepEqual(unusedExports(src, {users: src, tests}), [
      'src/a.ts alone: no other file uses it',
      'src/a.ts bound: nothing uses it',
      'src/a.ts own: no other file uses it',
      'src/a.ts tested: only tests use it',
      'src/a.ts Part: nothing uses it',
      'src/a.ts other: nothing uses it',
      'src/d.ts late: nothing uses it',
      'src/d.ts later: nothing uses it',
      'src/e.ts not: nothing uses it',
    ]);
  });
});
