import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import {Commands} from '../../../src/cli/line/command-line.ts';
import {withNextStep, type Failed} from '../../../src/cli/core/next-step.ts';
import {RemitError} from '../../../src/errors.ts';
import {answer, lost, type Script} from '../../client/transport/fake-transport.ts';
import {page, PAYEE_ID, PAYOUT_ID} from '../../commands/fixtures.ts';
import {noteAddress} from '../../../src/cli/sandbox/recorded/addresses.ts';
import {makeFolder, sandboxPlace, writeRecord} from '../../../src/cli/sandbox/recorded/place.ts';
import {BASE_URL, runCli, scratch, TEST_KEY} from '../run-cli.ts';
import type {JsonFields} from '../../../src/narrow.ts';

const commands = new Commands({profile: undefined, mode: 'test', named: false});
const failed = (commandId: string, args: JsonFields = {}): Failed => ({
  commandId,
  flags: {},
  args,
});

/** The hint after a refused connection to this base URL. */
const hintAt = (baseUrl: string, {hint, stateDir = scratch()}: {hint?: string; stateDir?: string} = {}) =>
  withNextStep(
    new RemitError('UNAVAILABLE', 'connection refused', {details: {failure: 'refused'}, hint}),
    failed('payouts:list'),
    {commands, baseUrl, stateDir},
  ).hint;

/** A state folder in which sandboxes were started at these ports. */
function startedAt(...ports: readonly {port: number; detached?: boolean}[]): string {
  const stateDir = scratch();
  const place = sandboxPlace(stateDir);
  makeFolder(place.folder);
  for (const {port, detached = false} of ports)
    noteAddress(place, {base_url: `http://127.0.0.1:${port}`, detached});
  return stateDir;
}

const CREATE = `payouts create --payee ${PAYEE_ID} --amount 1.00 --currency USD --json`.split(' ');

