import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import {profiled} from '../../cli/guard/profiled.ts';
import {runCli, scratch, type CliOptions} from '../../cli/run-cli.ts';
import {answer, type Script} from '../../client/transport/fake-transport.ts';
import {METHOD_ID, PAYEE_ID} from '../fixtures.ts';

const NUMBER = '000123456789';
const CARD = '4242424242424242';
const BANK = `payment-methods add --payee ${PAYEE_ID} --routing-number 021000021 --holder-name Acme`.split(
  ' ',
);
const ADD_CARD = `payment-methods add --payee ${PAYEE_ID} --type card --exp-month 4 --exp-year 2031`.split(
  ' ',
);

/** A service that keeps what it is sent, and answers as it does. */
const service: Script = ({method}) =>
  method === 'GET' ? answer(404, {}) : answer(201, {id: METHOD_ID, type: 'bank_account', last4: '6789'});
const run = (mode: 'test' | 'live', words: string[], options: CliOptions = {}) =>
  runCli([...words, ...(mode === 'live' ? ['--live', '--yes'] : [])], {
    env: profiled({mode}),
    service,
    ...options,
  });
const sentBy = ({requests}: {requests: readonly {method: string; body?: string | undefined}[]}) =>
  JSON.parse(requests.find(({method}) => method === 'POST')?.body ?? 'null') as {
    bank_account?: {account_number: string};
    card?: {number: string};
  } | null;

describe('an account or card number', () => {
  for (const [words, flag] of [
    [BANK, ['--account-number', NUMBER]],
    [ADD_CARD, ['--card-number', CARD]],
    [
      [...BANK, '--dry-run'],
      ['--account-number', NUMBER],
    ],
  ] as const)
    it(`is refused as ${flag[0]} with a live key${words.includes('--dry-run') ? ', in a dry run too' : ''}`, async () => {
      const ran = await run('live', [...words, ...flag, '--json']);
      assert.equal(ran.exitCode, 11);
      assert.equal(ran.error().code, 'GUARD_ARGUMENT');
      assert.match(ran.error().hint ?? '', /--number-file/);
      assert.doesNotMatch(ran.stderr, new RegExp(flag[1]));
      assert.deepEqual(ran.requests, []);
    });

  it('may be a flag with a test key', async () => {
    const ran = await run('test', [...BANK, '--account-number', '000-1234 56789']);
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.equal(sentBy(ran)?.bank_account?.account_number, NUMBER);
  });

  for (const mode of ['test', 'live'] as const) {
    it(`comes from a hidden prompt, with a ${mode} key`, async () => {
      const ran = await run(mode, BANK, {columns: 80, answers: [NUMBER, true]});
      assert.equal(ran.exitCode, 0, ran.stderr);
      assert.equal(ran.questions[0], 'Account number:');
      assert.equal(sentBy(ran)?.bank_account?.account_number, NUMBER);
      assert.doesNotMatch(ran.stdout + ran.stderr, new RegExp(NUMBER));
    });

    it(`comes from a file or stdin, with a ${mode} key`, async () => {
      const file = join(scratch(), 'number');
      writeFileSync(file, `${CARD}\n`);
      const read = await run(mode, [...ADD_CARD, '--number-file', file]);
      assert.equal(sentBy(read)?.card?.number, CARD, read.stderr);
      const piped = await run(mode, [...BANK, '--number-file', '-'], {stdin: `${NUMBER}\n`});
      assert.equal(sentBy(piped)?.bank_account?.account_number, NUMBER, piped.stderr);
    });
  }

  it('comes from a pipe, as of another command', async () => {
    const pipe = join(scratch(), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const writer = spawn('sh', ['-c', `echo ${NUMBER} > ${pipe}`]);
    const ran = await run('live', [...BANK, '--number-file', pipe]);
    assert.equal(sentBy(ran)?.bank_account?.account_number, NUMBER, ran.stderr);
    writer.kill();
  });

  for (const [title, file, says] of [
    ['no file', '/nowhere/at/all', /cannot be read/],
    ['no end', '/dev/zero', /more than 4096 characters/],
    ['nothing', '/dev/null', /the account number must have 4 to 17 digits/],
  ] as const)
    it(`is refused from a file with ${title}`, async () => {
      const ran = await run('test', [...BANK, '--number-file', file, '--json']);
      assert.equal(ran.exitCode, 5);
      assert.match(ran.error().message, says);
      assert.deepEqual(ran.requests, []);
    });

  for (const [routing, account, says] of [
    ['021000021000', NUMBER, '--routing-number must have 9 digits'],
    ['021000021', '123', 'the account number must have 4 to 17 digits'],
  ] as const)
    it(`is refused with the number of digits that it must have: ${says}`, async () => {
      const words = BANK.map((word) => (word === '021000021' ? routing : word));
      const ran = await run('test', [...words, '--account-number', account, '--json']);
      assert.equal(ran.exitCode, 5);
      assert.equal(ran.error().message, says);
      assert.deepEqual(ran.requests, []);
    });

  it('needs a terminal or a file', async () => {
    const ran = await run('test', [...BANK, '--json']);
    assert.equal(ran.exitCode, 2);
    assert.match(ran.error().hint ?? '', /--number-file FILE/);
  });
});

describe('api with a live key', () => {
  const path = `/api/payees/${PAYEE_ID}/payment-methods`;
  const body = JSON.stringify({
    type: 'bank_account',
    bank_account: {account_number: NUMBER, routing_number: '021000021'},
  });

  it('takes a number from a file or stdin, not from its arguments', async () => {
    const refused = await run('live', ['api', 'POST', path, '-d', body, '--json']);
    assert.equal(refused.exitCode, 11);
    assert.equal(refused.error().code, 'GUARD_ARGUMENT');
    assert.deepEqual(refused.requests, []);
    const piped = await run('live', ['api', 'POST', path, '-d', '-'], {stdin: body});
    assert.equal(sentBy(piped)?.bank_account?.account_number, NUMBER, piped.stderr);
    const renamed = profiled({
      mode: 'live',
      service: {fields: {payeePaymentMethods: {'bank_account.account_number': 'bank_account.konto'}}},
    });
    const other = await run(
      'live',
      ['api', 'POST', path, '-d', '{"bank_account":{"konto":"000123456789"}}', '--json'],
      {
        env: renamed,
      },
    );
    assert.equal(other.exitCode, 11, other.stderr);
  });

  it('takes a routing number from its arguments, and with a test key everything', async () => {
    const routing = ['api', 'POST', path, '-d', '{"bank_account":{"routing_number":"021000021"}}'];
    assert.equal((await run('live', routing)).exitCode, 0);
    assert.equal((await run('test', ['api', 'POST', path, '-d', body])).exitCode, 0);
  });
});
