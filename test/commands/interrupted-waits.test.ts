import assert from 'node:assert/strict';
import {beforeEach, describe, it} from 'mocha';
import {Stop} from '../../src/cli/runtime/stop.ts';
import {BASE_URL, runCli, scratch, TEST_KEY, type CliOptions} from '../cli/run-cli.ts';
import {answer, lost, type Script} from '../client/transport/fake-transport.ts';
import {RecordingClock} from '../client/recording-clock.ts';
import {page, payin, PAYEE_ID, PAYER_ID, payout, PAYOUT_ID} from './fixtures.ts';

const KEY = '11111111-2222-4333-8444-555555555555'; // what the test runtime makes
const OTHER = '0192a000-0000-7000-8000-000000000032';
const AMOUNT = '--amount 125.00 --currency USD';
const transfer = (changes: Record<string, unknown>) => ({...payout(), rail: 'book', ...changes});

interface Case {
  line: string;
  topic: string;
  noun: string;
  /** The record in a status. */
  record: (changes: Record<string, unknown>) => unknown;
  key: string | null;
}

const CASES: readonly Case[] = [
  {
    line: `payouts create --payee ${PAYEE_ID} ${AMOUNT} --auto-approve --wait`,
    ...{topic: 'payouts', noun: 'payout', record: payout, key: KEY},
  },
  {
    line: `payouts approve ${PAYOUT_ID} --until settled`,
    ...{topic: 'payouts', noun: 'payout', record: payout, key: null},
  },
  {
    line: `payins create --payer ${PAYER_ID} ${AMOUNT} --auto-approve --wait`,
    ...{topic: 'payins', noun: 'payin', record: payin, key: KEY},
  },
  {
    line: `payins approve ${PAYOUT_ID} --wait`,
    ...{topic: 'payins', noun: 'payin', record: payin, key: null},
  },
  {
    line: `transfers create --source ${PAYEE_ID} --destination ${OTHER} ${AMOUNT} --rail book --auto-approve --wait`,
    ...{topic: 'transfers', noun: 'account transfer', record: transfer, key: null},
  },
  {
    line: `transfers approve ${PAYOUT_ID} --wait`,
    ...{topic: 'transfers', noun: 'account transfer', record: transfer, key: null},
  },
];

describe('a wait that is interrupted', () => {
  let home: string;
  beforeEach(async () => {
    home = scratch();
    const add = ['profiles', 'add', 'work', '--base-url', BASE_URL, '--key-stdin'];
    assert.equal((await runCli(add, {env: {HOME: home}, stdin: `${TEST_KEY}\n`})).exitCode, 0);
  });

  /** Runs a command on the stored profile; `signal` comes at the nth pause between two reads. */
  async function interrupted(
    line: string,
    service: Script,
    {
      signal = 'SIGINT',
      nth = 1,
      ...options
    }: CliOptions & {signal?: Parameters<Stop['receive']>[0]; nth?: number} = {},
  ) {
    const stop = new Stop(() => {});
    const clock = new RecordingClock();
    clock.onSleep = (at) => at === nth && stop.receive(signal);
    return runCli(line.split(' '), {env: {HOME: home}, service, stop, clock, ...options});
  }

  for (const {line, topic, noun, record, key} of CASES) {
    const until = line.includes('--until') ? ' --until settled' : '';
    const next = `remit ${topic} wait ${PAYOUT_ID}${until} -p work`;
    const service: Script = ({method}) => {
      if (method === 'POST') return answer(200, record({status: 'approved'}));
      const found = record({status: 'initiated'});
      return topic === 'transfers' ? page([found]) : answer(200, found);
    };

    it(`says in JSON what exists and how to continue: ${line.split(' ').slice(0, 2).join(' ')}`, async () => {
      const ran = await interrupted(`${line} --json`, service);
      assert.equal(ran.exitCode, 130);
      assert.equal(ran.stdout, '');
      const {id, status, idempotency_key, next: command} = ran.error().details!;
      assert.deepEqual([id, status, idempotency_key, command], [PAYOUT_ID, 'initiated', key, next]);
      assert.equal(ran.error().hint, next);
      assert.match(ran.error().message, /Stopping the wait does not stop the /);
      assert.equal(ran.error().retryable, false); // the same words again would pay twice
    });

    it(`says as text what exists and how to continue: ${line.split(' ').slice(0, 2).join(' ')}`, async () => {
      const ran = await interrupted(line, service, {signal: 'SIGTERM'});
      assert.equal(ran.exitCode, 143);
      assert.match(ran.stdout, new RegExp(`^ID\t${PAYOUT_ID}$`, 'm'));
      const message = `Error: terminated while waiting for ${noun} ${PAYOUT_ID} (status: initiated). Stopping the wait does not stop the ${noun}\nHint: ${next}\n`;
      assert.ok(ran.stderr.endsWith(message), ran.stderr);
      assert.doesNotMatch(ran.stderr, /nothing took effect/);
    });
  }

  it('keeps the answer of the write when the first read is cut short', async () => {
    const stop = new Stop(() => {});
    const service: Script = ({method}) => {
      if (method === 'POST') return answer(201, payout({status: 'approved'}));
      stop.receive('SIGINT');
      return lost('aborted');
    };
    const ran = await interrupted(`${CASES[0]!.line} --json`, service, {stop});
    assert.equal(ran.exitCode, 130);
    const {id, status, may_have_taken_effect: tookEffect} = ran.error().details!;
    assert.deepEqual([id, status, tookEffect], [PAYOUT_ID, 'approved', true]);
  });

  it('prints the id on stdout under -o id', async () => {
    const service: Script = () => answer(200, payout({status: 'approved'}));
    const ran = await interrupted(`${CASES[0]!.line} -o id`, service);
    assert.deepEqual([ran.exitCode, ran.stdout], [130, `${PAYOUT_ID}\n`]);
  });

  it('is no failure of a write in a command that only waits', async () => {
    const service: Script = () => answer(200, payout({status: 'approved'}));
    const ran = await interrupted(`payouts wait ${PAYOUT_ID} --json -p work`, service);
    assert.equal(ran.exitCode, 130);
    assert.equal(ran.error().details?.['next'], `remit payouts wait ${PAYOUT_ID} -p work`);
    assert.equal(ran.error().retryable, true);
  });

  it('is not advised to continue when there is no such record', async () => {
    const service: Script = () => answer(404, {error_code: 'NOT_FOUND', message: 'no payout'});
    const ran = await runCli(['payouts', 'wait', PAYOUT_ID, '--json'], {service, env: {HOME: home}});
    assert.deepEqual([ran.exitCode, ran.error().hint], [4, 'remit payouts list -p work']);
    assert.equal(ran.error().details?.['next'], undefined);
  });

  it('names no profile where REMIT_API_KEY takes the place of its key', async () => {
    const service: Script = () => answer(200, payout({status: 'approved'}));
    const env = {HOME: home, REMIT_API_KEY: TEST_KEY, REMIT_BASE_URL: BASE_URL};
    const ran = await interrupted(`${CASES[0]!.line} --json`, service, {env});
    assert.equal(ran.error().details?.['next'], `remit payouts wait ${PAYOUT_ID}`);
  });
});

