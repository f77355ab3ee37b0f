import assert from 'node:assert/strict';
import {before, describe, it} from 'mocha';
import {BASE_URL, LIVE_KEY, runCli, scratch, TEST_KEY} from '../cli/run-cli.ts';
import {answer, lost, type Script} from '../client/transport/fake-transport.ts';
import {loadCommands, remitCallsIn, faultOf} from '../repo/command-lines.ts';
import {METHOD_ID, PAYEE_ID, PAYER_ID, PAYOUT_ID} from './fixtures.ts';

const AMOUNT = '--amount 1.00 --currency USD';
const LINES = [
  `payouts create --payee ${PAYEE_ID} ${AMOUNT}`,
  `payouts create --payee ${PAYEE_ID} ${AMOUNT} --auto-approve --wait --timeout 1s`,
  `payouts approve ${PAYOUT_ID}`,
  `payouts approve ${PAYOUT_ID} --until settled --timeout 1s`,
  `payouts cancel ${PAYOUT_ID}`,
  `payouts get ${PAYOUT_ID}`,
  'payouts list --limit 1',
  `payouts wait ${PAYOUT_ID} --timeout 1s`,
  `payins create --payer ${PAYER_ID} ${AMOUNT} --auto-approve`,
  `payins approve ${PAYOUT_ID} --wait --timeout 1s`,
  `transfers create --source ${PAYEE_ID} --destination ${PAYER_ID} ${AMOUNT} --rail book --wait --timeout 1s`,
  `transfers approve ${PAYOUT_ID}`,
  `transfers get ${PAYOUT_ID}`,
  `moves create --source ${PAYEE_ID} --destination ${PAYER_ID} ${AMOUNT}`,
  `moves approve ${PAYOUT_ID}`,
  'payees create --name Acme',
  `payees get ${PAYEE_ID}`,
  `payees update ${PAYEE_ID} --name Acme`,
  'subaccounts create --name Rent',
  `payment-methods list --payee ${PAYEE_ID}`,
  `payment-methods set-default ${METHOD_ID} --payee ${PAYEE_ID}`,
  `payment-methods delete ${METHOD_ID} --payer ${PAYER_ID}`,
  `treasury balance ${PAYOUT_ID}`,
  `treasury label ${PAYOUT_ID} Main`,
  `treasury simulate-credit ${PAYOUT_ID} ${AMOUNT}`,
  'webhooks endpoints create --url https://example.com/a --event-types payout.settled --secret-file SECRET',
  `webhooks endpoints update ${PAYOUT_ID} --description x`,
  `webhooks endpoints disable ${PAYOUT_ID}`,
  `webhooks endpoints delete ${PAYOUT_ID}`,
  'webhooks event-types',
  'profiles test',
  `api POST /api/payouts/${PAYOUT_ID}/approve`,
  'api GET /api/payouts',
];

const record = {
  ...{id: PAYOUT_ID, payee_id: PAYEE_ID, payer_id: PAYER_ID, source_account_id: PAYEE_ID},
  ...{
    subaccount_id: null,
    amount_in_minor_units: 100,
    currency_code: 'USD',
    rail: 'book',
    client_metadata: {},
  },
};
const fields = (field: string) => ({
  error_code: 'VALIDATION_ERROR',
  message: 'no',
  details: [{field, issue: 'no'}],
});
/** The record in a status, alone or as a page of one. */
const found =
  (status: string, http = 200): Script =>
  ({method, path}) =>
    answer(http, method === 'GET' && /\?/.test(path) ? {data: [{...record, status}]} : {...record, status});

const SERVICES: Readonly<Record<string, Script>> = {
  ...{created: found('created'), approved: found('approved', 202), failed: found('failed')},
  'a 207': found('created', 207),
  'a 204 and no read': ({method}) => (method === 'GET' ? answer(500) : answer(204)),
  'a 400': () => answer(400, fields('id')),
  'a 400 about another field': () => answer(400, fields('payee_id')),
  'a 401': () => answer(401, {error_code: 'AUTHENTICATION_ERROR'}),
  'a 404': () => answer(404, {error_code: 'NOT_FOUND'}),
  'a 409': () => answer(409, {error_code: 'IDEMPOTENCY_KEY_CONFLICT'}),
  'a 422': () => answer(422, {error_code: 'INVALID_PAYMENT_DETAILS'}),
  'a 429': () => answer(429, {}),
  'a 500': () => answer(500, {}),
  'a lost answer': () => lost(),
  'a refused connection': () => lost('refused', {sent: false}),
  HTML: () => answer(200, '<html>'),
  'another payment': found('created', 201),
};

