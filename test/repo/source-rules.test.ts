import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {
  badFileName,
  exportsDefault,
  runsSql,
  switchesTestsOff,
  writesCommand,
  writesToTerminal,
  type Rule,
} from './source-rules.ts';
import {sourcesUnder} from './tree.ts';

const src = sourcesUnder('src');
const test = sourcesUnder('test');
const outside = (folder: string) => src.filter(({path}) => !path.startsWith(folder));
const none = (findings: readonly string[]): void => assert.equal(findings.join('\n'), '');
/** Lines of `text` that the rule complains about. */
const lines = (rule: Rule, text: string, path = 'src/client/a.ts'): number[] =>
  rule({path, text}).map((finding) => Number(/^[^:]+:(\d+) /.exec(finding)![1]));

describe('source rules', () => {
  it('let only output/ write to stdout and stderr', () => {
    none(outside('src/output/').flatMap(writesToTerminal));
    const text = `process.stdout.write('a');
console.error('b');
const width = process.stdout.columns; // console.log
this.log('c');
start(process.stderr);
if (process.stderr.isTTY) run();
const said = 'console.log';
process.stdin.resume();`;
    assert.deepEqual(lines(writesToTerminal, text), [1, 2, 4, 5]);
    assert.deepEqual(lines(writesToTerminal, text, 'src/cli/a.ts'), [1, 2, 4]);
  });

  it('keep default exports for commands', () => {
    none(outside('src/commands/').flatMap(exportsDefault));
    const text = `export default class A {}
export default function b() {}
const c = 1;
export default c;
export {c as default};
switch (c) { default: }
export const d = {default: 1};`;
    assert.deepEqual(lines(exportsDefault, text), [1, 2, 4, 5]);
  });

  it('give every file a name that says what it is about', () => {
    none([...src, ...test].flatMap(badFileName));
    for (const path of [
      'src/client/utils.ts',
      'src/types.ts',
      'src/cli/index.ts',
      'test/a/helpers.ts',
      'src/cli/baseCommand.ts',
    ])
      assert.equal(badFileName({path, text: ''}).length, 1, path);
    for (const path of [
      'src/library/index.ts',
      'src/client/transport/base-url.ts',
      'test/client/requests/retry.test.ts',
    ])
      assert.equal(badFileName({path, text: ''}).length, 0, path);
  });

  it('let Commands build the commands of hints', () => {
    /** Why a file may write a command out. */
    const allowed: Readonly<Record<string, string>> = {
      'src/cli/help/advice.ts': 'general advice, printed for any profile',
      'src/cli/help/reference.ts': 'titles of pages',
      'src/cli/demo/demo.ts': 'shows the commands that it runs',
      'src/cli/line/parse-errors.ts': 'ends with --help, or reads local batches; neither needs a profile',
      'src/cli/profiles/changes.ts': 'ends with --help, which needs no profile',
      'src/cli/sandbox/start/ready.ts': 'names the profile that it has just stored, or the variables',
      'src/commands/profiles/add.ts': 'names the profile as its argument',
    };
    const found = src.filter((source) => writesCommand(source).length > 0).map(({path}) => path);
    assert.deepEqual(found.sort(), Object.keys(allowed).sort());
    const text = `const hint = 'see remit payouts list';
const other = \`remit \${topic} list\`;
const third = \`\${why}: remit whoami\`;
const fine = 'remit sandbox start'; // remit payouts list
const prose = 'what remit sends';`;
    assert.deepEqual(lines(writesCommand, text), [1, 2, 3]);
  });

  it('keep the SQL of batches with their tables', () => {
    const batches = src.filter(
      ({path}) =>
        (path.startsWith('src/batch/') || path.startsWith('src/cli/')) &&
        !path.startsWith('src/batch/journal/'),
    );
    /** The classes of the registry's own database. */
    const registry = [
      ...[
        'entries',
        'journals',
        'notes',
        'owners',
        'read-in',
        'registry',
        'schema',
        'seen-alike',
        'seen-before',
      ],
    ];
    const found = batches.filter((source) => runsSql(source).length > 0).map(({path}) => path);
    assert.deepEqual(
      found,
      registry.map((name) => `src/batch/registry/${name}.ts`),
    );
    const text = `const sql = 'select n from rows';
db.prepare(sql).run();
const other = \`
  insert into rows (n) values (\${n})\`;
const words = 'selected rows'; // select
db.exec('Delete from rows');
const prose = 'what to select from a list';`;
    assert.deepEqual(lines(runsSql, text), [1, 2, 3, 6]);
  });

  it('run every test', () => {
    none(test.flatMap(switchesTestsOff));
    const text = `it.only('a', () => {});
describe.skip('b', () => {});
it('c', function () { this.skip(); });
xit('d');
list.skip(1);
it('e', () => {});`;
    assert.deepEqual(lines(switchesTestsOff, text, 'test/a.test.ts'), [1, 2, 3, 4]);
  });
});
