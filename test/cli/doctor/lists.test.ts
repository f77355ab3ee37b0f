import assert from 'node:assert/strict';
import {mkdtempSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import type {Report} from '../../../src/cli/doctor/report.ts';
import type {ServiceFile} from '../../../src/service/service-file.ts';
import {SandboxService} from '../../commands/sandbox-service.ts';
import type {TransportAnswer, TransportRequest} from '../../../src/client/transport/transport.ts';
import {answer} from '../../client/transport/fake-transport.ts';
import {BASE_URL, runCli} from '../run-cli.ts';

type Twist = (
  request: TransportRequest,
  send: (request: TransportRequest) => Promise<TransportAnswer>,
) => Promise<TransportAnswer>;

/** What doctor finds at a service with five payouts. */
async function doctor(file: ServiceFile, twist: Twist = (request, send) => send(request), words = '--json') {
  const service = await SandboxService.open({service: file});
  const {id} = await service.sandbox.ready('payee');
  for (let count = 0; count < 5; count += 1) {
    service.sandbox.clock.pass(5000);
    await service.sandbox.payout(id, {amount_in_minor_units: 2000 + count});
  }
  const home = mkdtempSync(join(tmpdir(), 'remit-doctor-'));
  const env = {HOME: home, REMIT_API_KEY: service.testKey, REMIT_BASE_URL: BASE_URL};
  const transport = {
    send: (request: TransportRequest) => twist(request, (sent) => service.send(sent)),
    close: () => service.close(),
  };
  const terminal = words.includes('--json') ? {} : {columns: 100};
  const ran = await runCli(['doctor', ...words.split(' ')], {
    ...{service: transport, clock: service.clock, env},
    ...terminal,
  });
  await service.sandbox.close();
  return ran;
}

const checksOf = (ran: Awaited<ReturnType<typeof doctor>>) =>
  new Map((ran.json() as Report).checks.map((one) => [one.check, one]));

describe('remit doctor, at a service without cursors', () => {
  for (const paging of [
    {by: 'page', cursor: 'page'},
    {by: 'page', cursor: 'page', first: 0},
    {by: 'offset', cursor: 'offset'},
    {by: 'id', cursor: 'starting_after'},
    {by: 'link', cursor: 'cursor'},
  ] as const)
    it(`finds how the next page is requested: ${JSON.stringify(paging)}`, async () => {
      const ran = await doctor({paging});
      const found = checksOf(ran).get('paging.by');
      assert.deepEqual([found?.verdict, found?.write, found?.sure], ['differs', {paging}, true], ran.stdout);
      assert.deepEqual((ran.json() as Report).service.paging, paging);
    });
});

describe('remit doctor, at a service without lists of the treasury', () => {
  it('names the prefix, which it did not find', async () => {
    const ran = await doctor({prefixes: {treasury: '/api/cash'}});
    const found = checksOf(ran).get('prefixes.treasury');
    assert.equal(found?.verdict, 'differs', ran.stdout);
    assert.match(found.evidence, /neither accounts nor account transfers are listed below \/api\/treasury/);
    assert.match(found.fix ?? '', /"prefixes": {"treasury": "\/path"}/);
  });
});

describe('remit doctor, at a service with other names in balances', () => {
  it('finds them at the top of the answer, where a balance has no id', async () => {
    const ran = await doctor({}, async (request, send) => {
      const account = /accounts\/([^/]+)\/balance/.exec(request.path)?.[1];
      return account === undefined ? send(request) : answer(200, {account, current: 500, currency: 'USD'});
    });
    const found = checksOf(ran);
    assert.equal(found.get('fields.treasury.current_balance_in_minor_units')?.verdict, 'differs', ran.stdout);
    assert.deepEqual(found.get('fields.treasury.currency_code')?.write, {
      fields: {
        treasury: {currency_code: 'currency'},
      },
    });
    const envelopes = [...found.values()].filter(({check}) => check.startsWith('envelopes.record'));
    assert.ok(envelopes.every(({verdict}) => verdict === 'holds'));
  });
});

describe('remit doctor, at a service that ignores filters', () => {
  const unfiltered: Twist = (request, send) =>
    send({...request, path: request.path.replace(/(status|payee_id)=[^&]*&?/g, '')});

  it('writes those that remit has to apply itself, and says that the others hold', async () => {
    const checks = checksOf(await doctor({}, unfiltered));
    for (const name of ['status', 'payee_id'])
      assert.deepEqual(checks.get(`filters.payouts.${name}`)?.write, {filters: {payouts: {[name]: false}}});
    assert.equal(checks.get('filters.payouts.created_from')?.verdict, 'holds');
    const honest = checksOf(await doctor({}));
    for (const name of ['status', 'payee_id', 'created_from', 'created_to'])
      assert.equal(honest.get(`filters.payouts.${name}`)?.verdict, 'holds');
    assert.match(honest.get('filters.payouts.status')?.evidence ?? '', /status=created returned records/);
  });
});

describe('remit doctor at a terminal', () => {
  it('shows what differs or is unknown, and one line for what holds; --all shows the rest', async () => {
    const short = await doctor({paging: {max: 25}}, undefined, '--no-color');
    assert.match(short.stdout, /^ {2}holds {4}\d+ checks \(--all shows them\)$/m);
    assert.doesNotMatch(short.stdout, /holds +routes\.payouts\.list/);
    assert.match(short.stdout, /differs {2}paging\.max/);
    const whole = await doctor({paging: {max: 25}}, undefined, '--no-color --all');
    assert.match(whole.stdout, /holds +routes\.payouts\.list/);
    assert.doesNotMatch(whole.stdout, /--all shows/);
  });
});
