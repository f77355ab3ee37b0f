import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {runCli} from '../../cli/run-cli.ts';
import {answer, lost} from '../../client/transport/fake-transport.ts';
import {page} from '../fixtures.ts';

const ID = '0192a000-0000-7000-8000-000000000011';
const subaccount = {
  id: ID,
  name: 'Rent',
  currency_code: 'USD',
  balance_in_minor_units: 12_500,
  status: 'active',
  created_at: '2026-01-01T00:00:00.000Z',
};

describe('subaccounts', () => {
  it('are created from a name', async () => {
    const ran = await runCli(['subaccounts', 'create', '--name', 'Rent', '--currency', 'USD', '-o', 'id'], {
      service: [answer(201, subaccount)],
    });
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.equal(ran.stdout, `${ID}\n`);
    assert.equal(ran.requests[0]!.path, '/api/subaccounts');
    assert.deepEqual(JSON.parse(ran.requests[0]!.body!), {name: 'Rent', currency_code: 'USD'});
  });

  it('are not created from a blank one', async () => {
    const ran = await runCli(['subaccounts', 'create', '--name', ' ']);
    assert.equal(ran.exitCode, 5);
    assert.deepEqual(ran.requests, []);
  });

  it('are in doubt after a lost answer, until they are listed', async () => {
    const ran = await runCli(['subaccounts', 'create', '--name', 'Rent'], {service: [lost()]});
    assert.equal(ran.exitCode, 12);
    assert.equal(ran.requests.length, 1);
    assert.match(ran.stderr, /^Hint: .*remit subaccounts list --limit 5$/m);
  });

  it('show their balance in major units', async () => {
    const one = await runCli(['subaccounts', 'get', ID], {service: [answer(200, subaccount)]});
    assert.match(one.stdout, /^Balance\t125\.00 USD$/m);
    assert.equal(one.requests[0]!.path, `/api/subaccounts/${ID}`);
    const many = await runCli(['subaccounts', 'list'], {service: [page([subaccount])]});
    assert.match(many.stdout, /^[0-9a-f-]{36}\tRent\t125\.00 USD\tactive/m);
  });
});
