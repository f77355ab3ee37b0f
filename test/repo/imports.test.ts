import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {findCycle, importsOf, packageOf, packagesLoadedBy, type Import} from './imports.ts';
import {tableRows} from './markdown.ts';
import {readJson, readText, sourcesUnder} from './tree.ts';

/** Everything below the commands. */
const BELOW_COMMANDS = [
  'client',
  'service',
  'webhooks',
  'output',
  'profiles',
  'batch',
  'approval',
  'team',
  'parties',
  'reconcile',
  'sandbox',
  'store',
  'doubts',
  'money',
  'contract',
  'sanitize',
  'shell-word',
  'errors',
  'clock',
  'network',
  'nearest',
  'phrases',
  'json',
  'narrow',
];

/**
 * Who may import whom (docs/internals/architecture.md). An area is a folder of src, or a file that stands directly in it.
 * A file may be named alone where only it is allowed.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  narrow: [],
  json: ['narrow'],
  errors: ['narrow'],
  arguments: ['errors', 'nearest', 'narrow'],
  clock: ['narrow'],
  spreadsheet: [],
  nearest: [],
  phrases: [],
  'shell-word': [],
  money: ['narrow'],
  contract: ['money/currencies', 'narrow'],
  sanitize: ['json', 'narrow'],
  html: ['sanitize', 'narrow'],
  service: ['contract', 'money', 'errors', 'narrow'],
  network: ['errors', 'narrow'],
  store: ['errors', 'clock', 'network', 'shell-word', 'narrow'],
  doubts: ['contract', 'store', 'network', 'errors', 'narrow'],
  client: [
    'contract',
    'money',
    'service',
    'arguments',
    'errors',
    'clock',
    'sanitize',
    'network',
    'nearest',
    'phrases',
    'json',
    'narrow',
  ],
  output: [
    'contract',
    'money',
    'html',
    'errors',
    'clock',
    'spreadsheet',
    'sanitize',
    'nearest',
    'phrases',
    'json',
    'narrow',
  ],
  webhooks: [
    'contract',
    'money',
    'arguments',
    'errors',
    'clock',
    'store',
    'html',
    'shell-word',
    'sanitize',
    'network',
    'phrases',
    'json',
    'narrow',
  ],
  profiles: ['contract', 'service', 'errors', 'clock', 'sanitize', 'narrow'],
  batch: [
    'client',
    'service',
    'store',
    'doubts',
    'network',
    'money',
    'contract',
    'html',
    'shell-word',
    'errors',
    'clock',
    'spreadsheet',
    'sanitize',
    'nearest',
    'phrases',
    'json',
    'narrow',
  ],
  approval: ['batch', 'contract', 'money', 'store', 'errors', 'narrow'],
  sandbox: [
    'contract',
    'money',
    'service',
    'store',
    'webhooks',
    'html',
    'arguments',
    'errors',
    'clock',
    'sanitize',
    'phrases',
    'narrow',
  ],
  reconcile: [
    'store',
    'batch',
    'contract',
    'money',
    'network',
    'html',
    'shell-word',
    'errors',
    'clock',
    'spreadsheet',
    'sanitize',
    'nearest',
    'phrases',
    'json',
    'narrow',
  ],
  team: ['approval', 'batch', 'client', 'store', 'contract', 'errors', 'clock', 'network', 'narrow'],
  parties: ['batch', 'contract', 'store', 'errors', 'clock', 'nearest', 'phrases', 'narrow'],
  automation: ['batch', 'arguments', 'errors', 'narrow'],
  library: ['client', 'contract', 'service', 'errors', 'narrow'],
  cli: BELOW_COMMANDS,
  commands: ['cli', ...BELOW_COMMANDS],
};

/** Packages that cost a command milliseconds to load: nothing loads them before it needs them. */
const LAZY = new Set([
  'zod',
  'undici',
  'pg',
  'conf',
  '@inquirer/prompts',
  'cli-table3',
  'csv-parse',
  'sax',
  'yauzl',
  'yaml',
  '@jmespath-community/jmespath',
  'node-sqlite3-wasm',
]);

