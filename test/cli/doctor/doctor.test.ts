import assert from 'node:assert/strict';
import {mkdirSync, mkdtempSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {stripVTControlCharacters} from 'node:util';
import {after, before, describe, it} from 'mocha';
import type {Report} from '../../../src/cli/doctor/report.ts';
import {checkService} from '../../../src/service/file/parse.ts';
import {BASE_URL, type CliOptions, runCli} from '../run-cli.ts';
import {answer} from '../../client/transport/fake-transport.ts';
import {DifferingService} from './differing-service.ts';

describe('remit doctor, with a service that matches the assumptions', () => {
  let service: DifferingService;
  before(async () => {
    service = await DifferingService.open();
  });
  after(() => service.sandbox.close());

  const doctor = async (words: string[] = [], options: Partial<CliOptions> = {}) => {
    const home = mkdtempSync(join(tmpdir(), 'remit-doctor-'));
    const env = {HOME: home, REMIT_API_KEY: service.sandbox.sandbox.testKey, REMIT_BASE_URL: BASE_URL};
    return runCli(['doctor', ...words], {service, clock: service.clock, env, ...options});
  };

  it('finds no differences, and reports what an empty service cannot show as unknown', async () => {
    const ran = await doctor(['--json']);
    const report = ran.json() as Report;
    assert.deepEqual(
      report.checks.filter(({verdict}) => verdict === 'differs'),
      [],
    );
    assert.deepEqual([ran.exitCode, report.ok], [0, true]);
    const get = report.checks.find(({check}) => check === 'routes.payouts.get')!;
    assert.equal(get.verdict, 'holds', 'an id that does not exist is refused, and a path otherwise');
    assert.match(
      get.evidence,
      /returned 404 for the id .*, and a path that does not exist is refused differently$/,
    );
    const unknown = report.checks.filter(({verdict}) => verdict === 'unknown').map(({check}) => check);
    for (const check of ['fields.payouts', 'keys', 'webhooks']) assert.ok(unknown.includes(check), check);
  });

  it('leaves open whether a payout can be read if paths that do not exist are refused in the same words', async () => {
    let answers = 0;
    service.twist = (same, {path}) =>
      same.status === 404 || same.status === 400
        ? answer(404, {error_code: 'NOT_FOUND', message: `no ${path}`, request_id: ++answers})
        : same;
    const ran = await doctor(['--json']);
    service.twist = (same) => same;
    const report = ran.json() as Report;
    const get = report.checks.find(({check}) => check === 'routes.payouts.get')!;
    assert.deepEqual([ran.exitCode, get.verdict, get.evidence], [8, 'unknown', 'no record to read']);
  });

  const getWith = async (twist: typeof service.twist) => {
    service.twist = twist;
    const report = (await doctor(['--json'])).json() as Report;
    service.twist = (same) => same;
    return report.checks.find(({check}) => check === 'routes.payouts.get')!;
  };

  it('takes a malformed id instead where the id of no record is refused like a path that does not exist', async () => {
    const {verdict, evidence} = await getWith((same, {path}) =>
      path.includes('not-an-id') || !/^\/api\/payouts?\b/.test(path) || same.status === 200
        ? same
        : answer(404, {error_code: 'NOT_FOUND', message: 'nothing here'}),
    );
    assert.equal(verdict, 'holds');
    assert.match(evidence, /for the id not-an-id, and a path that does not exist is refused differently$/);
  });

  for (const [what, status] of [
    ['is found', 200],
    ['is not refused as a path is', 500],
  ] as const)
    it(`leaves open whether a payout can be read if an id of no record ${what}`, async () => {
      const {verdict} = await getWith((same, {path}) =>
        /^\/api\/payouts\/[^/]+$/.test(path) ? answer(status, {message: 'no record here'}) : same,
      );
      assert.notEqual(verdict, 'holds');
    });

  it('takes a malformed id instead where the id of no record is answered', async () => {
    const {verdict, evidence} = await getWith((same, {path}) =>
      path.endsWith('/api/payouts/00000000-0000-4000-8000-000000000000') ? answer(200, {}) : same,
    );
    assert.deepEqual([verdict, evidence.includes('for the id not-an-id')], ['holds', true]);
  });

  it('leaves open whether a payout can be read if a path that does not exist is answered', async () => {
    const {verdict} = await getWith((same, {path}) =>
      path.includes('-remit-doctor') ? answer(200, {}) : same,
    );
    assert.equal(verdict, 'unknown');
  });

  it('checks this machine without a key, and with a damaged configuration', async () => {
    const home = mkdtempSync(join(tmpdir(), 'remit-doctor-'));
    const none = await doctor([], {env: {HOME: home}});
    assert.equal(none.exitCode, 3);
    assert.match(none.stdout, /^This machine$[\s\S]*holds +node /m);
    const json = await doctor(['--json'], {env: {HOME: home}});
    assert.deepEqual([json.exitCode, json.stdout], [3, '']);
    const checks = json.error().details?.['checks'];
    assert.ok(Array.isArray(checks) && checks.length > 2);
    const config = join(home, 'config');
    mkdirSync(config, {mode: 0o700});
    writeFileSync(join(config, 'config.json'), '{', {mode: 0o600});
    const damaged = await doctor([], {env: {HOME: home, REMIT_CONFIG_DIR: config}});
    assert.equal(damaged.exitCode, 13, damaged.stderr);
    assert.match(damaged.stdout, /config file/);
  });

  it('sends only GET requests', async () => {
    assert.deepEqual([...new Set(service.requests.map(({method}) => method))], ['GET']);
  });

  it('confirms everything that can be read once there are records', async () => {
    await service.fill();
    const ran = await doctor(['--json']);
    const report = ran.json() as Report;
    const unknown = report.checks.filter(({verdict}) => verdict !== 'holds').map(({check}) => check);
    assert.deepEqual(unknown.sort(), [
      'clock', // the sandbox sends no Date when it is called as a function
      'fields.treasury (treasury.transactions)', // no bank has reported any
      'keys',
      'keys.horizon',
      'metadata.reference',
      'routes of writes',
      'webhooks',
    ]);
  });

  it('prints a table, with the line to write and the command that writes it', async () => {
    service.dialect = {paging: {max: 25}};
    const ran = await doctor();
    assert.equal(ran.exitCode, 8);
    assert.match(ran.stdout, /^Service$/m);
    assert.match(ran.stdout, /^ {2}holds {4}routes\.payouts\.list {2,}GET \/api\/payouts returned a list$/m);
    assert.match(
      ran.stdout,
      /^ {2}differs {2}paging\.max {2,}limit=25 is accepted, limit=26 is refused \(row 41\)$/m,
    );
    assert.match(ran.stdout, /^ {11}write: "paging": \{"max": 25\}$/m);
    assert.match(ran.stdout, /^\d+ hold, 1 differ, \d+ unknown\.$/m);
    assert.match(ran.stderr, /remit doctor --write service\.json/);
  });

  it('fits a terminal of 80 columns, with what differs at the end and lines that can be copied', async () => {
    service.dialect = {
      fields: {payouts: {amount_in_minor_units: 'amount'}},
      units: {'payouts.amount_in_minor_units': 'minor'},
      envelopes: {record: 'result', next: 'page.next', more: 'page.has_more'},
      statuses: {payins: {PENDING: 'created'}},
    };
    const ran = await doctor([], {columns: 80});
    const lines = stripVTControlCharacters(ran.stdout).split('\n');
    assert.deepEqual(
      lines.filter((line) => line.length > 80 && line.trim().includes(' ')),
      [],
    );
    const verdicts = lines
      .flatMap((line) => /^ {2}(holds|unknown|differs) /.exec(line)?.[1] ?? [])
      .slice(-20);
    assert.ok(verdicts.lastIndexOf('holds') < verdicts.indexOf('differs'), verdicts.join());
    const text = lines.join('\n').replaceAll(/\n {13}/g, ' ');
    const written = [...text.matchAll(/^ {11}(.*)write: (".*)$/gm)].map(([, when, line]) => {
      checkService(JSON.parse(`{${line}}`), line!);
      return when;
    });
    assert.deepEqual(
      written.filter((when) => when !== ''),
      ['if 2000 is in minor units (cents), ', 'if PENDING means created, '],
    );
    assert.match(
      text,
      /fix: find out the unit; if it is the major unit \(dollars\), write "major-number" in place of "minor"/,
    );
  });
});
