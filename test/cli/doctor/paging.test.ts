import assert from 'node:assert/strict';
import {mkdtempSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'mocha';
import type {Report} from '../../../src/cli/doctor/report.ts';
import {BASE_URL, runCli} from '../run-cli.ts';
import {DifferingService} from './differing-service.ts';

describe('remit doctor, when an account has more bank transactions than any other list has records', () => {
  let service: DifferingService;
  beforeEach(async () => {
    service = await DifferingService.open();
    const {id} = await service.sandbox.ready('payee');
    for (let count = 0; count < 8; count += 1) {
      await service.sandbox.payout(id, {amount_in_minor_units: 2000 + count, auto_approve: true});
    }
    await service.sandbox.sandbox.advance({until: 'idle'});
  });
  afterEach(() => service.sandbox.close());

  const doctor = async () => {
    const home = mkdtempSync(join(tmpdir(), 'remit-doctor-'));
    const env = {HOME: home, REMIT_API_KEY: service.sandbox.sandbox.testKey, REMIT_BASE_URL: BASE_URL};
    const ran = await runCli(['doctor', '--json'], {service, clock: service.clock, env});
    assert.ok(ran.stdout !== '', ran.stderr);
    return {ran, checks: new Map((ran.json() as Report).checks.map((one) => [one.check, one]))};
  };

  it('checks paging with the transactions of that account', async () => {
    const {ran, checks} = await doctor();
    assert.equal(ran.exitCode, 0, ran.stderr);
    for (const check of ['paging.max', 'paging.limit', 'envelopes.next', 'paging.order'])
      assert.equal(checks.get(check)?.verdict, 'holds', check);
    const paged = service.requests.filter(({path}) => /limit=1(&|$)/.test(path)).map(({path}) => path);
    assert.match(paged[0]!, /accounts\/[^/]+\/transactions\?/);
  });

  it('reports a check that fails as unknown, and continues', async () => {
    const {twist} = service;
    service.twist = (answer, request) => {
      if (/transactions\?.*limit=100/.test(request.path)) throw new Error('the connection pool is broken');
      return twist(answer, request);
    };
    const {ran, checks} = await doctor();
    assert.equal(ran.exitCode, 8);
    assert.equal(checks.get('paging')?.verdict, 'unknown');
    assert.equal(checks.get('paging')?.evidence, 'the check failed: the connection pool is broken');
    assert.equal(checks.get('errors.code')?.verdict, 'holds');
  });
});
