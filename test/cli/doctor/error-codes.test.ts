import assert from 'node:assert/strict';
import {mkdtempSync, readFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {beforeEach, describe, it, afterEach} from 'mocha';
import type {Report} from '../../../src/cli/doctor/report.ts';
import type {ServiceFile} from '../../../src/service/service-file.ts';
import {answer} from '../../client/transport/fake-transport.ts';
import {BASE_URL, runCli} from '../run-cli.ts';
import {DifferingService} from './differing-service.ts';

describe('remit doctor, with a code whose meaning is open', () => {
  let service: DifferingService;
  beforeEach(async () => {
    service = await DifferingService.open();
    await service.fill();
  });
  afterEach(() => service.sandbox.close());

  const doctor = async () => {
    const home = mkdtempSync(join(tmpdir(), 'remit-doctor-'));
    const place = join(home, 'service.json');
    const ran = await runCli(['doctor', '--json', '--write', place], {
      ...{service, clock: service.clock},
      env: {HOME: home, REMIT_API_KEY: service.sandbox.sandbox.testKey, REMIT_BASE_URL: BASE_URL},
    });
    const {checks} = ran.json() as Report;
    const of = (check: string) => checks.find((one) => one.check === check);
    return {file: JSON.parse(readFileSync(place, 'utf8')) as ServiceFile, of};
  };

  const elsewhere = {'payouts.list': 'GET /v2/transfers', 'payouts.get': 'GET /v2/transfers/{id}'};

  it('leaves the code open if errors are plain text, and finds no difference', async () => {
    service.twist = (same) =>
      same.status < 400 ? same : answer(same.status, 'No such thing\n', {'content-type': 'text/plain'});
    const {file, of} = await doctor();
    assert.deepEqual(file, {});
    assert.equal(of('errors.code')?.verdict, 'unknown');
    assert.match(of('errors.code')!.evidence, /, with text\/plain: remit goes by the status$/);
    assert.equal(of('errors.message')?.verdict, 'holds');
  });

  it('writes the envelope by operation if one get has another than the rest', async () => {
    service.dialect = {envelopes: {record: {'payouts.get': 'payout'}}};
    const {file} = await doctor();
    const {record} = file.envelopes ?? {};
    assert.ok(typeof record === 'object', JSON.stringify(file));
    assert.equal(record['payouts.get'], 'payout');
    assert.equal(record['payees.get'], undefined);
  });

  it('writes no code if the payouts are elsewhere', async () => {
    service.dialect = {routes: elsewhere};
    const {file, of} = await doctor();
    assert.equal(of('routes.payouts.list')?.verdict, 'differs');
    assert.equal(file.errors?.codes, undefined);
    assert.equal(of('errors.codes')?.verdict, 'unknown');
    assert.match(of('errors.codes')!.evidence, /^ROUTE_UNKNOWN is .*the list of payouts was not found$/);
  });

  it('writes only where the code is if the payouts are elsewhere', async () => {
    service.dialect = {routes: elsewhere, errors: {code: 'fault.code', message: 'fault.text'}};
    const {file} = await doctor();
    assert.deepEqual(file.errors, {code: 'fault.code', message: 'fault.text'});
  });

  it('writes no code if payouts cannot be read by id', async () => {
    service.dialect = {routes: {'payouts.get': 'GET /api/transfers/{id}'}};
    const {file, of} = await doctor();
    assert.equal(file.errors?.codes, undefined);
    assert.match(of('errors.codes')!.evidence, /payouts cannot be read by id$/);
  });

  it('writes no code that a path that does not exist has as well', async () => {
    service.dialect = {errors: {codes: {GONE: 'NOT_FOUND'}}};
    service.codeOfNoRoute = 'NOT_FOUND';
    const {file, of} = await doctor();
    assert.equal(file.errors?.codes, undefined);
    assert.match(of('errors.codes')!.evidence, /a path that does not exist has the same code$/);
  });

  it('writes no code if the path that does not exist cannot be compared', async () => {
    service.dialect = {errors: {codes: {GONE: 'NOT_FOUND'}}};
    service.twist = (same, {path}) => (path.includes('remit-doctor') ? answer(503, {}) : same);
    const {file, of} = await doctor();
    assert.equal(file.errors?.codes, undefined);
    assert.equal(of('errors.codes')?.verdict, 'unknown');
  });
});
