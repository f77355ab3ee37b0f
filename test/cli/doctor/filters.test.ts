import assert from 'node:assert/strict';
import type {Report} from '../../../src/cli/doctor/report.ts';
import type {CliResult} from '../run-cli.ts';
import {countIn, setUp} from './paging-service.ts';

const whole = (data: readonly unknown[]) => ({data, next_cursor: null});
const checksOf = (ran: CliResult) => new Map((ran.json() as Report).checks.map((one) => [one.check, one]));

describe('remit doctor, at a service whose filters compare other words', () => {
  it('writes statuses in capitals, so that a filter finds its records', async () => {
    const {path, run, withFile} = setUp({
      ...{count: 20, envelope: whole},
      statuses: ['SETTLED', 'CREATED', 'APPROVED', 'FAILED'],
    });
    const before = await run('payouts list --status settled --json');
    assert.equal(countIn(before.json()), 0);
    const ran = await run(`doctor --json --write ${path}`);
    const {write, sure, verdict} = checksOf(ran).get('statuses.payouts') ?? {};
    assert.deepEqual([verdict, sure], ['differs', true]);
    assert.equal(write?.statuses?.['payouts']?.['INITIATED'], 'initiated');
    for (const status of ['settled', 'created'])
      assert.equal(countIn((await withFile(`payouts list --status ${status} --json`)).json()), 5);
    const again = await withFile('doctor --json');
    assert.deepEqual([checksOf(again).get('filters.payouts.status')?.verdict, again.exitCode], ['holds', 0]);
  });

  it('writes that remit filters the records itself, if no word finds any', async () => {
    const {path, run, withFile} = setUp({
      ...{count: 20, envelope: whole},
      findsNothingBy: ['payee_id', 'status'],
    });
    const ran = await run(`doctor --json --write ${path}`);
    assert.deepEqual((ran.json() as Report).service.filters, {payouts: {status: false, payee_id: false}});
    assert.equal(countIn((await withFile('payouts list --status settled --json')).json()), 5);
    const again = checksOf(await withFile('doctor --json'));
    const sent = again.get('filters.payouts.status');
    assert.deepEqual(
      [sent?.verdict, sent?.evidence],
      ['holds', 'remit filters the records itself, as the service file states'],
    );
    assert.match(again.get('filters.payouts.created_to')?.evidence ?? '', /returned no other records/);
  });

  it('does not say that a filter holds whose answer cannot be used', async () => {
    const {run} = setUp({
      ...{count: 20},
      envelope: (data, all) => (all < 20 ? {message: 'try again later'} : whole(data)),
    });
    const checks = checksOf(await run('doctor --json'));
    assert.equal(checks.get('filters.payouts.status')?.verdict, 'unknown');
  });
});
