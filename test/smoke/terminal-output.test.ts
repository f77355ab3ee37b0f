import assert from 'node:assert/strict';
import {execFile, spawnSync} from 'node:child_process';
import {promisify} from 'node:util';
import {after, before, describe, it} from 'mocha';
import {METHOD_ID, payout} from '../commands/fixtures.ts';
import {scriptedServer, type ScriptedServer} from './scripted-server.ts';
import {BIN, cleanEnv} from './spawn-cli.ts';

const exec = promisify(execFile);
/** util-linux: gives a command a terminal of its own. Another `script` takes other flags. */
const HAS_TERMINALS = /util-linux/.test(String(spawnSync('script', ['--version']).stdout));

/** bin/ is plain JavaScript, without types of its own. */
const load = (path: string): Promise<object> => import(path) as Promise<object>;
const {makeLazy} = (await load('../../bin/lazy-requires.mjs')) as {
  makeLazy: (source: string, pattern?: RegExp) => string;
};

describe('the built command at a terminal', () => {
  let server: ScriptedServer;
  before(async () => {
    const body = {data: [payout(), payout({id: METHOD_ID, status: 'settled'})], next_cursor: null};
    server = await scriptedServer([{status: 200, body}]);
  });
  after(() => server.close());

  if (!HAS_TERMINALS) it('skipped: script of util-linux is not installed', () => {});
  for (const columns of HAS_TERMINALS ? [80, 120] : [])
    it(`shows a table in ${columns} columns`, async () => {
      const env = cleanEnv({REMIT_API_KEY: 'test_0123456789abcdef', REMIT_BASE_URL: server.baseUrl});
      const line = `stty cols ${columns}; '${process.execPath}' '${BIN}' payouts list --no-color`;
      const {stdout} = await exec('script', ['-qec', line, '/dev/null'], {env});
      assert.match(stdout, /Status +Amount +Payee/);
      assert.match(stdout, /settled/);
      for (const row of stdout.split(/\r?\n/)) assert.ok(row.length <= columns, row);
    });
});

describe('an import of the bundle', () => {
  it('is read through its getter wherever it is declared', () => {
    const source = `var import_fit = require("./fit.ts");\nconst width = -import_fit.GAP + [...import_fit.X].length;\n`;
    const lazy = makeLazy(source, /^import_/);
    assert.doesNotMatch(lazy, /(?<![\w$])import_fit(?![\w$])/);
    assert.match(lazy, /-\(__get_import_fit\(\)\)\.GAP \+ \[\.\.\.\(__get_import_fit\(\)\)\.X\]/);
  });
});
