import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdtempSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {build, type Format} from 'esbuild';
import {before, describe, it} from 'mocha';
import {installPackage} from './installed-package.ts';
import {cleanEnv} from './spawn-cli.ts';

/** Uses each entry of the package; what it prints is `EXPECTED`. */
const PROGRAM = `
import {RemitClient, RemitError, validateBody} from 'remit-cli';
import {Batches, RemitError as OfBatches} from 'remit-cli/batch';
import {startSandbox} from 'remit-cli/sandbox';
import {signatureHeaders, verifyWebhook} from 'remit-cli/webhooks';

async function main() {
  console.log(RemitError === OfBatches);
  await validateBody('payouts.create', {payee_id: 1}).catch(({code}) => console.log(code));
  const body = Buffer.from('{}');
  console.log(verifyWebhook({body, headers: signatureHeaders('a', body, Date.now()), secrets: 'a'}).ok);
  const sandbox = await startSandbox({frozenAtMs: Date.UTC(2026, 2, 2, 15)});
  const service = {baseUrl: sandbox.baseUrl, key: sandbox.testKey};
  const client = new RemitClient(service);
  const {payees} = await sandbox.seed({payees: 1});
  const payout = {payee_id: payees[0].id, amount_in_minor_units: 100, auto_approve: true};
  const {data} = await client.payouts.create(payout);
  await sandbox.advance({until: 'idle'});
  console.log((await client.payouts.get({id: data.id})).data.status);
  const batches = new Batches({...service, stateDir: process.argv[2]});
  const rows = [{reference: 'a', payee_id: payees[0].id, amount: '1.00', currency_code: 'USD'}];
  console.log((await batches.plan({id: 'november', rows})).planned);
  await client.close();
  await sandbox.stop();
}
main();
`;
const EXPECTED = 'true\nLOCAL_VALIDATION\ntrue\nsettled\n1\n';

describe('the packed library', function () {
  this.timeout(240_000);
  let app: string;
  before(() => {
    ({app} = installPackage());
  });

  const run = (file: string) => {
    const argv = [file, mkdtempSync(join(tmpdir(), 'remit-bundled-'))];
    return spawnSync(process.execPath, argv, {
      cwd: app,
      env: cleanEnv(),
      encoding: 'utf8',
      timeout: 120_000,
    });
  };

  for (const [format, extension] of [
    ['esm', 'mjs'],
    ['cjs', 'cjs'],
  ] as const satisfies [Format, string][])
    it(`runs in a program that esbuild has bundled as ${format}`, async () => {
      const {warnings} = await build({
        stdin: {contents: PROGRAM, resolveDir: app},
        bundle: true,
        format,
        platform: 'node',
        outfile: join(app, 'bundled', `program.${extension}`),
        logLevel: 'silent',
      });
      assert.deepEqual(warnings, []);
      const {stdout, stderr} = run(join('bundled', `program.${extension}`));
      assert.equal(stdout, EXPECTED, stderr);
    });

  it('leaves nothing for a bundler to find but its own files', () => {
    const folder = join(app, 'node_modules', 'remit-cli', 'dist', 'lib');
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.cjs'))) {
      const code = readFileSync(join(folder, file), 'utf8');
      const required = [...code.matchAll(/(?<![.\w])(?:require|import)\((.*?)\)/g)].map(([, name]) => name!);
      assert.deepEqual(
        required.filter((name) => !/^"\.\/(errors|pg|schemas)\.cjs"$/.test(name)),
        [],
        file,
      );
    }
  });

  for (const [entry, code, thrower] of [
    [
      'remit-cli',
      `new RemitClient({baseUrl: 'http://127.0.0.1:1', key: 'test_a', retries: 0}).payouts.get({id: 'a'})`,
      'finish',
    ],
    ['remit-cli/webhooks', `verifyWebhook({body: 'text', headers: {}, secrets: 'a'})`, 'checkBody'],
    ['remit-cli/sandbox', `startSandbox({frozen: 1})`, 'checkOptions'],
    [
      'remit-cli/batch',
      `new Batches({baseUrl: 'http://127.0.0.1:1', key: 'test_a'}).run('a', {confirm: {count: 1, totals: {}}})`,
      'statedFigures',
    ],
  ] as const)
    it(`prints a stack trace that people can read: ${entry}`, () => {
      const name = /\w+(?=\()/.exec(code)![0];
      writeFileSync(join(app, 'throws.mjs'), `import {${name}} from '${entry}';\nawait ${code};\n`);
      const {stderr, status} = run('throws.mjs');
      assert.equal(status, 1);
      assert.match(stderr, new RegExp(`^ +at (async )?${thrower} \\(.*\\.cjs:\\d+:\\d+\\)$`, 'm'));
      assert.match(stderr, /^RemitError: /m);
      assert.ok(stderr.length < 5000, `${stderr.length} characters`);
      const longest = Math.max(...stderr.split('\n').map((line) => line.length));
      assert.ok(longest < 300, `a line of ${longest} characters`);
    });
});
