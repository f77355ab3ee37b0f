import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'mocha';
import type {Report} from '../../../src/cli/doctor/report.ts';
import type {ServiceFile} from '../../../src/service/service-file.ts';
import {BASE_URL, runCli} from '../run-cli.ts';
import {DifferingService} from './differing-service.ts';

describe('remit doctor --write', () => {
  let service: DifferingService;
  let home: string;
  beforeEach(async () => {
    service = await DifferingService.open();
    await service.fill();
    service.dialect = {paging: {max: 25}, headers: {requestId: 'x-trace-id'}};
    home = mkdtempSync(join(tmpdir(), 'remit-doctor-'));
  });
  afterEach(() => service.sandbox.close());

  const doctor = (words: string[], more: Record<string, string> = {}) =>
    runCli(['doctor', ...words], {
      ...{service, clock: service.clock, cwd: home},
      env: {HOME: home, REMIT_API_KEY: service.sandbox.sandbox.testKey, REMIT_BASE_URL: BASE_URL, ...more},
    });
  const put = (name: string, text: string) => {
    writeFileSync(join(home, name), text, {mode: 0o600});
    return join(home, name);
  };
  const read = (name: string) => JSON.parse(readFileSync(join(home, name), 'utf8')) as ServiceFile;
  const FOUND = {paging: {max: 25}, headers: {requestId: 'x-trace-id'}};

  it('keeps what the file contains, and corrects what the service shows to be wrong', async () => {
    const own = {$schema: 's.json', paging: {max: 90}, statuses: {payouts: {RETURNED: 'failed'}}};
    put('service.json', JSON.stringify(own));
    const ran = await doctor(['--write', 'service.json']);
    assert.equal(ran.exitCode, 8, ran.stderr);
    assert.deepEqual(read('service.json'), {...own, ...FOUND});
    assert.match(
      ran.stderr,
      /service\.json has settings that are not active\. They are used for the checks and kept\./,
    );
    assert.match(ran.stderr, /Updated \S+service\.json\. Activate it with:/);
    assert.equal(statSync(join(home, 'service.json')).mode & 0o777, 0o600);
  });

  it('checks with the settings of the file, so that a complete file gives no differences', async () => {
    put('service.json', JSON.stringify(FOUND));
    const ran = await doctor(['--write', 'service.json', '--json']);
    assert.equal(ran.exitCode, 0, ran.stdout);
    assert.deepEqual(read('service.json'), FOUND);
  });

  it('writes the file behind a link, and says so if the file is already active', async () => {
    put('real.json', '{}');
    symlinkSync('real.json', join(home, 'service.json'));
    const ran = await doctor(['--write', 'service.json'], {REMIT_SERVICE_FILE: join(home, 'service.json')});
    assert.deepEqual(read('real.json'), FOUND);
    assert.match(ran.stderr, /Updated \S+real\.json\. It is the active service file\./);
    assert.doesNotMatch(ran.stderr, /export|Activate/);
  });

  it('refuses a file that is not a service file before any request, and suggests another name', async () => {
    put('service-2.json', '{}');
    for (const [text, says] of [
      ['{"a": ', /service\.json: the file is not JSON/],
      ['{\n"paging": {"max": 0}\n}', /service\.json:2: paging\.max must be/],
    ] as const) {
      put('service.json', text);
      const ran = await doctor(['--write', 'service.json', '--json']);
      assert.equal(ran.exitCode, 5);
      assert.match(ran.error().message, says);
      assert.equal(ran.error().hint, 'remit doctor --write service-3.json');
      assert.equal(readFileSync(join(home, 'service.json'), 'utf8'), text);
    }
    mkdirSync(join(home, 'folder.json'));
    assert.equal((await doctor(['--write', 'folder.json', '--json'])).exitCode, 5);
    assert.equal((await doctor(['--write', 'none/service.json', '--json'])).exitCode, 13);
    assert.deepEqual(service.requests, []);
    assert.equal((await doctor(['--write', 'service-3.json'])).exitCode, 8);
    assert.ok(existsSync(join(home, 'service-3.json')));
  });

  it('refuses a file that contradicts the active one', async () => {
    const active = put('active.json', '{"paging": {"cursor": "page"}}');
    put('service.json', '{"paging": {"limit": "page"}}');
    const ran = await doctor(['--write', 'service.json', '--json'], {REMIT_SERVICE_FILE: active});
    assert.equal(ran.exitCode, 13);
    assert.match(
      ran.error().message,
      /contradicts the active service file: .*paging\.limit is the same as paging\.cursor/,
    );
    assert.match(ran.error().hint!, /doctor --write service-2\.json$/);
    assert.deepEqual(service.requests, []);
  });

  it('does not overwrite a file that was changed during the checks', async () => {
    const path = put('service.json', '{}');
    service.twist = (same) => {
      writeFileSync(path, '{"ids": {"format": "any"}}');
      return same;
    };
    const ran = await doctor(['--write', 'service.json', '--json']);
    assert.equal(ran.exitCode, 13);
    assert.match(ran.error().message, /was changed during the checks/);
    assert.deepEqual(read('service.json'), {ids: {format: 'any'}});
  });

  it('proposes a name that works: a new one next to a file with other settings, the active file if there is one', async () => {
    const hintOf = async (more: Record<string, string> = {}) =>
      /^Hint: (remit doctor --write .*)$/m.exec((await doctor([], more)).stderr)?.[1];
    assert.equal(await hintOf(), 'remit doctor --write service.json');
    put('service.json', '{"ids": {"format": "any"}}');
    assert.equal(await hintOf(), 'remit doctor --write service-2.json');
    const active = put('mine.json', '{"paging": {"max": 50}}');
    assert.equal(await hintOf({REMIT_SERVICE_FILE: active}), `remit doctor --write ${active}`);
    const ran = await doctor(['--write', active, '--json'], {REMIT_SERVICE_FILE: active});
    assert.equal((ran.json() as Report).written, active);
  });
});
