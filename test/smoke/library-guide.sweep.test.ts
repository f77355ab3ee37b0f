import assert from 'node:assert/strict';
import {execFile} from 'node:child_process';
import {mkdtempSync, readFileSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import ts from 'typescript';
import {RemitClient} from '../../src/library/index.ts';
import {allOperations} from '../../src/contract/operations/operations.ts';
import {startSandbox, type RunningHarness} from '../../src/sandbox/index.ts';
import {readText} from '../repo/tree.ts';
import {installPackage} from './installed-package.ts';
import {cleanEnv} from './spawn-cli.ts';

const GUIDE = readText('docs/guides/library.md');
const FROZEN = {frozenAtMs: Date.UTC(2026, 2, 2, 15)};

/** The examples under a heading of a page, as `[language, code]`. */
const examples = (heading: string, page = GUIDE): [language: string, code: string][] => {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/^```(js|cjs|ts)\n([^]*?)^```/gm)].map(([, language, code]) => [
    language!,
    code!,
  ]);
};

describe('the library guide, on the packed and installed package', function () {
  this.timeout(240_000);
  let app: string;
  let sandbox: RunningHarness;
  let client: RemitClient;
  const env = () => cleanEnv({REMIT_BASE_URL: sandbox.baseUrl, REMIT_API_KEY: sandbox.testKey});

  before(async () => {
    ({app} = installPackage());
    sandbox = await startSandbox(FROZEN);
    client = new RemitClient({baseUrl: sandbox.baseUrl, key: sandbox.testKey});
  });
  beforeEach(() => sandbox.reset());
  after(async () => {
    await client.close();
    await sandbox.stop();
  });

  const write = (file: string, code: string) => writeFileSync(join(app, file), code);
  /** Runs a file while this process answers for the service; its lines. */
  const run = (file: string, more: {args?: string[]; env?: Record<string, string>} = {}) =>
    new Promise<string[]>((resolve, reject) => {
      const how = {cwd: app, env: {...env(), ...more.env}, timeout: 120_000};
      execFile(process.execPath, [file, ...(more.args ?? [])], how, (error, stdout, stderr) => {
        if (error !== null) reject(new Error(`${file}: ${stderr || stdout}`, {cause: error}));
        else resolve(stdout.trimEnd().split('\n'));
      });
    });
  const pay = async (payeeId: string, amountMinor: number) =>
    (await client.payouts.create({payee_id: payeeId, amount_in_minor_units: amountMinor, auto_approve: true}))
      .data.id;

  it('has each of its examples run by a test', () => {
    const count = [...GUIDE.matchAll(/^```(js|cjs|ts)$/gm)].length;
    assert.equal(count, 8, 'run the new example below');
    assert.deepEqual(
      [...GUIDE.matchAll(/^```(\w+)$/gm)]
        .map(([, language]) => language)
        .filter((one) => !/^(js|cjs|ts)$/.test(one!)),
      ['sh'],
    );
  });

  it('pays an invoice once, verifies events, and tests both with the sandbox', async () => {
    const [[, payExample]] = examples('Create a payout safely') as [[string, string]];
    const [[, receiveExample]] = examples('Verify webhooks') as [[string, string]];
    const [[, payTest], [, receiveTest]] = examples('Test with the sandbox') as [
      [string, string],
      [string, string],
    ];
    write('pay.mjs', payExample);
    write('receive.mjs', receiveExample);
    write('pay.test.mjs', payTest);
    write('receive.test.mjs', receiveTest);
    for (const file of ['pay.test.mjs', 'receive.test.mjs']) {
      const lines = await run(file);
      assert.ok(lines.includes('# fail 0') || lines.includes('ℹ fail 0'), lines.join('\n'));
    }
  });

  it('lists with paging, as an ES module and as CommonJS', async () => {
    const [[, esm], [, cjs]] = examples('List') as [[string, string], [string, string]];
    const {payees} = await sandbox.seed({payees: 1});
    const ids: string[] = [];
    for (const amount of [100, 250, 1]) ids.push(await pay(payees[0]!.id, amount));
    await sandbox.advance({until: 'idle'});
    write('list.mjs', esm);
    write('list.cjs', cjs);
    assert.deepEqual(await run('list.mjs'), ['settled: 351', `first: ${ids[0]} ${ids[1]}`, 'page: 1']);
    assert.deepEqual(await run('list.cjs'), [`newest: ${ids[2]}`]);
  });

  it('waits, in TypeScript, whose types package.test.ts checks', async () => {
    const [[, code]] = examples('Wait') as [[string, string]];
    const {outputText} = ts.transpileModule(code, {
      compilerOptions: {module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023},
    });
    write('wait.mjs', outputText);
    const {payees} = await sandbox.seed({payees: 1});
    const id = await pay(payees[0]!.id, 100);
    await sandbox.advance({until: 'idle'});
    assert.deepEqual(await run('wait.mjs', {args: [id]}), ['status: settled', '100 USD settled']);
  });

  it('plans, runs and resumes a batch', async () => {
    const [[, code]] = examples('Pay many at once') as [[string, string]];
    write('batch.mjs', code);
    const state = {REMIT_STATE_DIR: mkdtempSync(join(tmpdir(), 'remit-guide-'))};
    const {payees} = await sandbox.seed({payees: 3});
    const args = payees.map(({id}) => id);
    assert.deepEqual(await run('batch.mjs', {args, env: state}), [
      '3 of 3 rows accepted, 0 in doubt: exit code 0',
      '0 requests, complete',
    ]);
    assert.equal((await client.payouts.list().toArray()).length, 3);
    const other = {REMIT_STATE_DIR: mkdtempSync(join(tmpdir(), 'remit-guide-'))};
    await assert.rejects(run('batch.mjs', {args: args.slice(0, 2), env: other}), /2 rows|3 rows were stated/);
    assert.equal((await client.payouts.list().toArray()).length, 3);
    const live = {...other, REMIT_API_KEY: sandbox.liveKey};
    await assert.rejects(run('batch.mjs', {args, env: live}), /live key/);
  });

  it('begins with the example of the README', async () => {
    const [[, code]] = examples('As a library', readText('README.md')) as [[string, string]];
    write('readme.mjs', code);
    const {payees} = await sandbox.seed({payees: 1});
    const [line] = await run('readme.mjs', {env: {PAYEE: payees[0]!.id}});
    assert.match(line!, /^[0-9a-f-]{36} (approved|initiated)$/);
    assert.deepEqual(await run('readme.mjs', {env: {PAYEE: payees[0]!.id}}), [line]);
  });

  it('has a reference that equals the declarations', async () => {
    const script = '../../bin/library-page.mjs';
    const {libraryPage} = (await import(script)) as {
      libraryPage: (read: (path: string) => string, operations: unknown) => string;
    };
    const types = join(app, 'node_modules', 'remit-cli', 'dist', 'lib', 'types');
    const page = libraryPage(
      (path) => readFileSync(join(types, path), 'utf8').replace(/(from '.*)\.js'/g, "$1.js'"),
      allOperations(),
    );
    assert.equal(readText('docs/reference/library.md'), page, 'npm run generate');
  });
});