describe('a write that is interrupted in flight', () => {
  it('is in doubt: the key and the command that repeats it, in JSON and in text', async () => {
    for (const [json, signal, exit] of [
      [['--json'], 'SIGINT', 130],
      [[], 'SIGTERM', 143],
    ] as const) {
      const stop = new Stop(() => {});
      const service: Script = () => {
        stop.receive(signal);
        return lost('aborted');
      };
      const argv = [...CASES[0]!.line.split(' '), ...json];
      const ran = await runCli(argv, {service, stop});
      assert.equal(ran.exitCode, exit);
      const repeat = `remit ${argv.join(' ')} --idempotency-key ${KEY}`;
      assert.ok(ran.stderr.includes(repeat), ran.stderr);
      assert.match(ran.stderr, /before the answer arrived; it may have taken effect \(POST \S+\)(?=\n|")/);
      if (json.length === 0) continue;
      const {id, status, idempotency_key, next} = ran.error().details!;
      assert.deepEqual([id, status, idempotency_key, next], [null, null, KEY, repeat]);
    }
  });

  for (const topic of ['payouts', 'payins', 'transfers'])
    it(`names the record that it was about: ${topic} approve`, async () => {
      const stop = new Stop(() => {});
      const service: Script = () => {
        stop.receive('SIGINT');
        return lost('aborted');
      };
      const ran = await runCli([topic, 'approve', PAYOUT_ID, '--wait', '--json'], {service, stop});
      const {id, status, idempotency_key, next} = ran.error().details!;
      assert.deepEqual(
        [id, status, idempotency_key, next],
        [PAYOUT_ID, null, null, `remit ${topic} get ${PAYOUT_ID}`],
      );
    });

  it('without a key is checked before it is repeated', async () => {
    const stop = new Stop(() => {});
    const service: Script = () => {
      stop.receive('SIGINT');
      return lost('aborted');
    };
    const ran = await runCli(['payouts', 'approve', PAYOUT_ID, '--json'], {service, stop});
    assert.equal(ran.exitCode, 130);
    assert.deepEqual([ran.error().hint, ran.error().retryable], [`remit payouts get ${PAYOUT_ID}`, false]);
    assert.match(ran.error().message, /; it may have taken effect \(\S+ \S+\)$/);
  });
});
