import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, describe, it} from 'mocha';
import {AREAS, type Sources} from './areas.ts';
import {instrument, testsOf} from './coverage.ts';
import {draw, filesOf, staleExplanations, testsOfArea} from './sample.ts';
import {sitesOf, type Mutation} from './sites.ts';
import {ROOT, Workshop} from './workshop.ts';

const TOTALS = 'src/money/totals.ts';
const afterOf = (code: string, file = 'src/a.ts') => sitesOf(file, code).map((site) => site.after);
/** A change of totals.ts that no mutator makes. */
function changed(text: string, becomes: string): Mutation {
  const start = readFileSync(join(ROOT, TOTALS), 'utf8').indexOf(text);
  assert.ok(start > 0);
  return {
    ...{file: TOTALS, line: 0, symbol: '', before: text, after: becomes},
    ...{start, end: start + text.length, becomes},
  };
}

describe('mutations', () => {
  it('change one operator, condition, value or call', () => {
    assert.deepEqual(afterOf('const a = b < 1;'), ['const a = b <= 1;', 'const a = b < (1 + 1);']);
    assert.deepEqual(afterOf('if (a) send();'), ['if (true) send();', 'if (false) send();', 'if (a) ;']);
    assert.deepEqual(afterOf("const a = b ?? 'x';"), ['const a = b;', 'const a = b ?? "x~";']);
    assert.deepEqual(afterOf('const a = /^x$/;'), ['const a = /x$/;', 'const a = /^x/;']);
  });

  it('do not change types, imports, prose and headings', () => {
    assert.deepEqual(afterOf("import {a} from './a.ts';\ntype B = 'b' | 1;\nconst c = 'two words';"), []);
    assert.deepEqual(afterOf("const names = {409: 'two words'};"), []);
    assert.deepEqual(afterOf('function f() { return undefined; }'), []);
    assert.deepEqual(afterOf('function f() { return false; }'), ['function f() { return true; }']);
    assert.deepEqual(afterOf("text('ID', 'id');", 'src/output/views/a.ts').slice(1), [`text('ID', "id~");`]);
  });

  it('are named by their declaration and text', () => {
    const [site] = sitesOf('src/a.ts', 'class A {\n  b() {\n    return true;\n  }\n}');
    const {symbol, line, before, after} = site!;
    assert.deepEqual(
      {symbol, line, before, after},
      {symbol: 'A.b', line: 3, before: 'return true;', after: 'return undefined as never;'},
    );
  });

  it('are explained only where the line is still in one source', () => {
    assert.deepEqual(staleExplanations(), []);
  });

  it('are drawn again with the same seed when their code has moved', () => {
    const codes = ['const a = b < 1;', 'function c() { return d + 1; }', 'const e = true;'];
    const drawn = (files: readonly string[]) =>
      draw(
        files.flatMap((code, at) => sitesOf(`src/${at}.ts`, code)),
        {seed: 7, count: 3},
      ).map((site) => site.after);
    assert.equal(drawn(codes).length, 3);
    assert.deepEqual(drawn(codes), drawn(codes.toReversed()));
  });
});

describe('an area', () => {
  it('names sources and tests that exist', () => {
    for (const area of AREAS) {
      assert.ok(filesOf(area.sources).length > 0, area.name);
      assert.ok(testsOfArea(area).length > 0, area.name);
    }
    assert.throws(() => testsOfArea({tests: ['test/none']}), /no test test\/none/);
    assert.throws(() => testsOfArea({tests: ['test/money/'], without: ['test/none']}), /no test test\/none/);
  });

  it('names a file by what it exports', () => {
    const sources = ['a/b', 'a/c', 'd'].map((name) => ({
      path: `src/${name}.ts`,
      text: `export const ${name.at(-1)} = 1;`,
    }));
    const paths = (area: Sources) => filesOf(area, sources).map(({path}) => path);
    assert.deepEqual(paths({exporting: ['d']}), ['src/d.ts']);
    assert.deepEqual(paths({beside: ['c']}), ['src/a/b.ts', 'src/a/c.ts']);
    assert.throws(() => paths({exporting: ['e']}), /e must be exported by one source, not by 0/);
    assert.throws(() => paths({folders: ['e']}), /no source below src\/e/);
  });
});

