import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {Stop} from '../../src/cli/runtime/stop.ts';
import {runCli} from '../cli/run-cli.ts';
import {answer, lost, type Reply, type Script} from '../client/transport/fake-transport.ts';
import {METHOD_ID, page, PAYEE_ID, payout, PAYOUT_ID} from './fixtures.ts';

/** Answers the write with `written`, every read with `found`; counts what was asked. */
const service =
  (written: Reply, found: Reply): Script =>
  ({method}) =>
    method === 'GET' ? found : written;

const EMPTY: readonly [string, Reply][] = [
  ['204', answer(204)],
  ['an empty 200', answer(200)],
  ['an empty object', answer(200, {})],
  ['words', answer(200, {message: 'approved'})],
  ['a record without a status', answer(200, {id: PAYOUT_ID})],
];

describe('an approval answered without its record', () => {
  for (const [what, written] of EMPTY) {
    it(`is waited for by the id that was given: ${what}`, async () => {
      const found = answer(200, payout({status: 'settled'}));
      const ran = await runCli(['payouts', 'approve', PAYOUT_ID, '--wait', '--json'], {
        service: service(written, found),
      });
      assert.equal(ran.exitCode, 0, ran.stderr);
      assert.equal((ran.json() as {status: string}).status, 'settled');
      if (what !== 'a record without a status') assert.doesNotMatch(ran.stderr, /has no status/);
      assert.deepEqual(
        ran.requests.map(({method, path}) => `${method} ${path}`),
        [`POST /api/payouts/${PAYOUT_ID}/approve`, `GET /api/payouts/${PAYOUT_ID}`],
      );
    });

    it(`is read again without --wait: ${what}`, async () => {
      const found = answer(200, payout({status: 'approved'}));
      const ran = await runCli(['payouts', 'approve', PAYOUT_ID, '-o', 'id'], {
        service: service(written, found),
      });
      assert.deepEqual([ran.exitCode, ran.stdout], [0, `${PAYOUT_ID}\n`]);
      assert.equal(ran.requests.length, 2);
    });
  }

  for (const line of ['approve', 'cancel', 'approve --wait'])
    it(`warns of another record, with exit 8: ${line}`, async () => {
      const [verb = '', ...rest] = line.split(' ');
      const found = answer(200, payout({status: verb === 'approve' ? 'settled' : 'canceled'}));
      const other = answer(200, payout({id: PAYEE_ID, status: 'settled'}));
      const ran = await runCli(['payouts', verb, PAYOUT_ID, ...rest, '--json'], {
        service: service(other, found),
      });
      assert.equal(ran.exitCode, 8, ran.stderr);
      assert.equal((ran.json() as {id: string}).id, PAYOUT_ID);
      assert.match(
        ran.stderr,
        new RegExp(`^Warning: .* another record \\(its id: ${PAYEE_ID}\\) than payout ${PAYOUT_ID}`, 'm'),
      );
    });

  for (const topic of ['transfers', 'moves'])
    it(`warns of another record, with exit 8: ${topic} approve`, async () => {
      const record = {id: PAYOUT_ID, status: topic === 'moves' ? 'SETTLED' : 'settled'};
      const found = topic === 'moves' ? answer(200, {data: record}) : page([record]);
      const other = answer(200, {data: {...record, id: PAYEE_ID}});
      const ran = await runCli([topic, 'approve', PAYOUT_ID, '--json'], {service: service(other, found)});
      assert.equal(ran.exitCode, 8, ran.stderr);
      assert.match(ran.stderr, new RegExp(`another record \\(its id: ${PAYEE_ID}\\)`));
    });

  it('takes a status without an id for the record of the id that was given', async () => {
    const ran = await runCli(['payouts', 'approve', PAYOUT_ID, '--json'], {
      service: [answer(200, {status: 'approved'})],
    });
    assert.deepEqual([ran.exitCode, ran.json()], [0, {status: 'approved', id: PAYOUT_ID}]);
    assert.equal(ran.requests.length, 1);
  });

  it('says what is known when the record cannot be read, with exit 8', async () => {
    for (const found of [answer(500, {}), answer(404, {error_code: 'NOT_FOUND'}), answer(200, {})]) {
      const ran = await runCli(['payouts', 'cancel', PAYOUT_ID, '--json'], {
        service: service(answer(204), found),
      });
      assert.equal(ran.exitCode, 8, ran.stderr);
      assert.deepEqual(ran.json(), {id: PAYOUT_ID, status: null, http_status: 204});
      assert.match(ran.stderr, /Warning: the service accepted the request without a record/);
      assert.match(ran.stderr, new RegExp(`^Hint: remit payouts get ${PAYOUT_ID}$`, 'm'));
    }
  });

  it('ends with 130 when the read after it is interrupted, and names what took effect', async () => {
    const stop = new Stop(() => {});
    const interrupted: Script = ({method}) => {
      if (method !== 'GET') return answer(204);
      stop.receive('SIGINT');
      return lost('aborted');
    };
    const ran = await runCli(['payouts', 'cancel', PAYOUT_ID, '--json'], {service: interrupted, stop});
    assert.equal(ran.exitCode, 130, ran.stderr);
    assert.match(ran.error().message, new RegExp(`payout ${PAYOUT_ID} was canceled`));
  });

  it('is partial when the record that is read again is still created', async () => {
    const ran = await runCli(['payouts', 'approve', PAYOUT_ID, '--json'], {
      service: service(answer(204), answer(200, payout())),
    });
    assert.equal(ran.exitCode, 8);
    assert.match(ran.stderr, /the payout was not approved/);
  });
});

