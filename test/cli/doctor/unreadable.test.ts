import assert from 'node:assert/strict';
import {existsSync, mkdtempSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'mocha';
import type {Report} from '../../../src/cli/doctor/report.ts';
import {checkService} from '../../../src/service/file/parse.ts';
import {answer} from '../../client/transport/fake-transport.ts';
import {BASE_URL, runCli} from '../run-cli.ts';
import {DifferingService} from './differing-service.ts';

type Twist = DifferingService['twist'];
const html = answer(200, '<html>', {'content-type': 'text/html'});

/** Services that remit cannot work with, and a part of what doctor must say. */
const SERVICES: readonly (readonly [what: string, twist: Twist, says: RegExp])[] = [
  ['HTML everywhere', () => html, /GET \/api\/payouts returned 200 with text\/html instead of a list/],
  ['404 everywhere', () => answer(404, {}), /GET \/api\/payouts returned 404/],
  ['404 with an HTML page everywhere', () => ({...html, status: 404}), /GET \/api\/payouts returned 404/],
  ['empty answers everywhere', () => answer(200, ''), /with nothing instead of a list/],
  ['204 everywhere', () => answer(204, ''), /with nothing instead of a list/],
  ['an empty object everywhere', () => answer(200, {}), /GET \/api\/payouts returned 200 without a list/],
  [
    'two lists in every answer',
    () => answer(200, {one: [{id: 'a'}], two: [{id: 'b'}]}),
    /GET \/api\/payouts returned 200 without a list/,
  ],
  ['500 everywhere', () => answer(500, {}), /no list could be read; GET \/api\/payouts returned 500/],
  [
    'a header that it requires',
    () => answer(400, {error_code: 'VALIDATION_ERROR', message: 'the header X-Tenant is required'}),
    /\(the header X-Tenant is required\)/,
  ],
  [
    'one list that fails',
    (same, {path}) => (path.startsWith('/api/payins') ? answer(500, {message: 'down'}) : same),
    /GET \/api\/payins returned 500 \(down\)/,
  ],
  [
    'HTML for one list',
    (same, {path}) => (path.startsWith('/api/payees?') ? html : same),
    /GET \/api\/payees returned 200 with text\/html instead of a list/,
  ],
  [
    'HTML for one record',
    (same, {path}) => (/^\/api\/payouts\/(?!0000)/.test(path) ? html : same),
    /GET \/api\/payouts\/\{id\} returned 200 with text\/html instead of JSON/,
  ],
  [
    'a record without an id',
    (same, {path}) => (/^\/api\/payouts\/(?!0000)/.test(path) ? answer(200, {a: {b: 1}}) : same),
    /GET \/api\/payouts\/\{id\} returned no record with an id/,
  ],
  [
    'event types that are not a list',
    (same, {path}) => (path.includes('event-types') ? answer(200, {a: 1}) : same),
    /event-types returned 200 without a list/,
  ],
  [
    'a refused page size',
    (same, {path}) => (path.includes('limit=') ? answer(400, {message: 'unknown parameter limit'}) : same),
    /"paging": \{"limit": "page_size"\}/,
  ],
];

describe('remit doctor, with a service that it cannot read', () => {
  let service: DifferingService;
  beforeEach(async () => {
    service = await DifferingService.open();
    await service.fill();
  });
  afterEach(() => service.sandbox.close());

  const doctor = (words: string[] = []) =>
    runCli(['doctor', '--retries', '0', ...words], {
      ...{service, clock: service.clock},
      env: {
        HOME: mkdtempSync(join(tmpdir(), 'remit-doctor-')),
        REMIT_API_KEY: service.sandbox.sandbox.testKey,
        REMIT_BASE_URL: BASE_URL,
      },
    });

  for (const [what, twist, says] of SERVICES)
    it(`exits 8 and says what could not be read: ${what}`, async () => {
      service.twist = twist;
      const ran = await doctor(['--json']);
      assert.equal(ran.exitCode, 8, ran.stdout);
      const {ok, checks} = ran.json() as Report;
      assert.equal(ok, false);
      const open = checks.filter(({verdict}) => verdict !== 'holds');
      assert.match(open.map(({evidence, fix}) => `${evidence} ${fix}`).join('\n'), says);
      for (const {fix} of checks) {
        const line = /^add to the service file, with the right value: (.*)$/.exec(fix ?? '')?.[1];
        if (line !== undefined) checkService(JSON.parse(`{${line}}`), line);
      }
    });

  it('calls no route right whose answers are not JSON', async () => {
    service.twist = () => html;
    const {checks} = (await doctor(['--json'])).json() as Report;
    const good = checks.filter(({area, verdict}) => area === 'service' && verdict === 'holds');
    assert.deepEqual(good, []);
  });

  it('writes no file if it can read nothing', async () => {
    service.twist = () => answer(404, {});
    const place = join(mkdtempSync(join(tmpdir(), 'remit-doctor-')), 'service.json');
    const ran = await doctor(['--write', place]);
    assert.equal(existsSync(place), false);
    assert.match(ran.stderr, /service\.json was not written, because no list could be read\./);
    assert.equal(((await doctor(['--write', place, '--json'])).json() as Report).written, null);
  });

  it('exits 0 if the key may not read one list', async () => {
    service.twist = (same, {path}) => (path.startsWith('/api/webhooks/endpoints') ? answer(403, {}) : same);
    const ran = await doctor(['--json']);
    const {checks} = ran.json() as Report;
    assert.equal(checks.find(({check}) => check === 'routes.webhookEndpoints.list')?.verdict, 'unknown');
    assert.equal(ran.exitCode, 0);
  });
});