/** Commands that name their profile themselves, or need none. */
const WITHOUT_PROFILE = /^remit (sandbox start( --detach)?( --port \d+)?|profiles show work)$/;

describe('every hint of a single-record command', () => {
  let home: string;
  let commands: Awaited<ReturnType<typeof loadCommands>>;
  before(async () => {
    home = scratch();
    commands = await loadCommands();
    for (const [name, key] of [
      ['work', TEST_KEY],
      ['prod', LIVE_KEY],
    ] as const) {
      const add = ['profiles', 'add', name, '--base-url', BASE_URL, '--key-stdin'];
      assert.equal((await runCli(add, {env: {HOME: home}, stdin: `${key}\n`})).exitCode, 0);
    }
  });

  async function hintsOf(line: string, service: Script): Promise<string[]> {
    const argv = line.replace('SECRET', `${scratch()}/secret`).split(' ');
    const env = {HOME: home, REMIT_STATE_DIR: scratch()}; // nothing is in doubt from an earlier command
    const ran = await runCli(argv, {service, env});
    return [...ran.stderr.matchAll(/^Hint: (.*)$/gm)].map((match) => match[1]!);
  }

  for (const [what, service] of Object.entries(SERVICES))
    it(`is a command that parses and carries the profile: ${what}`, async () => {
      for (const line of LINES)
        for (const hint of await hintsOf(line, service)) {
          const [call, ...more] = remitCallsIn(hint);
          assert.ok(call !== undefined && more.length === 0 && hint.startsWith('remit '), `${line}: ${hint}`);
          assert.equal(await faultOf(call, commands), undefined, `${line}: ${hint}`);
          if (!WITHOUT_PROFILE.test(hint)) assert.match(hint, / -p work$/, line);
        }
    });

  it('is there for every write that is in doubt', async () => {
    for (const line of LINES.filter((each) => /create|approve|cancel|update|disable|delete|label/.test(each)))
      for (const service of [SERVICES['a lost answer']!, SERVICES['HTML']!])
        if (!/ delete /.test(line)) assert.equal((await hintsOf(line, service)).length, 1, line);
  });

  it('sets the route that the service does not have, with the profile, and names doctor', async () => {
    const notFound: Script = () => answer(404, {message: 'no route'});
    const create = `payouts create --payee ${PAYEE_ID} ${AMOUNT}`;
    assert.deepEqual(await hintsOf(create, notFound), [
      'remit profiles set work --route payouts.create="POST /…"; to find what differs at the service: remit doctor --probe-writes -p work',
    ]);
    assert.deepEqual(await hintsOf(`${create} --live --yes -p prod`, notFound), [
      'remit profiles set prod --route payouts.create="POST /…"; to find what differs at the service: remit doctor -p prod',
    ]);
    const [hint = ''] = await hintsOf(create, notFound);
    const [set] = remitCallsIn(hint.replace('…', 'v1/payouts'));
    const [doctor] = remitCallsIn(hint.replace(/.*: /, ''));
    assert.equal(await faultOf(doctor!, commands), undefined);
    assert.equal((await runCli(set!, {env: {HOME: home}})).exitCode, 0);
    const sent: string[] = [];
    const again = await runCli(create.split(' '), {
      service: ({method, path}) => {
        sent.push(`${method} ${path}`);
        return answer(404, {message: 'no route'});
      },
      env: {HOME: home},
    });
    assert.deepEqual([again.exitCode, sent], [4, ['POST /v1/payouts']]);
    assert.equal((await runCli(['profiles', 'unset', 'work', '--service'], {env: {HOME: home}})).exitCode, 0);
    const unstored = await runCli(create.split(' '), {service: notFound});
    assert.match(
      unstored.stderr,
      /^Hint: put \{"routes": \{"payouts.create": "POST \/…"\}\} into the service file \(REMIT_SERVICE_FILE=FILE\); .* remit doctor --probe-writes$/m,
    );
  });

  it('adds --live to a write with a live key, and names the profile that was typed once', async () => {
    const live = `payouts create --payee ${PAYEE_ID} ${AMOUNT} --live --yes -p prod`;
    const hints = await hintsOf(live, SERVICES['created']!);
    assert.deepEqual(hints, [`remit payouts approve ${PAYOUT_ID} --live -p prod`]);
    const repeat = (await hintsOf(live, SERVICES['a lost answer']!))[0]!;
    assert.match(repeat, /^remit payouts create .* --live --yes -p prod --idempotency-key \S+$/);
  });
});
