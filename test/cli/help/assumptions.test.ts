import assert from 'node:assert/strict';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'mocha';
import {serviceSchema} from '../../../src/service/file/schema.ts';
import {answer} from '../../client/transport/fake-transport.ts';
import {BASE_URL, runCli, TEST_KEY} from '../run-cli.ts';

describe('help on assumptions', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'remit-help-'));
  });
  afterEach(() => rmSync(home, {recursive: true, force: true}));

  const help = async (words: string, env: Record<string, string> = {}) => {
    const ran = await runCli(['help', ...words.split(' ')], {env: {HOME: home, ...env}, cwd: home});
    assert.equal(ran.exitCode, 0, ran.stderr);
    return ran.stdout;
  };
  const addProfile = async () => {
    const file = join(home, 'service.json');
    writeFileSync(
      file,
      '{"routes": {"payouts.create": "POST /v1/payouts"}, "prefixes": {"treasury": "/bank"}, "keys": {"format": "uuid"}}',
    );
    const added = await runCli(
      ['profiles', 'add', 'prod', '--base-url', BASE_URL, '--key-stdin', '--service', file],
      {env: {HOME: home}, cwd: home, stdin: TEST_KEY},
    );
    assert.equal(added.exitCode, 0, added.stderr);
    return file;
  };

  it('lists each key of a service file with the assumed value if there is no profile', async () => {
    const text = await help('assumptions');
    assert.match(text, /^ {2}1 +routes\.payouts\.create +POST \/api\/payouts +assumed$/m);
    assert.match(text, /^ {2}45 +keys\.format +any +assumed$/m);
    const sections = Object.keys(serviceSchema().properties ?? {}).filter((name) => !name.startsWith('$'));
    for (const section of sections) assert.match(text, new RegExp(`  ${section}(\\.\\S+)? `), section);
  });

  it('shows the values of the active service file, and where they come from', async () => {
    const file = await addProfile();
    const text = await help('assumptions');
    assert.match(text, /^ {2}1 +routes\.payouts\.create +POST \/v1\/payouts +profile prod$/m);
    assert.match(text, /^ {2}18 +prefixes\.treasury +"\/bank" +profile prod$/m);
    assert.match(text, /^ {2}45 +keys\.format +"uuid" +profile prod$/m);
    assert.equal(await help('assumptions -p prod'), text);
    const env = {REMIT_API_KEY: TEST_KEY, REMIT_BASE_URL: BASE_URL, REMIT_SERVICE_FILE: file};
    assert.match(await help('assumptions', env), /"uuid" +REMIT_SERVICE_FILE \(.*service\.json\)$/m);
    const operations = await help('operations');
    assert.match(operations, /^ {2}payouts\.create +POST \/v1\/payouts +profile prod$/m);
    assert.match(operations, /^ {2}payouts\.get +GET \/api\/payouts\/\{id\} +given$/m);
    assert.match(operations, /^ {2}payins\.create +POST \/api\/payins +assumed \(row 1\)$/m);
  });

  it('is the hint of a failure, with the active profile', async () => {
    await addProfile();
    const service = [answer(404, {message: 'no route'})];
    const argv = ['payouts', 'list', '-p', 'prod', '--retries', '0', '--json'];
    const ran = await runCli(argv, {env: {HOME: home}, cwd: home, service});
    const {hint, message, details} = ran.error();
    assert.equal(
      hint,
      'remit profiles set prod --route payouts.list="GET /…"; to find what differs at the service: remit doctor -p prod',
    );
    assert.match(
      message,
      /GET \/api\/payouts is assumed \(row 5\).*set routes\.payouts\.list in the service file/,
    );
    assert.deepEqual([(details?.['assumption'] as {row: number}).row, ran.exitCode], [5, 4]);
    assert.match(await help('assumptions -p prod'), /routes\.payouts\.list/);
  });
});

describe('REMIT_SERVICE_FILE', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'remit-service-'));
    writeFileSync(join(home, 'service.json'), '{"routes": {"payouts.list": "GET /v1/pay"}}');
  });
  afterEach(() => rmSync(home, {recursive: true, force: true}));
  const env = () => ({
    ...{HOME: home, REMIT_API_KEY: TEST_KEY, REMIT_BASE_URL: BASE_URL},
    REMIT_SERVICE_FILE: join(home, 'service.json'),
  });
  const list = (more: Record<string, string> = {}) =>
    runCli(['payouts', 'list', '--json'], {
      env: {...env(), ...more},
      cwd: home,
      service: [answer(200, {data: []})],
    });

  it('applies together with REMIT_API_KEY, and whoami shows it', async () => {
    assert.equal((await list()).requests[0]?.path.split('?')[0], '/v1/pay');
    const who = (await runCli(['whoami', '--json'], {env: env(), cwd: home})).json() as Record<
      string,
      unknown
    >;
    assert.deepEqual(who['service'], {routes: {'payouts.list': 'GET /v1/pay'}});
    assert.match(String((who['from'] as Record<string, string>)['service']), /^REMIT_SERVICE_FILE \(/);
  });

  it('is refused without REMIT_API_KEY', async () => {
    const refused = await list({REMIT_API_KEY: '', REMIT_BASE_URL: ''});
    assert.equal(refused.exitCode, 2);
    assert.match(refused.error().message, /REMIT_SERVICE_FILE needs REMIT_API_KEY/);
  });

  it('is refused before anything is sent if it has an error or another user could have written it', async () => {
    const file = join(home, 'service.json');
    writeFileSync(file, '{\n  "keys": {"format": "ulid"}\n}');
    const wrong = await list();
    assert.deepEqual([wrong.exitCode, wrong.requests.length], [5, 0]);
    assert.equal(wrong.error().message, `${file}:2: keys.format must be any or uuid`);
    const missing = await list({REMIT_SERVICE_FILE: join(home, 'none.json')});
    assert.deepEqual([missing.exitCode, missing.error().code], [5, 'SERVICE_FILE']);
    if (process.platform === 'win32') return;
    writeFileSync(file, '{}');
    const {chmodSync} = await import('node:fs');
    chmodSync(file, 0o666);
    const open = await list();
    assert.deepEqual([open.exitCode, open.requests.length], [13, 0]);
    assert.match(open.error().message, /refused to use the service file: other users can change/);
  });
});
