import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {mkdirSync, mkdtempSync, readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {after, before, describe, it} from 'mocha';
import {PAYOUT_ID, payout} from '../commands/fixtures.ts';
import {readText} from '../repo/tree.ts';
import {scriptedServer, type ScriptedServer} from './scripted-server.ts';
import {cleanEnv} from './spawn-cli.ts';

interface BuildTools {
  asFile: (code: string) => string;
  bundle: (options?: {minify?: boolean}) => Promise<{file: string; code: string}[]>;
}
/** bin/ is plain JavaScript, without types of its own. */
const load = (path: string): Promise<Partial<BuildTools>> => import(path) as Promise<Partial<BuildTools>>;
const {asFile, bundle} = {...(await load('../../bin/bundle.mjs'))} as BuildTools;
const exec = promisify(execFile);

interface Coverage {
  result: {url: string; functions: {functionName: string; ranges: {count: number}[]}[]}[];
}

describe('the bundle', () => {
  const folder = mkdtempSync(join(tmpdir(), 'remit-bundle-'));
  let server: ScriptedServer;
  before(async function () {
    this.timeout(120_000);
    server = await scriptedServer([{status: 200, body: payout()}]);
    mkdirSync(join(folder, 'dist'));
    mkdirSync(join(folder, 'bin'));
    for (const {file, code} of await bundle({minify: false})) writeFileSync(join(folder, file), asFile(code));
    for (const name of ['package.json', '.oclif.manifest.json', 'bin/run.cjs', 'dist/commands.txt'])
      writeFileSync(join(folder, name), readText(name));
  });
  after(() => server.close());

  /** Files of the bundle that were loaded, and modules that ran. */
  const PART = /\/(remit|more|rest)\.cjs$/;

  /** What V8 counted of the bundle in a run. */
  async function countedIn(argv: readonly string[]): Promise<Coverage['result']> {
    const coverage = mkdtempSync(join(tmpdir(), 'remit-coverage-'));
    await exec(process.execPath, [join(folder, 'bin', 'run.cjs'), ...argv], {
      timeout: 60_000,
      env: cleanEnv({
        NODE_V8_COVERAGE: coverage,
        REMIT_API_KEY: 'test_0123456789abcdef',
        REMIT_BASE_URL: server.baseUrl,
      }),
    });
    return readdirSync(coverage)
      .flatMap((name) => (JSON.parse(readFileSync(join(coverage, name), 'utf8')) as Coverage).result)
      .filter(({url}) => PART.test(url));
  }

  /** Which modules of the bundle run for a command line: V8 counts the calls of each one's function. */
  const modulesRunBy = async (...argv: string[]): Promise<string[]> =>
    (await countedIn(argv))
      .flatMap(({functions}) => functions.filter(({ranges}) => ranges[0]!.count > 0))
      .map(({functionName}) => functionName)
      .filter((name) => /^(src|node_modules)\//.test(name));
  const packagesOf = (modules: readonly string[]) =>
    new Set(modules.flatMap((name) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(name)?.[1] ?? []));

  it('runs no heavy package for one read', async function () {
    this.timeout(120_000);
    const modules = await modulesRunBy('payouts', 'get', PAYOUT_ID);
    assert.ok(modules.includes('src/commands/payouts/get.ts'), 'the count itself works');
    assert.ok(!modules.includes('src/commands/payouts/list.ts'), 'other commands stay unloaded');
    for (const later of [
      'network/tunnel',
      'network/handshake',
      'profiles/tls-files',
      'store/locks/lock',
      'client/transport/pool-transport',
    ])
      assert.ok(!modules.includes(`src/${later}.ts`), `${later} is loaded before it is needed`);
    const packages = packagesOf(modules);
    assert.ok(packages.has('@oclif/core'));
    for (const heavy of [
      'zod',
      'undici',
      'conf',
      'cli-table3',
      '@inquirer/prompts',
      'csv-parse',
      'yaml',
      'ajv',
    ])
      assert.ok(!packages.has(heavy), `${heavy} ran: ${[...packages].join(', ')}`);
    assert.ok(packages.size <= 12, [...packages].join(', '));
  });

  for (const [line, parts] of [
    [`payouts get ${PAYOUT_ID}`, ['remit']],
    [`payouts get ${PAYOUT_ID} -o json`, ['remit']],
    ['whoami', ['remit']],
    ['profiles list', ['remit']],
    [
      `payouts create --payee ${PAYOUT_ID} --amount 1 --currency USD --rail wire --dry-run`,
      ['remit', 'more'],
    ],
    ['help exit-codes', ['remit', 'more']],
    ['payouts batch list', ['remit', 'rest']],
  ] as const)
    it(`loads ${parts.join(' and ')} for ${line.replace(PAYOUT_ID, 'ID')}`, async function () {
      this.timeout(120_000);
      const loaded = (await countedIn(line.split(' '))).map(({url}) => PART.exec(url)?.[1]);
      assert.deepEqual(loaded, parts);
    });

  it('loads a heavy package with the command that needs it', async function () {
    this.timeout(120_000);
    const packages = packagesOf(await modulesRunBy('payouts', 'get', PAYOUT_ID, '-o', 'yaml'));
    assert.ok(packages.has('yaml'));
  });
});
