import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import type {ServiceFile} from '../../../src/service/service-file.ts';
import {answer} from '../../client/transport/fake-transport.ts';
import {PAYEE_ID, payout, PAYOUT_ID} from '../../commands/fixtures.ts';
import {runCli} from '../run-cli.ts';
import {profiled} from './profiled.ts';

const LIVE = {mode: 'live', read_only: true, caps: {max_amount_minor: {USD: 100}}} as const;
const HOSTILE: readonly [title: string, service: ServiceFile][] = [
  ['an approval', {routes: {'eventTypes.list': `POST /api/payouts/${PAYOUT_ID}/approve`}}],
  [
    'a create',
    {
      routes: {'eventTypes.list': 'POST /api/payouts/'},
      bodies: {'eventTypes.list': {payee_id: PAYEE_ID, amount_in_minor_units: 999_900, auto_approve: true}},
    },
  ],
];

describe('a stored service file that turns a read into a write', () => {
  for (const [title, service] of HOSTILE)
    it(`sends nothing with a live key, and is named with its line: ${title}`, async () => {
      const env = profiled({...LIVE, service});
      const ran = await runCli(['webhooks', 'event-types', '--json'], {
        env,
        service: () => answer(503, payout()),
      });
      assert.equal(ran.exitCode, 11, ran.stderr);
      assert.deepEqual(ran.requests, []);
      const {code, message, hint, details} = ran.error();
      assert.equal(code, 'GUARD_WRITE');
      assert.match(message, /profile p in .*config\.json:1: routes\.eventTypes\.list must be a GET/);
      assert.equal(details?.['key'], 'routes.eventTypes.list');
      const fix =
        /remit (profiles unset p --route eventTypes\.list)$/.exec(hint ?? '')?.[1] ?? assert.fail(hint!);
      assert.equal((await runCli(fix.split(' '), {env})).exitCode, 0);
      assert.doesNotMatch(
        readFileSync(join(env.HOME, '.config', 'remit', 'config.json'), 'utf8'),
        /"eventTypes\.list":\s*"POST/,
      );
    });
});

describe('a stored service file whose cancel is an approval', () => {
  const service: ServiceFile = {
    routes: {'payouts.cancel': 'POST /api/payouts/{id}/approve'},
    bodies: {'payouts.cancel': {}},
  };

  for (const words of [
    ['payouts', 'cancel', PAYOUT_ID],
    ['payouts', 'batch', 'cancel', 'b'],
    ['api', 'POST', `/api/payouts/${PAYOUT_ID}/cancel`],
  ])
    it(`sends nothing under a cap: ${words.slice(0, 3).join(' ')}`, async () => {
      const env = profiled({mode: 'live', caps: {max_amount_minor: {USD: 100}}, service});
      const ran = await runCli([...words, '--live', '--yes', '--json'], {
        env,
        service: () => answer(200, payout()),
      });
      assert.deepEqual([ran.exitCode, ran.error().code], [11, 'GUARD_WRITE'], ran.stderr);
      assert.deepEqual(ran.requests, []);
    });
});

describe('a live create whose approval has the name that the service gives it', () => {
  it('is refused on the documented path before anything is shown or sent', async () => {
    const service: ServiceFile = {fields: {'payouts.create': {auto_approve: 'submit'}}};
    const data = {payee_id: PAYEE_ID, amount_in_minor_units: 999_900, currency_code: 'USD', submit: true};
    const words = ['api', 'POST', '/api/payouts', '-d', JSON.stringify(data)];
    const ran = await runCli([...words, '--idempotency-key', 'k', '--live', '--yes', '--json'], {
      env: profiled({mode: 'live', service}),
      service: () => answer(201, payout()),
    });
    assert.equal(ran.error().code, 'LOCAL_VALIDATION', ran.stderr);
    assert.match(ran.error().message, /submit is the service's name for auto_approve; write auto_approve/);
    assert.doesNotMatch(ran.stderr, /no money moves/);
    assert.ok(
      ran.requests.every(({method}) => method === 'GET'),
      ran.stderr,
    );
  });
});

describe('the confirmation of a live write', () => {
  const create = `payees create --name Acme --live --yes --json`.split(' ');

  it('shows where it is sent if the service file changes that', async () => {
    const service = {routes: {'payees.create': 'POST /v2/tenants/acme/payees'}};
    const ran = await runCli(create, {
      env: profiled({mode: 'live', service}),
      service: [answer(201, {id: PAYEE_ID, name: 'Acme'})],
    });
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.match(ran.stderr, /sent as +POST \/v2\/tenants\/acme\/payees/);
    assert.deepEqual(
      ran.requests.map(({method, path}) => `${method} ${path}`),
      ['POST /v2/tenants/acme/payees'],
    );
  });

  it('shows the body that the service file always sends', async () => {
    const service = {bodies: {'payouts.approve': {state: 'approved'}}};
    const ran = await runCli(`payouts approve ${PAYOUT_ID} --live --yes --json`.split(' '), {
      env: profiled({mode: 'live', service}),
      service: () => answer(200, payout({status: 'approved'})),
    });
    assert.match(ran.stderr, /sent as +POST \/api\/payouts\/\{id\}\/approve with \{"state":"approved"\}/);
  });

  it('shows the approval by id that may follow a create, and the deletion that follows a listener', async () => {
    const service = {
      routes: {
        'payouts.approve': 'POST /v2/payouts/{id}/approve',
        'webhookEndpoints.delete': 'DELETE /v2/webhook-endpoints/{id}',
      },
    };
    const words =
      `payouts create --payee ${PAYEE_ID} --amount 125.00 --currency USD --live --yes --json`.split(' ');
    const body = {
      payee_id: PAYEE_ID,
      amount_in_minor_units: 12_500,
      currency_code: 'USD',
      auto_approve: true,
    };
    const typed = ['api', 'POST', '/api/payouts', '-d', JSON.stringify(body), '--live', '--yes', '--json'];
    const run = async (line: readonly string[], approveById: boolean) => {
      const env = profiled({mode: 'live', service, approve_by_id: approveById});
      return (await runCli([...line], {env, service: () => answer(201, payout({status: 'approved'}))}))
        .stderr;
    };
    const approval = /sent as +POST \/v2\/payouts\/\{id\}\/approve/;
    assert.match(await run([...words, '--auto-approve'], true), approval);
    assert.match(await run(typed, true), approval);
    for (const [line, approveById] of [
      [[...words, '--auto-approve'], false],
      [typed, false],
      [words, true],
    ] as const)
      assert.doesNotMatch(await run(line, approveById), approval);
    const listen = 'webhooks listen --register --public-url https://example.test/h --live --yes'.split(' ');
    assert.match(await run(listen, false), /sent as +DELETE \/v2\/webhook-endpoints\/\{id\}/);
  });

  it('shows no route without a service file, and covers the retries of its request', async () => {
    const ran = await runCli(
      `payouts create --payee ${PAYEE_ID} --amount 125.00 --currency USD --live --yes --json`.split(' '),
      {env: profiled({mode: 'live'}), service: ({method}) => answer(method === 'GET' ? 404 : 503, {})},
    );
    assert.equal(ran.exitCode, 12, ran.stderr);
    assert.doesNotMatch(ran.stderr, /sent as/);
    assert.equal(ran.requests.filter(({method}) => method === 'POST').length, 3);
  });
});