const withoutEnding = (path: string): string => path.replace(/^src\//, '').replace(/\.ts$/, '');
const areaOf = (path: string): string => withoutEnding(path).split('/')[0]!;
const at = ({path, line}: Import): string => `${path}:${line}`;

function brokenDirections(imports: readonly Import[]): string[] {
  return imports.flatMap((one) => {
    if (one.target === undefined) return [];
    const [from, to] = [areaOf(one.path), areaOf(one.target)];
    if (!one.target.startsWith('src/')) return [`${at(one)} leaves src: ${one.specifier}`];
    const allowed = MAY_IMPORT[from];
    if (!allowed)
      return [`${at(one)} stands in the unknown area ${from}: name it in ${import.meta.filename}`];
    if (from === to || allowed.includes(to) || allowed.includes(withoutEnding(one.target))) return [];
    return [`${at(one)} ${from} must not import ${to} (${one.specifier})`];
  });
}

/** Room -> the rooms of its area that it may import, as docs/internals/architecture.md says; an area without a room is absent. */
function documentedRooms(): Map<string, readonly string[]> {
  const rows = tableRows(readText('docs/internals/architecture.md')).filter(
    ({heading}) => heading === 'Rooms',
  );
  return new Map(
    rows.map(({cells: [room = '', , others = '']}) => [room, others === 'none' ? [] : others.split(', ')]),
  );
}

/** `src/batch/model/kinds.ts` -> `batch/model`: the closest folder that is a room, or the folder of the file. */
function roomOf(path: string, rooms: ReadonlyMap<string, unknown>): string {
  const folder = withoutEnding(path).split('/').slice(0, -1);
  for (let depth = folder.length; depth > 0; depth -= 1) {
    const room = folder.slice(0, depth).join('/');
    if (rooms.has(room)) return room;
  }
  return folder.join('/');
}

/** What a line of the table calls a room of its own area: `batch/model` -> `model`, `sandbox` -> `sandbox`. */
const nameInArea = (room: string): string => room.split('/').slice(1).join('/') || room;

function brokenRooms(imports: readonly Import[], rooms: ReadonlyMap<string, readonly string[]>): string[] {
  const areas = new Set([...rooms.keys()].map((room) => room.split('/')[0]));
  return imports.flatMap((one) => {
    if (one.target === undefined || !areas.has(areaOf(one.path)) || areaOf(one.path) !== areaOf(one.target))
      return [];
    const [from, to] = [roomOf(one.path, rooms), roomOf(one.target, rooms)];
    const allowed = rooms.get(from);
    if (!allowed) return [`${at(one)} stands in ${from}, which is no room of docs/internals/architecture.md`];
    if (from === to || allowed.includes(nameInArea(to))) return [];
    return [`${at(one)} ${from} must not import ${to} (${one.specifier})`];
  });
}

/** A room that may import one which does not stand above it in the table. */
function risingRooms(rooms: ReadonlyMap<string, readonly string[]>): string[] {
  const seen = new Set<string>();
  return [...rooms].flatMap(([room, others]) => {
    const area = room.split('/')[0];
    const rising = others.filter((other) => !seen.has(`${area}/${other}`));
    seen.add(`${area}/${nameInArea(room)}`);
    return rising.map((other) => `${room} stands above ${other}, which it may import`);
  });
}

const looseZod = (imports: readonly Import[]): string[] =>
  imports
    .filter(
      ({specifier, kind, namespace}) => packageOf(specifier) === 'zod' && kind !== 'dynamic' && !namespace,
    )
    .map((one) => `${at(one)} write: import * as z from 'zod' (the named import bundles every language)`);

function undeclared(imports: readonly Import[], declared: readonly string[]): string[] {
  return imports
    .filter(({target, specifier}) => target === undefined && !specifier.startsWith('node:'))
    .filter(({specifier}) => !declared.includes(packageOf(specifier)))
    .map((one) => `${at(one)} ${one.specifier} is not among the dependencies of package.json`);
}

/** One finding for each place that brings a heavy package in, with one way in which a command gets there. */
function eagerPackages(entries: readonly string[], imports: readonly Import[]): string[] {
  const found = new Map<string, string>();
  for (const entry of entries)
    for (const [name, chain] of packagesLoadedBy(entry, imports))
      if (LAZY.has(name) && !found.has(`${name} ${chain.at(-1)}`))
        found.set(
          `${name} ${chain.at(-1)}`,
          `${chain.join(' > ')} loads ${name} at once: import() it where it is used`,
        );
  return [...found.values()];
}

/** Schemas for `remit schema` and the tests: whatever imports them at once is found itself. */
const SCHEMAS = 'src/cli/help/outputs/';

const none = (findings: readonly string[]): void => assert.equal(findings.join('\n'), '');

describe('imports of src', () => {
  const imports = sourcesUnder('src').flatMap(importsOf);

  it('finds every way in which a file can import another', () => {
    const text = `import a from './a.ts';
import * as z from 'zod';
import type {B} from './b.ts';
import {type C, type D} from './c.ts';
export {e} from '../e.ts';
export type {F} from './f.ts';
const g = await import('./g.ts');
let h: import('./h.ts').H;
import './i.ts';
const j = require('./j.cjs');
// import k from './k.ts';`;
    const found = importsOf({path: 'src/x/y.ts', text}).map(({line, target, specifier, kind}) => [
      line,
      target ?? specifier,
      kind,
    ]);
    assert.deepEqual(found, [
      [1, 'src/x/a.ts', 'static'],
      [2, 'zod', 'static'],
      [3, 'src/x/b.ts', 'type'],
      [4, 'src/x/c.ts', 'type'],
      [5, 'src/e.ts', 'static'],
      [6, 'src/x/f.ts', 'type'],
      [7, 'src/x/g.ts', 'dynamic'],
      [8, 'src/x/h.ts', 'type'],
      [9, 'src/x/i.ts', 'static'],
      [10, 'src/x/j.cjs', 'dynamic'],
    ]);
  });

  it('go only in the allowed directions', () => none(brokenDirections(imports)));

  it('go as docs/internals/architecture.md says', () => {
    const documented = tableRows(readText('docs/internals/architecture.md'))
      .filter(({heading}) => heading === 'Who may import whom')
      .map(({cells: [area, others]}) => [area, others]);
    const declared = Object.entries(MAY_IMPORT).map(([area, others]) => [area, others.join(', ') || 'none']);
    assert.deepEqual(documented, declared, 'correct the table there or MAY_IMPORT here');
  });

  it('are caught when they go in another', () => {
    const broken = (path: string, text: string) => brokenDirections(importsOf({path, text}));
    assert.deepEqual(broken('src/sandbox/api.ts', `\nimport type {A} from '../client/a.ts';`), [
      'src/sandbox/api.ts:2 sandbox must not import client (../client/a.ts)',
    ]);
    assert.equal(broken('src/store/a.ts', `await import('../contract/limits.ts')`).length, 1);
    assert.equal(broken('src/money/a.ts', `export * from '../errors.ts'`).length, 1);
    assert.equal(broken('src/contract/a.ts', `import {x} from '../money/amount.ts'`).length, 1);
    assert.equal(broken('src/contract/a.ts', `import {x} from '../money/currencies.ts'`).length, 0);
    assert.equal(broken('src/batch/a.ts', `import {x} from '../../test/batch/fake.ts'`).length, 1);
    assert.equal(broken('src/novelty/a.ts', `import {x} from './b.ts'`).length, 1);
  });

  it('of the tests of batches go around the command line', () => {
    const above = /\bsrc\/(cli|commands|output)\//;
    const up = ['test/batch', 'test/sim']
      .flatMap((folder) => sourcesUnder(folder))
      .filter(({text}) => above.test(text)) // most files have no such text, and need not be parsed
      .flatMap(importsOf)
      .filter(({target}) => above.test(target ?? ''));
    none(up.map((one) => `${at(one)} ${one.specifier}: move the code to src/batch, or the test to test/cli`));
  });

  it('go from room to room as docs/internals/architecture.md says', () => {
    const rooms = documentedRooms();
    assert.ok(rooms.size > 30, `${rooms.size} rooms`);
    none(brokenRooms(imports, rooms));
    none(risingRooms(rooms));
    const areas = new Set([...rooms.keys()].map((room) => room.split('/')[0]));
    for (const area of ['batch', 'cli', 'sandbox']) assert.ok(areas.has(area), area);
    const stray = sourcesUnder('src').filter(
      ({path}) => areas.has(areaOf(path)) && !rooms.has(roomOf(path, rooms)),
    );
    none(stray.map(({path}) => `${path} stands in no room`));
  });

  it('are caught when they go to another room', () => {
    const rooms = new Map([
      ['batch/model', []],
      ['batch/run', ['model']],
      ['batch/run/last', ['run']],
    ]);
    const broken = (path: string, text: string) => brokenRooms(importsOf({path, text}), rooms);
    assert.deepEqual(broken('src/batch/model/a.ts', `import type {B} from '../run/b.ts';`), [
      'src/batch/model/a.ts:1 batch/model must not import batch/run (../run/b.ts)',
    ]);
    assert.equal(broken('src/batch/run/a.ts', `import {b} from '../model/b.ts'`).length, 0);
    assert.equal(broken('src/batch/attic/a.ts', `import {b} from '../model/b.ts'`).length, 1);
    assert.equal(broken('src/batch/run/last/a.ts', `import {b} from '../b.ts'`).length, 0);
    assert.equal(broken('src/batch/run/a.ts', `import {b} from './last/b.ts'`).length, 1);
    assert.equal(broken('src/batch/model/small/a.ts', `import {b} from '../../run/b.ts'`).length, 1);
    assert.equal(
      risingRooms(
        new Map([
          ['batch/run', ['model']],
          ['batch/model', []],
        ]),
      ).length,
      1,
    );
  });

  it('form no cycle, types included', () => none(findCycle(imports) ?? []));

  it('are caught when they form one', () => {
    const files = {
      'src/a.ts': `import './b.ts'`,
      'src/b.ts': `const c = import('./c.ts')`,
      'src/c.ts': `export * from './a.ts'`,
    };
    const read = (entries: Record<string, string>) =>
      Object.entries(entries).flatMap(([path, text]) => importsOf({path, text}));
    assert.deepEqual(findCycle(read(files)), ['src/a.ts', 'src/b.ts', 'src/c.ts', 'src/a.ts']);
    assert.ok(findCycle(read({...files, 'src/c.ts': `import type {A} from './a.ts'`})));
    assert.equal(findCycle(read({...files, 'src/c.ts': `import type {A} from './d.ts'`})), undefined);
  });

  it('take zod as a namespace', () => {
    none(looseZod(imports));
    assert.equal(looseZod(importsOf({path: 'src/contract/a.ts', text: `import {z} from 'zod'`})).length, 1);
  });

  it('name only packages that package.json lists', () => {
    const {dependencies, devDependencies} = readJson('package.json') as Record<string, object>;
    none(undeclared(imports, Object.keys({...dependencies, ...devDependencies})));
    assert.equal(
      undeclared(importsOf({path: 'src/a.ts', text: `import ts from 'left-pad'`}), ['zod']).length,
      1,
    );
  });

  it('load no heavy package before a command needs it', () => {
    const entries = [...new Set(imports.map(({path}) => path))].filter(
      (path) => /^src\/(commands|cli)\//.test(path) && !path.startsWith(SCHEMAS),
    );
    none(eagerPackages(entries, imports));
    const bad = importsOf({path: 'src/commands/a.ts', text: `import '../b.ts'`}).concat(
      importsOf({path: 'src/b.ts', text: `import {Pool} from 'undici'`}),
    );
    assert.deepEqual(eagerPackages(['src/commands/a.ts', 'src/b.ts'], bad), [
      'src/commands/a.ts:1 > src/b.ts:1 loads undici at once: import() it where it is used',
    ]);
  });
});
