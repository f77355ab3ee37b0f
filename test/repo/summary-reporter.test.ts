import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {ROOT} from './tree.ts';

describe('the summary of a test run', () => {
  let folder: string;
  const summaryOf = (spec: string): string => {
    const file = join(folder, 'spec.cjs');
    writeFileSync(file, spec);
    const mocha = join(ROOT, 'node_modules/mocha/bin/mocha.js');
    const reporter = join(ROOT, 'test/repo/summary-reporter.cjs');
    const {stdout} = spawnSync(process.execPath, [mocha, '--no-config', '--reporter', reporter, file], {
      cwd: folder,
      encoding: 'utf8',
    });
    return stdout.trimEnd().split('\n').at(-1)!;
  };
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'remit-summary-'))));
  afterEach(() => rmSync(folder, {recursive: true, force: true}));

  it('is one line with what passed and what failed', () => {
    assert.equal(
      summaryOf("it('a', () => {}); it('b', () => { throw new Error('no'); });"),
      '1 passed, 1 failed',
    );
  });

  it('counts a test that the machine cannot run as skipped, not as passed', () => {
    const spec = "it('a', () => {}); it('skipped: PostgreSQL is not installed', () => {});";
    assert.equal(summaryOf(spec), '1 passed, 0 failed, 1 skipped');
  });
});
