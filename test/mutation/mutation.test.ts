import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {after, before, describe, it} from 'mocha';
import {AREAS} from './areas.ts';
import {EXPLAINED} from './explained.ts';
import {filesBelow, reachOf, testsBelow, testsOf} from './reach.ts';
import {sitesOf, type Mutation} from './sites.ts';
import {ROOT, Workshop} from './workshop.ts';

const TOTALS = 'src/money/totals.ts';
const afterOf = (code: string, file = 'src/a.ts') => sitesOf(file, code).map((site) => site.after);
/** A change of totals.ts that no mutator makes. */
function changed(text: string, becomes: string): Mutation {
  const start = readFileSync(join(ROOT, TOTALS), 'utf8').indexOf(text);
  assert.ok(start > 0);
  return {file: TOTALS, line: 0, start, end: start + text.length, becomes, before: text, after: becomes};
}

describe('mutations', () => {
  it('change one operator, condition, value or call', () => {
    assert.deepEqual(afterOf('const a = b < 1;'), ['const a = b <= 1;', 'const a = b < (1 + 1);']);
    assert.deepEqual(afterOf('if (a) send();'), ['if (true) send();', 'if (false) send();', 'if (a) ;']);
    assert.deepEqual(afterOf("const a = b ?? 'x';"), ['const a = b;', 'const a = b ?? "x~";']);
    assert.deepEqual(afterOf('const a = /^x$/;'), ['const a = /x$/;', 'const a = /^x/;']);
  });

  it('leave types, imports, prose and headings alone', () => {
    assert.deepEqual(afterOf("import {a} from './a.ts';\ntype B = 'b' | 1;\nconst c = 'two words';"), []);
    assert.deepEqual(afterOf("const names = {409: 'two words'};"), []);
    assert.deepEqual(afterOf('function f() { return undefined; }'), []);
    assert.deepEqual(afterOf("text('ID', 'id');", 'src/output/views/a.ts').slice(1), [`text('ID', "id~");`]);
  });

  it('are explained only where the line is still there', () => {
    for (const {file, before, after} of EXPLAINED) {
      const sites = sitesOf(file, readFileSync(join(ROOT, file), 'utf8'));
      assert.ok(
        sites.some((site) => site.before === before && site.after === after),
        `explained.ts names a line that is gone from ${file}: ${before}`,
      );
    }
  });
});

describe('an area', () => {
  it('names sources and tests that exist', () => {
    const sources = filesBelow('src');
    for (const area of AREAS) {
      for (const prefix of area.sources)
        assert.ok(
          sources.some((file) => file.startsWith(prefix)),
          `${area.name}: no source ${prefix}`,
        );
      for (const prefix of area.tests)
        assert.ok(testsBelow([prefix]).length > 0, `${area.name}: no test ${prefix}`);
    }
  });

  it('runs the tests that import the mutated file, the one with its name first', () => {
    const reach = reachOf(testsBelow(['test/money/', 'test/output/width', 'test/cli/guard/caps-on-records']));
    const {named, others} = testsOf('src/money/amount.ts', reach);
    assert.deepEqual(named, ['test/money/amount.test.ts']);
    assert.deepEqual(others, ['test/money/totals.test.ts', 'test/cli/guard/caps-on-records.test.ts']);
  });

  it('runs tests that import it by way of a script', () => {
    const reach = reachOf(testsBelow(['test/contract/openapi']));
    assert.deepEqual(testsOf('src/contract/operations-page.ts', reach).others, [
      'test/contract/openapi.test.ts',
    ]);
  });
});

describe('the tests over a mutation', () => {
  let workshop: Workshop;
  before(() => (workshop = new Workshop()));
  after(() => workshop.remove());
  const tests = ['test/money/totals.test.ts'];

  it('pass without it, notice a wrong line, and leave the checkout as it was', async () => {
    const before = readFileSync(join(ROOT, TOTALS), 'utf8');
    assert.equal((await workshop.run(tests, 60_000)).noticed, false);
    const {noticed, timedOut} = await workshop.tryOut(
      changed('sum.open += minor', 'sum.open -= minor'),
      tests,
      60_000,
    );
    assert.deepEqual({noticed, timedOut}, {noticed: true, timedOut: false});
    assert.equal(readFileSync(join(ROOT, TOTALS), 'utf8'), before);
  }).timeout(120_000);

  it('that never end are stopped with what they started, and count as noticed', async () => {
    // Its own child process keeps the pipes open: only the end of the whole group closes them.
    const endless = `process.getBuiltinModule('node:child_process').spawnSync('sleep', ['600'], {stdio: 'inherit'})`;
    const {noticed, timedOut, ms} = await workshop.tryOut(
      changed('sum.open += minor', endless),
      tests,
      8_000,
    );
    assert.deepEqual({noticed, timedOut}, {noticed: true, timedOut: true});
    assert.ok(ms < 60_000);
  }).timeout(120_000);
});