describe('the next step after an error that names none', () => {
  it('is the sandbox, when an address where it was started refuses the connection', () => {
    const stateDir = startedAt({port: 4510}, {port: 8080}, {port: 8081, detached: true});
    for (const url of ['http://127.0.0.1:4510', 'http://localhost:4510/v1', 'http://[::1]:4510'])
      assert.equal(
        hintAt(url, {stateDir: startedAt({port: 4510}), hint: 'do this'}),
        'remit sandbox start; then do this',
        url,
      );
    assert.equal(hintAt('http://localhost:8080', {stateDir}), 'remit sandbox start --port 8080');
    assert.equal(hintAt('http://127.0.0.1:8081', {stateDir}), 'remit sandbox start --detach --port 8081');
    assert.equal(hintAt('http://127.0.0.1:9000', {stateDir}), undefined);
    assert.equal(hintAt('https://api.example.com', {stateDir}), undefined);
    assert.equal(hintAt('https://api.example.com', {stateDir, hint: 'do this'}), 'do this');
  });

  it('is the sandbox at its usual address, as long as none was started', () => {
    assert.equal(hintAt('http://127.0.0.1:4510'), 'remit sandbox start');
    assert.equal(hintAt('http://127.0.0.1:8080'), undefined);
  });

  it('is the sandbox at its usual address, if the addresses are damaged', () => {
    for (const text of ['{', '{}', 'null', '[1, {"base_url": 4510}]']) {
      const stateDir = startedAt({port: 8080});
      writeFileSync(join(sandboxPlace(stateDir).folder, 'addresses.json'), text);
      assert.equal(hintAt('http://127.0.0.1:4510', {stateDir}), 'remit sandbox start', text);
    }
  });

  it('stops the sandbox first, if it runs at another address', () => {
    const stateDir = startedAt({port: 4510, detached: true}, {port: 4599});
    const place = sandboxPlace(stateDir);
    const running = {base_url: 'http://127.0.0.1:4599', control_url: '', started_at: ''};
    writeRecord(place, {...running, pid: process.pid, store: place.store}, 'token');
    assert.equal(
      hintAt('http://127.0.0.1:4510', {stateDir}),
      'remit sandbox stop && remit sandbox start --detach',
    );
    assert.equal(hintAt('http://127.0.0.1:4599', {stateDir}), undefined);
    assert.equal(hintAt('http://127.0.0.1:4601', {stateDir}), undefined, 'a profile that was added by hand');
  });

  it('is the sandbox before the command of a write, which is refused as long as none runs', async () => {
    const service = () => lost('refused', {sent: false});
    const pay = ['payouts', 'create', '--payee', PAYEE_ID, '--amount', '5.00', '--currency', 'USD'];
    const env = {REMIT_STATE_DIR: startedAt({port: 4010}), REMIT_API_KEY: TEST_KEY, REMIT_BASE_URL: BASE_URL};
    const ran = await runCli([...pay, '--retries', '0', '--json'], {service, env});
    assert.equal(ran.exitCode, 7);
    assert.match(
      ran.error().hint!,
      /^remit sandbox start --port 4010; then remit payouts create --payee \S+ .*--idempotency-key \S+$/,
    );
  });

  it('is the list, when there is no such record', async () => {
    const service = [answer(404, {error_code: 'NOT_FOUND', message: 'no payout'})];
    const ran = await runCli(['payouts', 'get', PAYOUT_ID, '--json'], {service});
    assert.deepEqual([ran.exitCode, ran.error().hint], [4, 'remit payouts list']);
  });

  it('is the list, when the service refuses the id', async () => {
    const refusal = {error_code: 'VALIDATION_ERROR', message: 'no', details: [{field: 'id', issue: 'bad'}]};
    const service = [answer(400, refusal)];
    assert.equal(
      (await runCli(['payouts', 'get', 'x', '--json'], {service})).error().hint,
      'remit payouts list',
    );
  });

  it('is the active key if the service does not accept it', async () => {
    const service = [answer(401, {error_code: 'AUTHENTICATION_ERROR', message: 'no such key'})];
    const ran = await runCli(['payouts', 'list', '--json'], {service});
    assert.deepEqual([ran.exitCode, ran.error().hint], [3, 'remit whoami']);
  });

  it('is the list of what the sandbox has', () => {
    const hintOn = (commandId: string) =>
      withNextStep(new RemitError('NOT_FOUND', 'no', {httpStatus: 404}), failed(commandId), {
        commands,
        baseUrl: undefined,
      }).hint;
    assert.equal(hintOn('sandbox:deliveries:show'), 'remit sandbox deliveries list');
    assert.equal(hintOn('sandbox:checkpoint:restore'), 'remit sandbox checkpoint list');
  });

  it('is the list of accounts, methods or parties, for records that are listed elsewhere', async () => {
    const missing = answer(404, {error_code: 'NOT_FOUND', message: 'no'});
    for (const [line, hint] of [
      [`treasury balance ${PAYOUT_ID}`, 'remit treasury accounts list'],
      [`payment-methods list --payer ${PAYOUT_ID}`, 'remit payers list'],
      [
        `payment-methods set-default ${PAYOUT_ID} --payee ${PAYEE_ID}`,
        `remit payment-methods list --payee ${PAYEE_ID}`,
      ],
    ] as const) {
      const service: Script = ({path}) => (/\/accounts\?/.test(path) ? page([]) : missing);
      const ran = await runCli([...line.split(' '), '--json'], {service});
      assert.equal(ran.error().hint, hint);
    }
  });

  it('is the record or the list, if the service answers 409 without a known code', async () => {
    const service = [answer(409, {error_code: 'BUSY', message: 'another request'})];
    const hintOf = async (line: string) => {
      const ran = await runCli([...line.split(' '), '--json'], {service});
      assert.equal(ran.exitCode, 6);
      return ran.error().hint;
    };
    assert.equal(await hintOf(`payouts approve ${PAYOUT_ID}`), `remit payouts get ${PAYOUT_ID}`);
    const [source, destination] = [PAYOUT_ID, PAYEE_ID];
    assert.equal(
      await hintOf(
        `moves create --source ${source} --destination ${destination} --amount-minor 1 --currency USD`,
      ),
      'remit moves list --limit 5',
    );
  });

  it('is the route, and doctor, when a whole list is not found', async () => {
    const service = [answer(404, {error_code: 'NOT_FOUND', message: 'no operation at /api/payouts'})];
    assert.equal(
      (await runCli(['payouts', 'list', '--json'], {service})).error().hint,
      'put {"routes": {"payouts.list": "GET /…"}} into the service file (REMIT_SERVICE_FILE=FILE); to find what differs at the service: remit doctor',
    );
  });

  it('is the list of event types if one is unknown', async () => {
    const words = 'webhooks endpoints create --url https://example.com --event-types foo --json';
    assert.equal((await runCli(words.split(' '))).error().hint, 'remit webhooks event-types');
  });

  it('is the list with the ids if the given id is invalid', async () => {
    const ran = await runCli(['payouts', 'create', '--payee', 'x', '--amount', '1.00', '--currency', 'USD']);
    assert.equal(ran.exitCode, 2);
    assert.match(ran.stderr, /"x" is not the id of a payee.*\nHint: find the id with remit payees list/s);
  });

  it('is the value that was probably meant, if the given one is not in the list of a field', async () => {
    const hintFor = async (rail: string) => (await runCli([...CREATE, '--rail', rail])).error().hint;
    assert.equal(await hintFor('wrie'), 'did you mean --rail wire?');
    assert.equal(await hintFor('Same-day-ACH'), 'did you mean --rail same_day_ach?');
    assert.equal(await hintFor('pigeon'), null);
    const body = JSON.stringify({
      payee_id: PAYEE_ID,
      amount_in_minor_units: 100,
      currency_code: 'USD',
      rail: 'wrie',
    });
    const ran = await runCli(['payouts', 'create', '--data', body, '--json']);
    assert.deepEqual([ran.exitCode, ran.error().hint], [5, 'did you mean --rail wire?']);
    assert.equal(ran.requests.length, 0);
  });

  it('is the list of payees or a payment method, when a payout cannot be created', async () => {
    const create = [...CREATE];
    const DOCTOR = '; to find what differs at the service: remit doctor --probe-writes'; // the route may be missing
    const hintOn = async (status: number, body: object) =>
      (await runCli(create, {service: [answer(status, body)]})).error().hint;
    assert.equal(
      await hintOn(404, {error_code: 'NOT_FOUND', message: 'no payee'}),
      `remit payees list${DOCTOR}`,
    );
    create.push('--payment-method', PAYOUT_ID);
    assert.equal(
      await hintOn(404, {error_code: 'NOT_FOUND', message: 'no payment method'}),
      `remit payment-methods list --payee ${PAYEE_ID}${DOCTOR}`,
    );
    const message = 'the payee has no default payment method; name one';
    assert.equal(
      await hintOn(422, {error_code: 'INVALID_PAYMENT_DETAILS', message}),
      `remit payment-methods list --payee ${PAYEE_ID}`,
    );
  });
});

describe('a flag that cannot be read', () => {
  it("is refused with only remit's own message", async () => {
    for (const argv of [
      ['payouts', 'list', '--limit', 'x', '--json'],
      ['payouts', 'wait', PAYOUT_ID, '--timeout', 'x', '--json'],
    ]) {
      const ran = await runCli(argv);
      assert.equal(ran.exitCode, 2);
      assert.match(ran.error().message, /^--(limit|timeout) /);
    }
  });
});
