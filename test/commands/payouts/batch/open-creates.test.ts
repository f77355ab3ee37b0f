import assert from 'node:assert/strict';
import {readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'mocha';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import {payeeId} from '../../../batch/harness.ts';
import {runCli, TEST_KEY} from '../../../cli/run-cli.ts';
import {lost} from '../../../client/transport/fake-transport.ts';
import {Desk} from './desk.ts';

describe('rows of a batch and a single payment in doubt', () => {
  let desk: Desk;
  beforeEach(async () => {
    desk = Desk.withTwoRows();
    const line = `payouts create --payee ${payeeId(2)} --amount-minor 2000 --currency USD --retries 0`;
    const created = await runCli(line.split(' '), {
      env: desk.env(TEST_KEY),
      clock: desk.clock,
      service: () => lost(),
    });
    assert.equal(created.exitCode, 12, created.stderr);
  });
  afterEach(() => desk.close());

  it('are look-alikes, which must be acknowledged, in the first batch of a folder too', async () => {
    const planned = await desk.batch('plan ./p.csv --batch-id b');
    assert.equal(planned.exitCode, 0, planned.stderr);
    assert.match(
      planned.stdout + planned.stderr,
      /1 row may repeat earlier payments \(test, \S+\) in the last 30 days.*A-2 looks like a payment in doubt of a single command \(idempotency key/,
    );
    const refused = await desk.batch('run b --yes --json');
    assert.deepEqual([refused.exitCode, refused.error().code], [11, 'GUARD_DUPLICATES'], refused.stderr);
    assert.equal(desk.service.paid.length, 0);
    const ran = await desk.batch('run b --yes --json --accept duplicates=1');
    assert.deepEqual([ran.exitCode, (ran.json() as Summary).accepted], [0, 2], ran.stderr);
  });

  it('are refused with the command that completes the payment, and the row is paid once', async () => {
    const {hint = ''} = (await desk.batch('run ./p.csv --batch-id b --yes --json')).error();
    const [first = '', again] = hint!.split('; if all of them are intended: ');
    assert.match(again!, /--accept duplicates=1$/);
    const [, command = ''] =
      /^to complete the payment in doubt, and then remove A-2 from the file: remit (.+)$/.exec(first) ?? [];
    assert.match(
      command,
      /^payouts create --payee \S+ --amount-minor 2000 --currency USD --idempotency-key \S+$/,
    );
    const completed = await runCli(command.split(' '), {
      env: desk.env(TEST_KEY),
      clock: desk.clock,
      service: () => lost(),
    });
    assert.doesNotMatch(completed.stderr, /GUARD_DUPLICATES|refused/);
    assert.equal(completed.requests[0]!.headers['idempotency-key'], command.split(' ').at(-1));
  });

  it('are refused with the list if the payment had other fields', async () => {
    const line = `payouts create --payee ${payeeId(1)} --amount-minor 1000 --currency USD --rail wire --retries 0`;
    const options = {
      env: desk.env(TEST_KEY),
      clock: desk.clock,
      uuid: () => 'another-key',
      service: () => lost(),
    };
    await runCli(line.split(' '), options);
    const {hint = ''} = (await desk.batch('run ./p.csv --batch-id b --yes --json')).error();
    assert.match(
      hint!,
      new RegExp(
        `^to find out whether A-1 was paid: remit payouts list --payee ${payeeId(1)}; if all of them`,
      ),
    );
  });

  it('are counted once at a service where a batch was run before', async () => {
    desk.file('o.csv', [['O-1', 8, '8.00']]);
    await desk.batch('run ./o.csv --batch-id o --yes');
    const planned = await desk.batch('plan ./p.csv --batch-id b --json');
    const {seen_alike: seen} = planned.json() as {seen_alike: {alike: number}[]};
    assert.deepEqual(
      seen.map(({alike}) => alike),
      [1],
    );
  });

  it('are look-alikes also if the batch has a state folder of its own', async () => {
    const elsewhere = `--state-dir ${join(desk.folder, 'own')}`;
    const planned = await desk.batch(`plan ./p.csv --batch-id b ${elsewhere}`);
    assert.match(planned.stdout + planned.stderr, /A-2 looks like a payment in doubt of a single command/);
    const refused = await desk.batch(`run b --yes --json ${elsewhere}`);
    assert.deepEqual([refused.exitCode, refused.error().code], [11, 'GUARD_DUPLICATES'], refused.stderr);
    assert.match(refused.error().message, /or of a single command in doubt/);
    assert.equal(desk.service.paid.length, 0);
  });

  it('of another service or kind are not', async () => {
    const live = await desk.batch('run ./p.csv --batch-id b --yes --json --live', {live: true});
    assert.doesNotMatch(live.stderr, /GUARD_DUPLICATES/);
  });

  it('cannot be compared if a file of the memory is damaged: nothing is sent', async () => {
    const folder = join(desk.folder, '.local', 'state', 'remit', 'in-doubt');
    const [name] = readdirSync(folder);
    writeFileSync(join(folder, name!), '{');
    const ran = await desk.batch('run ./p.csv --batch-id b --yes --json');
    assert.deepEqual([ran.exitCode, ran.error().code], [13, 'STATE_DAMAGED'], ran.stderr);
    assert.ok(ran.error().message.includes(name!));
    assert.equal(desk.service.paid.length, 0);
  });
});
