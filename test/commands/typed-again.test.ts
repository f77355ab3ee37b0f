import assert from 'node:assert/strict';
import {after, before, describe, it} from 'mocha';
import type {CliOptions} from '../cli/run-cli.ts';
import {answer} from '../client/transport/fake-transport.ts';
import {commandsIn, DoubtsWorld} from './doubts-world.ts';
import {page, payout} from './fixtures.ts';

const HOUR_MS = 3_600_000;

describe('a payment that is typed again after it was made', () => {
  let world: DoubtsWorld;
  let payee: string;
  before(async () => {
    world = await DoubtsWorld.open();
    payee = (await world.service.sandbox.ready('payee')).id;
  });
  after(() => world.close());

  const create = (amount: string, more = '') =>
    `payouts create --payee ${payee} --amount ${amount} --currency USD ${more}`.trim();
  const atTerminal = (line: string, ...answers: NonNullable<CliOptions['answers']>) =>
    world.run(line, {columns: 120, answers});
  const idOf = async (line: string) => (await world.run(`${line} -o id`)).stdout.trim();

  it('is asked about at a terminal, and not made after a no', async () => {
    const first = await atTerminal(create('10.00', '-o id'));
    assert.equal(first.exitCode, 0, first.stderr);
    const id = first.stdout.trim();
    const again = await atTerminal(create('10.00'), false);
    assert.equal(again.exitCode, 11);
    assert.deepEqual(world.posts, []);
    assert.deepEqual(again.questions, ['Make another payout?']);
    assert.match(
      again.stderr.replaceAll(/\s+/g, ' '),
      new RegExp(
        `Warning:\\S* a payout of 10\\.00 USD \\(1000 minor units\\), payee ${payee}, was made at \\S+Z: ${id}, created`,
      ),
    );
  });

  it('is made after a yes, and the next question counts both', async () => {
    await atTerminal(create('11.00'));
    const again = await atTerminal(create('11.00'), true);
    assert.equal(again.exitCode, 0, again.stderr);
    assert.equal(world.posts.length, 1);
    const third = await atTerminal(create('11.00'), false);
    assert.match(third.stderr, /, and 1 more like it/);
  });

  it('names commands that work: one shows the payment, one makes another', async () => {
    await idOf(create('12.00'));
    const {stderr} = await world.run(create('12.00'), {columns: 1_000, answers: [false]});
    const hint = /Hint: (.+)/.exec(stderr)?.[1] ?? assert.fail(stderr);
    const [show, another] = commandsIn(hint);
    assert.equal((await world.run(show!)).exitCode, 0);
    const made = await world.run(another!, {columns: 120, answers: []});
    assert.equal(made.exitCode, 0, made.stderr);
    assert.equal(world.posts.length, 1);
  });

  it('is found also when another folder made it', async () => {
    await world.run(create('13.00'));
    world.home += '-other';
    const again = await atTerminal(create('13.00'), false);
    assert.deepEqual(again.questions, ['Make another payout?']);
  });

  it('is not asked about: another amount, a script, a typed key, --yes, a canceled one', async () => {
    await world.run(create('14.00'));
    const quiet = async (line: string, at: Partial<CliOptions> = {columns: 120, answers: []}) => {
      const ran = await world.run(line, at);
      assert.equal(ran.exitCode, 0, ran.stderr);
      assert.equal(world.posts.length, 1);
    };
    await quiet(create('14.01'));
    await quiet(create('14.00'), {});
    await quiet(create('14.00', '--idempotency-key k14'));
    await quiet(create('14.00', '--yes'));
    const canceled = await idOf(create('16.00'));
    assert.equal((await world.run(`payouts cancel ${canceled} --yes`)).exitCode, 0);
    await quiet(create('16.00'));
  });

  it('is not asked about if it was made more than a day ago', async () => {
    const madeAgo = async (hours: number): Promise<string[]> => {
      const created_at = new Date(world.clock.now() - hours * HOUR_MS).toISOString();
      const {send} = world.transport;
      const old = {...payout(), payee_id: payee, amount_in_minor_units: 1800, created_at};
      world.transport.send = (request) =>
        request.path.startsWith('/api/payouts?') ? Promise.resolve(page([old])) : send(request);
      const ran = await atTerminal(create('18.00'), false);
      world.transport.send = send;
      return ran.questions;
    };
    assert.deepEqual(await madeAgo(25), []);
    assert.deepEqual(await madeAgo(23), ['Make another payout?']);
  });

  it('is made without a question if the list cannot be read', async () => {
    await world.run(create('17.00'));
    const {send} = world.transport;
    world.transport.send = (request) =>
      request.path.startsWith('/api/payouts?') ? Promise.resolve(answer(500, {})) : send(request);
    try {
      const again = await atTerminal(create('17.00'));
      assert.equal(again.exitCode, 0, again.stderr);
    } finally {
      world.transport.send = send;
    }
  });

  it('is asked about for every kind of payment', async () => {
    const {sandbox} = world.service;
    const payer = (await sandbox.ready('payer')).id;
    const line = `payins create --payer ${payer} --amount 5.00 --currency USD`;
    await world.run(line);
    const again = await atTerminal(line, false);
    assert.deepEqual(again.questions, ['Make another payin?']);
  });
});
