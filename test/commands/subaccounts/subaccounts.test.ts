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

  for (const [changes, says] of [
    [{name: 'other'}, 'name is other, requested Rent'],
    [{currency_code: 'EUR'}, 'currency_code is EUR, requested USD'],
  ] as const)
    it(`end with 8 if the new one is another one: ${says}`, async () => {
      const ran = await runCli(['subaccounts', 'create', '--name', 'Rent', '--currency', 'USD', '-o', 'id'], {
        service: [answer(201, {...subaccount, ...changes})],
      });
      assert.equal(ran.exitCode, 8, ran.stderr);
      assert.ok(ran.stderr.includes(`subaccount ${ID} is not as requested: ${says}`), ran.stderr);
      assert.match(ran.stderr, new RegExp(`^Hint: remit subaccounts get ${ID}$`, 'm'));
    });

  it('are as requested if the answer leaves fields out, or writes the currency otherwise', async () => {
    for (const body of [{id: ID}, {id: ID, name: null}, {id: ID, name: 'Rent ', currency_code: 'usd'}]) {
      const ran = await runCli('subaccounts create --name Rent --currency USD'.split(' '), {
        service: [answer(201, body)],
      });
      assert.deepEqual([ran.exitCode, ran.stderr], [0, '']);
    }
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
