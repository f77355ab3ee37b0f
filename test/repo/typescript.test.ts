import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {before, describe, it} from 'mocha';
import {ROOT, WITH_TYPESCRIPT} from './tree.ts';

interface Hooks {
  compileAll: (paths: readonly string[], folder: string) => Promise<void>;
  compiled: (path: string, text: string, folder: string) => string;
  load: (url: string, context: object, next: (url: string) => unknown) => unknown;
}

describe('TypeScript without a build', () => {
  let hooks: Hooks;
  before(async () => {
    const file = 'typescript-hooks'; // a plain script, without types
    hooks = (await import(`../../bin/${file}.mjs`)) as Hooks;
  });

  it('runs from its sources, and its errors name the lines of these', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'remit typescript ')), 'wrong.ts');
    writeFileSync(
      file,
      'interface A {\n  a: number;\n}\n\nexport function f({a}: A): void {\n  throw new Error(`a${a}`);\n}\nf({a: 1});\n',
    );
    const {status, stderr} = spawnSync(process.execPath, [...WITH_TYPESCRIPT, file], {encoding: 'utf8'});
    assert.equal(status, 1);
    assert.match(stderr, /Error: a1\n {4}at f \(.*wrong\.ts:6:9\)/);
    assert.doesNotMatch(stderr, /Warning/);
  });

  it('is compiled once for each content of a file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'remit-typescript-'));
    const path = join(ROOT, 'src', 'clock.ts');
    const kept = () => readdirSync(folder);
    assert.match(hooks.compiled(path, 'export const a: number = 1;', folder), /^const a = 1;\n/m);
    assert.deepEqual(kept(), ['src+clock.ts.mjs']);
    const at = join(folder, kept()[0]!);
    writeFileSync(at, hooks.compiled(path, 'export const a: number = 1;', folder).replace('a = 1', 'a = 2'));
    assert.match(
      hooks.compiled(path, 'export const a: number = 1;', folder),
      /a = 2/,
      'it was compiled again',
    );
    assert.match(hooks.compiled(path, 'export const a: number = 3;', folder), /a = 3/, 'it is out of date');
    assert.deepEqual(kept(), ['src+clock.ts.mjs']);
  });

  it('is compiled before the tests, all files together, and again where a file has changed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'remit-typescript-'));
    const paths = ['clock', 'errors'].map((name) => join(folder, `${name}.ts`));
    for (const path of paths) writeFileSync(path, 'export const a: number = 1;');
    await hooks.compileAll(paths, folder);
    const kept = () => readdirSync(folder).filter((name) => name.endsWith('.mjs'));
    assert.equal(kept().length, 2);
    for (const name of kept()) {
      const text = readFileSync(join(folder, name), 'utf8');
      writeFileSync(join(folder, name), text.replace('a = 1', 'a = 2'));
    }
    const now = () => hooks.compiled(paths[0]!, 'export const a: number = 1;', folder);
    assert.match(now(), /a = 2/, 'what is kept is what the loader looks for');
    const later = new Date(Date.now() + 10_000);
    utimesSync(paths[0]!, later, later);
    await hooks.compileAll(paths, folder);
    assert.match(now(), /a = 1/);
    assert.match(hooks.compiled(paths[1]!, 'export const a: number = 1;', folder), /a = 2/);
  });

  it('is compiled each time where nothing can be kept', () => {
    const folder = join(ROOT, 'package.json', 'cache');
    assert.match(hooks.compiled(join(ROOT, 'a.ts'), 'let a: number = 1;', folder), /let a = 1/);
  });

  it('leaves all other files to Node', () => {
    const next = (url: string) => `next ${url}`;
    for (const url of ['file:///a/b.mjs', 'file:///a/b.json', 'node:fs', 'data:text/x.ts,1'])
      assert.equal(hooks.load(url, {}, next), `next ${url}`);
  });
});