describe('the tests of a mutation', () => {
  const path = 'src/a/sum.ts';
  const text = `const ONE = 1;
export const sum = (a: number, b = 2) => a + b + ONE;
export function twice(a: number) { return {a: [a].map((b) => b * 3)}; }`;
  const mutationOf = (after: string) => sitesOf(path, text).find((site) => site.after.includes(after))!;
  const due = (after: string, hits: Record<string, {functions: string[]; ms: number}>) =>
    testsOf(mutationOf(after), {path, text}, {loading: {functions: [], ms: 0}, ...hits});

  it('are those that run the function, the quickest first, and the one with its name before all', () => {
    const calls = instrument({path, text}).matchAll(/add\("([^"]+)"\)/g);
    const [sum, twice, inner] = [...calls].map(([, name]) => name!);
    const hits = {
      'test/slow.test.ts': {functions: [sum!, twice!], ms: 9000},
      'test/none.test.ts': {functions: [], ms: 3},
      'test/quick.test.ts': {functions: [twice!, inner!], ms: 20},
      'test/a/sum.test.ts': {functions: [twice!, sum!], ms: 100},
    };
    assert.deepEqual(due('(2 + 1)', hits), [['test/a/sum.test.ts'], ['test/slow.test.ts']]);
    assert.deepEqual(due('(3 + 1)', hits), [['test/quick.test.ts']]);
    assert.deepEqual(due('ONE = (1 + 1)', hits).flat(), [
      'test/a/sum.test.ts',
      'test/quick.test.ts',
      'test/slow.test.ts',
      'test/none.test.ts',
    ]);
  });
});

/** For tests that take a second on an idle machine. */
const LONG_MS = 200_000;

describe('the tests over a mutation', function () {
  this.timeout(10 * LONG_MS);
  let workshop: Workshop;
  before(() => (workshop = new Workshop()));
  after(() => workshop.remove());
  const tests = ['test/money/totals.test.ts'];

  it('pass without it, notice a wrong line, and leave the checkout as it was', async () => {
    const before = readFileSync(join(ROOT, TOTALS), 'utf8');
    assert.equal((await workshop.run(tests, LONG_MS)).noticed, false);
    const {noticed, timedOut} = await workshop.tryOut(
      changed('sum.open += minor', 'sum.open -= minor'),
      tests,
      LONG_MS,
    );
    assert.deepEqual({noticed, timedOut}, {noticed: true, timedOut: false});
    assert.equal(readFileSync(join(ROOT, TOTALS), 'utf8'), before);
  });

  it('are recorded with the functions that they run', async () => {
    const sources = [{path: TOTALS, text: readFileSync(join(ROOT, TOTALS), 'utf8')}];
    const {noticed, coverage} = await workshop.cover(sources, tests, LONG_MS);
    assert.equal(noticed, false);
    assert.ok(coverage[tests[0]!]!.functions.some((name) => name.startsWith(`${TOTALS}:`)));
  });

  it('that never end are stopped with what they started, and count as noticed', async () => {
    // Its own child process keeps the pipes open: only the end of the whole group closes them.
    const endless = `process.getBuiltinModule('node:child_process').spawnSync('sleep', ['600'], {stdio: 'inherit'})`;
    const {noticed, timedOut, ms} = await workshop.tryOut(
      changed('sum.open += minor', endless),
      tests,
      2_000,
    );
    assert.deepEqual({noticed, timedOut}, {noticed: true, timedOut: true});
    assert.ok(ms < 300_000);
  });
});
