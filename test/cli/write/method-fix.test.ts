import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {after, before, describe, it} from 'mocha';
import {SandboxService} from '../../commands/sandbox-service.ts';
import {BASE_URL, runCli, type CliOptions} from '../run-cli.ts';

describe('a payout to a payee without a default payment method', () => {
  let service: SandboxService;
  let payee: string;
  before(async () => {
    service = await SandboxService.open();
    payee = (await remit('payees create --name Ash -o id')).stdout.trim();
  });
  after(() => service.sandbox.close());

  const remit = (line: string, options: Partial<CliOptions> = {}) =>
    runCli(line.split(' '), {
      ...{service, clock: service.clock, uuid: randomUUID},
      env: {REMIT_API_KEY: service.testKey, REMIT_BASE_URL: BASE_URL},
      ...options,
    });
  const create = (options?: Partial<CliOptions>) =>
    remit(`payouts create --payee ${payee} --amount 5.00 --currency USD`, options);
  const addMethod = async (more = '') => {
    const numbers = '--account-number 000123456789 --routing-number 021000021';
    const added = await remit(
      `payment-methods add --payee ${payee} ${numbers} --holder-name Ash${more} -o id`,
    );
    return added.stdout.trim();
  };
  const hint = async (options?: Partial<CliOptions>): Promise<string | undefined> => {
    const ran = await create(options);
    assert.equal(ran.exitCode, 5);
    return /^Hint: (.*)$/m.exec(ran.stderr)?.[1];
  };

  it('is followed by the command that gives it one', async () => {
    assert.equal(await hint(), `remit payment-methods add --payee ${payee}`);
    const only = await addMethod();
    const list = `remit payment-methods list --payee ${payee}`;
    assert.equal(await hint(), list, 'it is not verified yet');
    service.sandbox.passVerification();
    assert.equal(await hint(), `remit payment-methods set-default ${only} --payee ${payee}`);
    await addMethod();
    service.sandbox.passVerification();
    assert.equal(await hint(), list);
    assert.equal(await hint({columns: 100}), `remit payment-methods set-default --payee ${payee}`);
    const set = await remit(`payment-methods set-default ${only} --payee ${payee}`);
    assert.equal(set.exitCode, 0, set.stderr);
    assert.equal((await create()).exitCode, 0);
  });

  it('offers no default where there is none', async () => {
    const other = (await remit('payees create --name Elm -o id')).stdout.trim();
    const added = await remit(
      `payment-methods add --payee ${other} --account-number 000123456780 --routing-number 021000021 --holder-name Elm -o id`,
    );
    const method = added.stdout.trim();
    service.sandbox.passVerification();
    const ran = await remit(`payouts create --payee ${other}`, {
      ...{columns: 200, answers: ['5.00 USD', 'service', '', true]},
    });
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.match(ran.stderr, new RegExp(`--payment-method=${method}`));
  });
});
