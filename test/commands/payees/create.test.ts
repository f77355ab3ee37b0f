import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {runCli} from '../../cli/run-cli.ts';
import {answer} from '../../client/transport/fake-transport.ts';
import {PAYEE_ID} from '../fixtures.ts';

const create = (noun: string, body: unknown) =>
  runCli([`${noun}s`, 'create', '--name', 'Solo GmbH', '--type', 'business', '-o', 'id'], {
    service: [answer(201, body)],
  });

describe('payees create and payers create', () => {
  for (const noun of ['payee', 'payer'])
    for (const [changes, says] of [
      [{name: 'Acme'}, 'name is Acme, requested Solo GmbH'],
      [{type: 'individual'}, 'type is individual, requested business'],
    ] as const)
      it(`end with 8 if the new ${noun} is another one: ${says}`, async () => {
        const ran = await create(noun, {id: PAYEE_ID, name: 'Solo GmbH', type: 'business', ...changes});
        assert.equal(ran.exitCode, 8, ran.stderr);
        assert.ok(ran.stderr.includes(`${noun} ${PAYEE_ID} is not as requested: ${says}`), ran.stderr);
        assert.match(ran.stderr, new RegExp(`^Hint: remit ${noun}s get ${PAYEE_ID}$`, 'm'));
      });

  it('take a record that shows less, or in another form, for the requested one', async () => {
    for (const body of [{id: PAYEE_ID}, {id: PAYEE_ID, type: null}, {id: PAYEE_ID, name: ' Solo  GmbH'}]) {
      const ran = await create('payee', body);
      assert.deepEqual([ran.exitCode, ran.stdout, ran.stderr], [0, `${PAYEE_ID}\n`, '']);
    }
  });
});
