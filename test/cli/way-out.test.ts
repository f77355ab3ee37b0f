import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {withWayOut} from '../../src/cli/way-out.ts';
import {RemitError} from '../../src/errors.ts';
import {answer} from '../client/fake-transport.ts';
import {PAYEE_ID, PAYOUT_ID} from '../commands/fixtures.ts';
import {runCli} from './run-cli.ts';

const refused = (url: string, hint?: string) =>
  new RemitError('UNAVAILABLE', `GET ${url}: connection refused`, {details: {failure: 'refused'}, hint});

describe('the way out of an error that names none', () => {
  it('is the sandbox, when nobody listens on loopback', () => {
    assert.equal(
      withWayOut(refused('http://127.0.0.1:4510/api/payouts'), 'payouts:list').hint,
      'remit sandbox start',
    );
    assert.equal(withWayOut(refused('https://api.example.com/api'), 'payouts:list').hint, undefined);
    assert.equal(withWayOut(refused('http://localhost:4510/', 'do this'), 'payouts:create').hint, 'do this');
  });

  it('is the list, when there is no such record', async () => {
    const service = [answer(404, {error_code: 'NOT_FOUND', message: 'no payout'})];
    const ran = await runCli(['payouts', 'get', PAYOUT_ID, '--json'], {service});
    assert.deepEqual([ran.exitCode, ran.error().hint], [4, 'remit payouts list']);
  });

  it('is the list, when the service finds that an id is none', async () => {
    const service = [answer(400, {error_code: 'VALIDATION_ERROR', message: 'id: must be a UUID'})];
    assert.equal(
      (await runCli(['payouts', 'get', 'x', '--json'], {service})).error().hint,
      'remit payouts list',
    );
  });

  it('is the key in force, when the service does not accept it', async () => {
    const service = [answer(401, {error_code: 'AUTHENTICATION_ERROR', message: 'no such key'})];
    const ran = await runCli(['payouts', 'list', '--json'], {service});
    assert.deepEqual([ran.exitCode, ran.error().hint], [3, 'see which key is in force: remit whoami']);
  });

  it('is the list of what the sandbox has', () => {
    const hintOn = (commandId: string, message: string) =>
      withWayOut(new RemitError('NOT_FOUND', message, {httpStatus: 404}), commandId).hint;
    assert.equal(hintOn('sandbox:deliveries:show', 'no delivery x'), 'remit sandbox deliveries list');
    assert.equal(hintOn('sandbox:checkpoint:restore', 'no checkpoint x'), 'remit sandbox checkpoint list');
    const refused = 'the sandbox refused POST /sandbox/simulate: no payout x';
    assert.equal(hintOn('sandbox:simulate', refused), 'remit payouts list');
  });

  it('is the list of event types, when one is none', async () => {
    const words = 'webhooks endpoints create --url https://example.com --event-types foo --json';
    assert.equal((await runCli(words.split(' '))).error().hint, 'remit webhooks event-types');
  });

  it('is the list that has the ids, when what was given is none', async () => {
    const ran = await runCli(['payouts', 'create', '--payee', 'x', '--amount', '1.00', '--currency', 'USD']);
    assert.equal(ran.exitCode, 5);
    assert.match(ran.stderr, /payee_id: must be an id: a UUID.*\nHint: remit payees list/s);
  });

  it('is the list of payees or a payment method, when a payout cannot be created', async () => {
    const create = [
      'payouts',
      'create',
      '--payee',
      PAYEE_ID,
      '--amount',
      '1.00',
      '--currency',
      'USD',
      '--json',
    ];
    const hintOn = async (status: number, body: object) =>
      (await runCli(create, {service: [answer(status, body)]})).error().hint;
    assert.equal(await hintOn(404, {error_code: 'NOT_FOUND', message: 'no payee'}), 'remit payees list');
    const message = 'the payee has no default payment method; name one';
    assert.match(
      (await hintOn(422, {error_code: 'INVALID_PAYMENT_DETAILS', message})) ?? '',
      /--payment-method ID/,
    );
  });
});

describe('a flag that cannot be read', () => {
  it('is refused in our own words alone', async () => {
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