describe('other writes on a known record, answered 204', () => {
  const endpoint = {id: PAYOUT_ID, url: 'https://example.com', is_active: false};
  for (const [line, found, fields] of [
    [`transfers approve ${PAYOUT_ID}`, page([{id: PAYOUT_ID, status: 'approved'}]), {status: 'approved'}],
    [
      `moves approve ${PAYOUT_ID}`,
      answer(200, {data: {id: PAYOUT_ID, status: 'SETTLED'}}),
      {status: 'SETTLED'},
    ],
    [`webhooks endpoints disable ${PAYOUT_ID}`, answer(200, endpoint), {is_active: false}],
    [`webhooks endpoints update ${PAYOUT_ID} --description x`, answer(200, endpoint), {is_active: false}],
    [`treasury label ${PAYOUT_ID} Main`, page([{id: PAYOUT_ID, label: 'Main'}]), {label: 'Main'}],
    [
      `payment-methods set-default ${METHOD_ID} --payee ${PAYEE_ID}`,
      page([{id: METHOD_ID, is_default: true}]),
      {is_default: true},
    ],
  ] as const)
    it(`are read again: ${line.split(' ').slice(0, 3).join(' ')}`, async () => {
      const ran = await runCli([...line.split(' '), '--json'], {service: service(answer(204), found)});
      assert.equal(ran.exitCode, 0, ran.stderr);
      const shown = ran.json() as Record<string, unknown>;
      for (const [field, value] of Object.entries(fields)) assert.equal(shown[field], value);
    });

  it('end with exit 8 and the id when they cannot be read', async () => {
    for (const line of [
      `transfers approve ${PAYOUT_ID}`,
      `moves approve ${PAYOUT_ID}`,
      `webhooks endpoints enable ${PAYOUT_ID}`,
      `treasury label ${PAYOUT_ID} Main`,
    ]) {
      const ran = await runCli([...line.split(' '), '--json'], {
        service: service(answer(204), answer(500, {})),
      });
      assert.equal(ran.exitCode, 8, ran.stderr);
      const status = line.includes(' approve ') ? {status: null} : {};
      assert.deepEqual(ran.json(), {id: PAYOUT_ID, ...status, http_status: 204});
    }
  });

  it('are in doubt where they create a record', async () => {
    for (const line of [
      'payees create --name Acme',
      'subaccounts create --name Rent',
      `payment-methods add --payee ${PAYEE_ID} --account-number 000123456789 --routing-number 021000021 --holder-name A`,
    ]) {
      const ran = await runCli([...line.split(' '), '--json'], {service: [answer(204)]});
      assert.equal(ran.exitCode, 12, line);
      assert.match(ran.error().hint ?? '', /^remit (payees|subaccounts|payment-methods) list /);
    }
  });
});
