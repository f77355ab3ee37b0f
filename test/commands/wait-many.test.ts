import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {Stop} from '../../src/cli/runtime/stop.ts';
import {runCli} from '../cli/run-cli.ts';
import {RecordingClock} from '../client/recording-clock.ts';
import {answer, type Script} from '../client/transport/fake-transport.ts';
import {payout} from './fixtures.ts';

const id = (at: number): string => `0192a000-0000-7000-8000-00000000000${at}`;
const [A, B, C] = [id(1), id(2), id(3)];

/** Each record has these statuses, one a read; the last one stays. */
function service(statuses: Readonly<Record<string, readonly (string | number)[]>>): Script {
  const reads = new Map<string, number>();
  return ({path}) => {
    const asked = path.split('/').at(-1)!;
    const list = statuses[asked] ?? [404];
    const at = reads.get(asked) ?? 0;
    reads.set(asked, at + 1);
    const status = list[Math.min(at, list.length - 1)]!;
    if (typeof status === 'number') return answer(status, {message: 'no'});
    const failure = {failure: {code: 'R03', message: 'no account'}};
    return answer(200, payout({id: asked, status, transfer_details: status === 'failed' ? failure : null}));
  };
}

const run = (words: readonly string[], statuses: Parameters<typeof service>[0], stdin?: string) =>
  runCli(['payouts', 'wait', ...words], {
    service: service(statuses),
    ...(stdin === undefined ? {} : {stdin}),
  });

type Row = {id: string; outcome: string; status: string | null; reason: string | null; error: string | null};

describe('waiting for several records', () => {
  it('ends when all have ended, in the order of the ids', async () => {
    const ran = await run([B, A, '--json'], {
      [A]: ['approved', 'settled'],
      [B]: ['approved', 'debited', 'settled'],
    });
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.deepEqual(
      (ran.json() as Row[]).map(({id, outcome, status, error}) => [id, outcome, status, error]),
      [
        [B, 'reached', 'settled', null],
        [A, 'reached', 'settled', null],
      ],
    );
  });

  it('reads ids from stdin, each once', async () => {
    const ran = await run(['-', '--json'], {[A]: ['settled'], [B]: ['settled']}, `${A}\n${B}\r\n\n${A}\n`);
    assert.deepEqual(
      (ran.json() as Row[]).map((row) => row.id),
      [A, B],
    );
    assert.equal(ran.requests.length, 2);
    const none = await run(['-'], {}, '\n');
    assert.equal(none.exitCode, 2);
    assert.match(none.stderr, /stdin contains no ids/);
  });

  it('has the exit code of the worst outcome', async () => {
    for (const [statuses, exit, error] of [
      [{[A]: ['settled'], [B]: ['failed']}, 9, 'ENDED_BADLY'],
      [{[A]: ['settled'], [B]: ['approved']}, 10, 'WAIT_TIMEOUT'],
      [{[A]: ['failed'], [B]: ['approved']}, 9, 'WAIT_TIMEOUT'],
      [{[A]: ['failed'], [B]: [404]}, 4, 'NOT_FOUND'],
      [{[A]: ['failed'], [B]: [401]}, 3, 'AUTHENTICATION_ERROR'],
    ] as const) {
      const ran = await run([A, B, '--timeout', '5s', '--json'], statuses);
      assert.equal(ran.exitCode, exit, JSON.stringify(statuses));
      assert.equal((ran.json() as Row[])[1]?.error, error);
    }
  });

  it('says why a record failed, in every format', async () => {
    const statuses = {[A]: ['failed'], [B]: ['settled']};
    const [row] = (await run([A, B, '--json'], statuses)).json() as Row[];
    assert.match(row?.reason ?? '', /R03/);
    for (const format of ['table', 'csv', 'yaml', 'ndjson'])
      assert.match((await run([A, B, '-o', format], statuses)).stdout, /R03.*no account/, format);
    assert.equal((await run([A, B, '-o', 'id'], statuses)).stdout, `${A}\n${B}\n`);
  });

  it('writes each change of a status as a line, then the end', async () => {
    const ran = await run([A, B, '-o', 'ndjson'], {
      [A]: ['approved', 'approved', 'settled'],
      [B]: ['failed'],
    });
    const lines = ran.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Row & {type: string});
    const of = (one: string) =>
      lines.filter((line) => line.id === one).map(({type, status}) => [type, status]);
    assert.deepEqual(of(A), [
      ['change', 'approved'],
      ['change', 'settled'],
      ['end', 'settled'],
    ]);
    assert.deepEqual(of(B), [
      ['change', 'failed'],
      ['end', 'failed'],
    ]);
  });

  it('stops at --until, and survives failed reads', async () => {
    const ran = await run([A, B, '--until', 'debited', '--json'], {
      [A]: [503, 'debited'],
      [B]: ['approved', 503, 'settled'],
    });
    assert.equal(ran.exitCode, 0, ran.stdout);
    assert.deepEqual(
      (ran.json() as Row[]).map(({outcome}) => outcome),
      ['reached', 'reached'],
    );
  });

  it('shares one time limit, and prints the command that continues', async () => {
    const ran = await run([A, B, C, '--timeout', '5s'], {
      [A]: ['settled'],
      [B]: ['approved'],
      [C]: ['created'],
    });
    assert.equal(ran.exitCode, 10);
    assert.match(ran.stderr, /2 of 3 payouts were not final within 5 s/);
    assert.match(ran.stderr.replaceAll(/\s+/g, ' '), new RegExp(`Hint: remit payouts wait ${B} ${C} `));
  });

  it('reads at most ten records at the same time', async () => {
    let open = 0;
    let most = 0;
    const ids = Array.from({length: 40}, (_, at) => `0192a000-0000-7000-8000-0000000000${at + 10}`);
    const ran = await runCli(['payouts', 'wait', ...ids, '--json'], {
      service: async ({path}) => {
        most = Math.max(most, (open += 1));
        await Promise.resolve();
        open -= 1;
        return answer(200, payout({id: path.split('/').at(-1)!, status: 'settled'}));
      },
    });
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.equal(ran.requests.length, 40);
    assert.ok(most <= 10, `${most} at once`);
  });

  it('stops at Ctrl-C, and shows what was seen', async () => {
    const stop = new Stop(() => {});
    const clock = new RecordingClock();
    clock.onSleep = () => stop.receive('SIGINT');
    const options = {service: service({[A]: ['settled'], [B]: ['approved']}), stop, clock};
    const ran = await runCli(['payouts', 'wait', A, B], options);
    assert.equal(ran.exitCode, 130, ran.stderr);
    assert.match(ran.stdout, new RegExp(`${A}\treached\tsettled`));
    assert.match(
      ran.stderr,
      /interrupted while waiting for 1 of 2 payouts\. Stopping the wait does not stop them/,
    );
    assert.match(ran.stderr, new RegExp(`Hint: remit payouts wait ${B}`));
    assert.equal(ran.requests.length, 2);
  });

  it('keeps the single record as it was', async () => {
    const ran = await run([A, '--json'], {[A]: ['settled']});
    assert.equal((ran.json() as {id: string; status: string}).status, 'settled');
  });
});
