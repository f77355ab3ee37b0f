import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {answer, type Script} from '../../client/transport/fake-transport.ts';
import {METHOD_ID, page, PAYEE_ID, PAYER_ID, PAYOUT_ID, payout} from '../../commands/fixtures.ts';
import {LIVE_KEY, runCli, scratch, BASE_URL} from '../run-cli.ts';

const missing = answer(404, {error_code: 'NOT_FOUND', message: 'not found'});
const ACCOUNT = '0192a000-0000-7000-8000-0000000000dd';

/** A service that answers these requests, and all others as missing. */
const having =
  (known: Readonly<Record<string, ReturnType<typeof answer>>>): Script =>
  ({method, path}) =>
    known[`${method} ${path.split('?')[0]}`] ?? missing;

describe('a 404 about a record', () => {
  it('names the route of an action if the record exists', async () => {
    const service = having({[`GET /api/payouts/${PAYOUT_ID}`]: answer(200, payout())});
    const ran = await runCli(['payouts', 'approve', PAYOUT_ID, '--json'], {service});
    const {code, message, hint, details} = ran.error();
    assert.deepEqual([ran.exitCode, code], [4, 'NOT_FOUND']);
    assert.match(
      message,
      new RegExp(`not found \\(POST \\S+\\)\\. Payout ${PAYOUT_ID} exists, so the route is probably wrong: `),
    );
    assert.match(message, /set routes\.payouts\.approve in the service file/);
    assert.match(hint ?? '', /"payouts\.approve": "POST \/…".* remit doctor --probe-writes$/);
    assert.deepEqual((details?.['assumption'] as {key: string}).key, 'routes.payouts.approve');
  });

  it('names the route of a get if the list has the record', async () => {
    const service = having({'GET /api/payouts': page([payout()])});
    const ran = await runCli(['payouts', 'get', PAYOUT_ID, '--json'], {service});
    assert.match(ran.error().message, /set routes\.payouts\.get in the service file/);
    assert.match(ran.error().hint ?? '', /remit doctor$/);
  });

  it('stays as it is if the record does not exist, and sends two GETs with a short time limit', async () => {
    const ran = await runCli(['payouts', 'approve', PAYOUT_ID, '--json'], {service: having({})});
    assert.doesNotMatch(ran.error().message, /service file/);
    assert.equal(ran.error().hint, 'remit payouts list');
    assert.deepEqual(
      ran.requests.map(({method}) => method),
      ['POST', 'GET', 'GET'],
    );
    const [, ...looks] = ran.requests;
    assert.deepEqual(
      looks.map(({timeouts}) => timeouts.totalMs),
      [5000, 5000],
    );
  });

  for (const [line, route] of [
    ['set-default', 'payeePaymentMethods.setDefault'],
    ['delete', 'payeePaymentMethods.delete'],
  ] as const)
    it(`names the route of payment-methods ${line} if the list has the method`, async () => {
      const list = `GET /api/payees/${PAYEE_ID}/payment-methods`;
      const service = having({[list]: page([{id: METHOD_ID}])});
      const argv = ['payment-methods', line, METHOD_ID, '--payee', PAYEE_ID, '--json'];
      const ran = await runCli(argv, {service});
      assert.match(
        ran.error().message,
        new RegExp(`Payment method ${METHOD_ID} exists, so .* set routes\\.${route.replace('.', '\\.')} in`),
      );
    });

  it('names the prefix if the list is missing too, at a path without a record', async () => {
    for (const [line, list] of [
      [`treasury balance ${ACCOUNT}`, 'accounts'],
      [`treasury label ${ACCOUNT} Main`, 'accounts'],
      [`transfers approve ${ACCOUNT}`, 'account-transfers'],
    ] as const) {
      const ran = await runCli([...line.split(' '), '--json'], {service: having({})});
      const {message, hint, details} = ran.error();
      assert.match(
        message,
        new RegExp(
          `not found \\(\\w+ \\S+\\)\\. GET /api/treasury/${list} is answered 404 too, so the prefix is probably wrong: .* \\(row 18\\); .* set prefixes\\.treasury in`,
        ),
      );
      assert.equal(hint, 'remit doctor');
      assert.deepEqual((details?.['assumption'] as {key: string}).key, 'prefixes.treasury');
    }
  });

  it('names the field of the id if the records of the list have none', async () => {
    const service = having({'GET /api/treasury/account-transfers': page([{transfer_id: ACCOUNT}])});
    const ran = await runCli(['transfers', 'get', ACCOUNT, '--json'], {service});
    assert.equal(ran.exitCode, 7);
    assert.match(ran.error().message, /records without an id .*set fields\.accountTransfers\.id in/);
  });

  it('leaves open whether a bank has reported a balance', async () => {
    const accounts = answer(200, {data: [{id: ACCOUNT, label: 'Main', currency_code: 'USD'}]});
    const service = having({'GET /api/treasury/accounts': accounts});
    const ran = await runCli(['treasury', 'balance', ACCOUNT, '--json'], {service});
    assert.match(
      ran.error().message,
      /Unless the bank has not reported a balance of this account yet, the route/,
    );
  });

  it('names no probe with a live key, which doctor refuses', async () => {
    const env = {HOME: scratch(), REMIT_API_KEY: LIVE_KEY, REMIT_BASE_URL: BASE_URL};
    const ran = await runCli(['payouts', 'list', '--json'], {service: having({}), env});
    assert.match(ran.error().hint ?? '', /remit doctor$/);
  });

  it('shows the words of a plain text, and says that it may be about the record or the route', async () => {
    const text = answer(404, 'No such payout\nat line 1', {'content-type': 'text/plain'});
    const ran = await runCli(['payouts', 'get', PAYOUT_ID, '--json'], {service: () => text});
    const {message} = ran.error();
    assert.match(
      message,
      /answered 404: No such payout \(unless the record does not exist, the route is wrong: /,
    );
    assert.doesNotMatch(message, /at line 1/);
  });

  it('says once that the record exists, if the answer is a page without words', async () => {
    const html = answer(404, '<html><body>Not Found</body></html>', {'content-type': 'text/html'});
    const service: Script = ({method}) => (method === 'GET' ? answer(200, payout()) : html);
    const ran = await runCli(['payouts', 'approve', PAYOUT_ID, '--json'], {service});
    const {message} = ran.error();
    assert.match(message, /answered 404 \(POST \S+\)\. Payout \S+ exists, so the route is probably wrong: /);
    assert.equal(message.split('in the service file').length, 2, message);
  });

  it('names the place of error codes if the body of a 404 has none', async () => {
    const body = answer(404, {fault: {kind: 'NOT_FOUND'}});
    const ran = await runCli(['payouts', 'get', PAYOUT_ID, '--json'], {service: () => body});
    assert.match(ran.error().message, /set errors\.code in the service file/);
  });
});

describe('a 404 about a create', () => {
  const party = (line: string) =>
    line.startsWith('payins')
      ? ([PAYER_ID, 'payer', 'payers'] as const)
      : ([PAYEE_ID, 'payee', 'payees'] as const);
  for (const line of [
    `payouts create --payee ${PAYEE_ID} --amount-minor 5`,
    `payins create --payer ${PAYER_ID} --amount-minor 5`,
  ]) {
    const [id, noun, resource] = party(line);
    it(`is about the ${noun} if the service does not have it`, async () => {
      const service = having({[`GET /api/${resource}`]: page([])});
      const ran = await runCli([...line.split(' '), '--json'], {service});
      const {message, hint} = ran.error();
      assert.equal(ran.exitCode, 4);
      assert.match(message, new RegExp(`not found \\(POST \\S+\\)\\. There is no ${noun} ${id}$`));
      assert.equal(hint, `remit ${resource} list`);
    });

    it(`names the ${noun} once if the answer names it`, async () => {
      const refusal = answer(404, {error_code: 'NOT_FOUND', message: `no ${noun} ${id}`});
      const create = `POST /api/${line.split(' ')[0]}`;
      const service = having({[`GET /api/${resource}`]: page([]), [create]: refusal});
      const {message = ''} = (await runCli([...line.split(' '), '--json'], {service})).error();
      assert.equal(message.split(id).length, 2, message);
    });

    it(`is about the route if the ${noun} exists, and if the create names no other record`, async () => {
      const service = having({[`GET /api/${resource}/${id}`]: answer(200, {id, name: 'Acme'})});
      const ran = await runCli([...line.split(' '), '--json'], {service});
      assert.match(
        ran.error().message,
        new RegExp(`not found \\(POST \\S+\\)\\. P${noun.slice(1)} ${id} exists, so the route is probably`),
      );
      const method = [...line.split(' '), '--payment-method', PAYOUT_ID, '--json'];
      const other = await runCli(method, {service});
      assert.match(other.error().message, /unless a record that the request names does not exist, the route/);
    });

    it(`leaves both open if the service has no list of ${resource}`, async () => {
      const ran = await runCli([...line.split(' '), '--json'], {service: having({})});
      assert.match(ran.error().message, /unless a record that the request names does not exist, the route/);
    });
  }
});

describe('a record inside another object', () => {
  it('is unreadable, and names the envelope', async () => {
    const service = having({[`GET /api/payouts/${PAYOUT_ID}`]: answer(200, {payout: payout()})});
    for (const line of ['get', 'wait --timeout 1s']) {
      const ran = await runCli(['payouts', ...line.split(' ').toSpliced(1, 0, PAYOUT_ID), '--json'], {
        service,
      });
      const {message, hint} = ran.error();
      assert.match(message, /The record is in payout, not at the top of the answer \(row 6\); if this/, line);
      assert.match(message, /set envelopes\.record in the service file/);
      assert.match(hint ?? '', /remit doctor$/, line);
    }
  });
});
