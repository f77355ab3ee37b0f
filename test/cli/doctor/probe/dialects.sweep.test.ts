import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {mkdtempSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, describe, it} from 'mocha';
import type {Report} from '../../../../src/cli/doctor/report.ts';
import type {ServiceFile} from '../../../../src/service/service-file.ts';
import type {SandboxService} from '../../../commands/sandbox-service.ts';
import {BASE_URL, runCli} from '../../run-cli.ts';
import {filledSandbox} from '../filled-sandbox.ts';

/** Differences that only writes show, and the part of the service file that the probe finds. */
const DIALECTS: readonly (readonly [what: string, dialect: ServiceFile, found: ServiceFile])[] = [
  ['keys that are UUIDs', {keys: {format: 'uuid'}}, {keys: {format: 'uuid'}}],
  ['keys of at most 100 characters', {keys: {maxLength: 100}}, {keys: {maxLength: 64}}],
  ['keys of at most 36 characters', {keys: {maxLength: 36}}, {keys: {maxLength: 36}}],
  ['keys of at most 32 characters', {keys: {maxLength: 32}}, {keys: {maxLength: 32}}],
  ['keys in another header', {keys: {header: 'X-Acme-Key'}}, {keys: {header: 'X-Acme-Key'}}],
  [
    'creates by PUT, and cancels without a body',
    {
      routes: {'payouts.create': 'PUT /api/payouts', 'payins.create': 'PUT /api/payins'},
      bodies: {'payouts.cancel': 'none'},
    },
    {
      routes: {'payouts.create': 'PUT /api/payouts', 'payins.create': 'PUT /api/payins'},
      bodies: {'payouts.cancel': 'none'},
    },
  ],
  [
    'another path of cancels',
    {routes: {'payins.cancel': 'POST /api/payins/{id}/void'}},
    {routes: {'payins.cancel': 'POST /api/payins/{id}/void'}},
  ],
];

describe('remit doctor --probe-writes, with a service that differs', function () {
  let service: SandboxService | undefined;
  afterEach(async () => {
    await service?.sandbox.close();
    service = undefined;
  });

  const probe = async (path: string, more: Record<string, string> = {}) => {
    const {testKey, clock} = service!;
    const home = mkdtempSync(join(tmpdir(), 'remit-doctor-'));
    const ran = await runCli(['doctor', '--probe-writes', '--json', '--write', path], {
      ...{service: service!, clock, uuid: randomUUID},
      env: {HOME: home, REMIT_API_KEY: testKey, REMIT_BASE_URL: BASE_URL, ...more},
    });
    assert.ok(ran.exitCode === 0 || ran.exitCode === 8, ran.stderr);
    return {ran, report: ran.json() as Report};
  };

  for (const [what, dialect, found] of DIALECTS)
    it(`finds ${what}, writes it, and finds no differences with the written file`, async () => {
      service = await filledSandbox(dialect);
      const path = join(mkdtempSync(join(tmpdir(), 'remit-doctor-')), 'service.json');
      const {report} = await probe(path);
      assert.deepEqual(
        report.service,
        found,
        JSON.stringify(report.checks.filter(({verdict}) => verdict === 'differs')),
      );
      const {probed} = report;
      assert.deepEqual(probed!.canceled.toSorted(), probed!.created.toSorted());
      assert.deepEqual(
        probed!.left.map(({noun}) => noun),
        ['payee', 'move'],
      );
      const again = await probe(path, {REMIT_SERVICE_FILE: path});
      assert.deepEqual(
        again.report.checks.filter(({verdict}) => verdict === 'differs'),
        [],
      );
      assert.equal(again.ran.exitCode, 0);
    });

  it('finds the header of keys although the service then refuses a name', async () => {
    service = await filledSandbox({
      keys: {header: 'X-Acme-Key'},
      fields: {payouts: {auto_approve: 'approve'}},
    });
    const {report} = await probe(join(mkdtempSync(join(tmpdir(), 'remit-doctor-')), 'service.json'));
    assert.deepEqual(report.service, {keys: {header: 'X-Acme-Key'}});
    const create = report.checks.find(({check}) => check === 'routes.payouts.create')!;
    assert.equal(create.fix, 'set fields.payouts.auto_approve in the service file');
  });

  it('proposes the meaning of the status of a new record, and names the unit that an amount needs', async () => {
    service = await filledSandbox({
      statuses: {payins: {PENDING: 'created'}},
      fields: {payouts: {amount_in_minor_units: 'amount'}},
      units: {'payouts.amount_in_minor_units': 'minor'},
    });
    const {report} = await probe(join(mkdtempSync(join(tmpdir(), 'remit-doctor-')), 'service.json'));
    const of = (check: string) => report.checks.find((one) => one.check === check)!;
    assert.deepEqual(of('payins without approval').write, {statuses: {payins: {PENDING: 'created'}}});
    assert.equal(of('payins without approval').sure, false);
    assert.equal(of('routes.payouts.create').fix, 'first decide on fields.payouts.amount_in_minor_units');
  });

  it('names the key to set if a name in a request is refused', async () => {
    service = await filledSandbox({
      fields: {payouts: {auto_approve: 'approve'}, moves: {description: 'note'}},
    });
    const {report} = await probe(join(mkdtempSync(join(tmpdir(), 'remit-doctor-')), 'service.json'));
    const of = (check: string) => report.checks.find((one) => one.check === check)!;
    assert.match(of('routes.payouts.create').evidence, /returned 400 \(unknown field auto_approve\)/);
    assert.equal(of('routes.payouts.create').fix, 'set fields.payouts.auto_approve in the service file');
    assert.equal(of('routes.moves.create').fix, 'set fields.moves.description in the service file');
  });
});
