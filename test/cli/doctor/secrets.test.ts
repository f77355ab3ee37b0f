import assert from 'node:assert/strict';
import {mkdtempSync, readFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'mocha';
import {Sanitizer} from '../../../src/sanitize/sanitizer.ts';
import {hasSecret} from '../../../src/cli/doctor/survey/draft.ts';
import type {Report} from '../../../src/cli/doctor/report.ts';
import {BASE_URL, runCli} from '../run-cli.ts';
import {answer} from '../../client/transport/fake-transport.ts';
import {DifferingService} from './differing-service.ts';

describe('remit doctor, with a service that returns the key', () => {
  let service: DifferingService;
  before(async () => {
    service = await DifferingService.open();
    await service.fill();
  });
  after(() => service.sandbox.close());

  const places: readonly (readonly [where: string, check: string, body: (key: string) => unknown])[] = [
    ['the error code', 'errors.codes', (key) => ({error_code: key, message: 'no'})],
    ['the error code in an object', 'errors.code', (key) => ({fault: {code: key}, message: 'no'})],
    ['the name of the field of the code', 'errors.code', (key) => ({[key]: {code: 'GONE'}, message: 'no'})],
    ['the name of the field of the message', 'errors.message', (key) => ({[key]: {message: 'no'}})],
  ];
  for (const [where, check, body] of places)
    it(`does not write it from ${where}`, async () => {
      const key = service.sandbox.sandbox.testKey;
      service.twist = (same, {path}) =>
        path.startsWith('/api/payouts/00000000-0000') ? answer(404, body(key), same.headers) : same;
      const home = mkdtempSync(join(tmpdir(), 'remit-doctor-'));
      const place = join(home, 'service.json');
      const ran = await runCli(['doctor', '--json', '--write', place], {
        ...{service, clock: service.clock},
        env: {HOME: home, REMIT_API_KEY: key, REMIT_BASE_URL: BASE_URL},
      });
      assert.equal(ran.exitCode, 8, ran.stderr);
      assert.doesNotMatch(readFileSync(place, 'utf8') + ran.stdout + ran.stderr, new RegExp(key));
      const {checks} = ran.json() as Report;
      const finding = checks.find((one) => one.check === check)!;
      assert.deepEqual([finding.verdict, finding.write], ['differs', null]);
      assert.match(finding.evidence, /not proposed, because it contains a secret$/);
    });

  it('finds secrets in names and texts of any part', () => {
    const key = 'test_abcdefghijklmnop1234';
    const sanitizer = new Sanitizer({secrets: [key]});
    for (const part of [
      {errors: {codes: {[key]: 'NOT_FOUND'}}},
      {routes: {'payouts.list': `GET /${key}/payouts`}},
      {headers: {extra: ['a', `x-${key.toUpperCase()}`]}},
      {envelopes: {list: Buffer.from(key).toString('hex')}},
    ])
      assert.ok(hasSecret(part, sanitizer), JSON.stringify(part));
    assert.equal(
      hasSecret({fields: {payeePaymentMethods: {account_number: 'iban'}}, paging: {max: 25}}, sanitizer),
      false,
    );
    assert.equal(hasSecret(undefined, sanitizer), false);
  });
});
