import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, readdirSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {before, describe, it} from 'mocha';
import {ROOT, WITH_TYPESCRIPT} from './tree.ts';

interface Hooks {
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
