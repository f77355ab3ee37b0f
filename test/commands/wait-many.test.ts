import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {Stop} from '../../src/cli/runtime/stop.ts';
import {runCli} from '../cli/run-cli.ts';
import {RecordingClock} from '../client/recording-clock.ts';
import {answer, type Script} from '../client/transport/fake-transport.ts';
import {page, payout} from './fixtures.ts';

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

  it('says on stderr how many failed, were canceled or could not be read', async () => {
    const both = await run([A, B, '--json'], {[A]: ['failed'], [B]: [404]});
    assert.match(both.stderr, /1 of 2 payouts has failed or was canceled\./);
    assert.match(both.stderr, /1 of 2 payouts could not be read\./);
    const failed = await run([A, B, '--json'], {[A]: ['failed'], [B]: ['canceled']});
    assert.match(failed.stderr, /2 of 2 payouts have failed or were canceled\./);
    const good = await run([A, B, '--json'], {[A]: ['settled'], [B]: ['settled']});
    assert.equal(good.stderr, '');
    const paid = await run([A, B, '--until', 'canceled', '--json'], {[A]: ['settled'], [B]: ['canceled']});
    assert.match(paid.stderr, /1 of 2 payouts will not be canceled\./);
    assert.doesNotMatch(paid.stderr, /failed/);
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
    assert.match(
      ran.stderr,
      new RegExp(`1 payout needs an approval before any money moves:\\nHint: remit payouts approve ${C}\\n`),
    );
  });

  it('asks for no approval where a payout that is only created may end the wait', async () => {
    const script = {[A]: ['approved'], [B]: ['created']};
    const ran = await run([A, B, '--timeout', '5s', '--until', 'canceled'], script);
    assert.equal(ran.exitCode, 10);
    assert.doesNotMatch(ran.stderr, /approval|payouts approve/);
  });

  it('prints at most five of the commands that approve', async () => {
    const ids = Array.from({length: 7}, (_, at) => `0192a000-0000-7000-8000-00000000001${at}`);
    const script = Object.fromEntries(ids.map((one) => [one, ['created']]));
    const ran = await run([...ids, '--timeout', '5s'], script);
    assert.match(ran.stderr, /7 payouts need an approval before any money moves; the first 5:/);
    assert.equal(ran.stderr.match(/Hint: remit payouts approve /g)?.length, 5);
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

  it('prints no empty table if Ctrl-C comes before anything has ended', async () => {
    const stop = new Stop(() => {});
    const clock = new RecordingClock();
    clock.onSleep = () => stop.receive('SIGINT');
    const options = {service: service({[A]: ['approved'], [B]: ['approved']}), stop, clock};
    const ran = await runCli(['payouts', 'wait', A, B], options);
    assert.deepEqual([ran.exitCode, ran.stdout], [130, '']);
    assert.match(ran.stderr, /interrupted while waiting for 2 of 2 payouts/);
  });

  it('keeps the single record as it was', async () => {
    const ran = await run([A, '--json'], {[A]: ['settled']});
    assert.equal((ran.json() as {id: string; status: string}).status, 'settled');
  });
});

describe('the screen of a wait for several records', () => {
  const expected = {expected_settlement_date: '2026-11-25'};
  const reads = new Map<string, number>();
  const script: Script = ({path}) => {
    const asked = path.split('/').at(-1)!;
    const at = reads.get(asked) ?? 0;
    reads.set(asked, at + 1);
    const status = asked === A && at > 0 ? 'settled' : 'initiated';
    return answer(200, payout({id: asked, status, transfer_details: asked === A ? expected : null}));
  };

  it('has a line for each open record, with its status and when it is expected to settle', async () => {
    reads.clear();
    const words = ['payouts', 'wait', A, B, '--timeout', '5s', '--no-color'];
    const ran = await runCli(words, {service: script, columns: 80});
    assert.equal(ran.exitCode, 10, ran.stderr);
    const screens = ran.stderr.split(/\r\u001b\[K(?:\u001b\[1A\u001b\[K)*/);
    assert.ok(
      screens.some((screen) =>
        screen.endsWith(
          `0 of 2 payouts done: initiated 2\n${A}  initiated, expected 2026-11-25\n${B}  initiated`,
        ),
      ),
      ran.stderr,
    );
    assert.ok(
      screens.some((screen) => screen.includes(`1 of 2 payouts done: initiated 1, settled 1\n${B}  init`)),
    );
    assert.match(ran.stdout, /^ID +Outcome +Status +Expected +Reason|^ID +Outcome +Status +Expected/);
    assert.match(ran.stdout, /2026-11-25/);
  });

  it('is not shown for records that are already final, in a pipe too', async () => {
    const statuses = {[A]: ['settled'], [B]: ['failed']};
    for (const columns of [80, undefined]) {
      const ran = await runCli(['payouts', 'wait', A, B], {
        service: service(statuses),
        ...(columns === undefined ? {} : {columns}),
      });
      assert.equal(ran.exitCode, 9);
      assert.doesNotMatch(ran.stderr, /payouts done/);
    }
  });

  it('is a line with all records in a pipe, once each was read', async () => {
    const ran = await run([A, B, '--timeout', '5s'], {[A]: ['settled'], [B]: ['approved']});
    assert.equal(ran.exitCode, 10);
    assert.match(ran.stderr, /^1 of 2 payouts done: approved 1, settled 1$/m);
    assert.doesNotMatch(ran.stderr, /0 of 2/);
  });

  it('says that records cannot be read, and no longer once they can', async () => {
    const statuses = {[A]: ['approved', 503, 'approved'], [B]: ['settled']};
    const ran = await runCli(['payouts', 'wait', A, B, '--timeout', '5s', '--no-color'], {
      ...{service: service(statuses), columns: 120},
    });
    const screens = ran.stderr.split(/\r\u001b\[K(?:\u001b\[1A\u001b\[K)*/);
    const first = screens.map((screen) => screen.split('\n')[0]);
    const unread =
      '1 of 2 payouts done: approved 1, settled 1; 1 cannot be read now, trying again: the service answered 503: no';
    assert.ok(first.includes(unread), ran.stderr);
    assert.ok(
      first.indexOf('1 of 2 payouts done: approved 1, settled 1', first.indexOf(unread)) > 0,
      ran.stderr,
    );
  });

  it('does not count records as done that were not seen to end', async () => {
    const ran = await run([A, B, '--timeout', '5s'], {[A]: [503], [B]: [503]});
    assert.equal(ran.exitCode, 10);
    assert.match(ran.stderr, /^0 of 2 payouts done; 2 cannot be read now, trying again: the service/m);
    assert.doesNotMatch(ran.stderr, /1 of 2/);
  });

  it('is not drawn between the lines of NDJSON', async () => {
    reads.clear();
    const ran = await runCli(['payouts', 'wait', A, B, '--timeout', '5s', '-o', 'ndjson'], {
      ...{service: script, columns: 80},
    });
    assert.equal(ran.exitCode, 10);
    assert.doesNotMatch(ran.stderr, /payouts done/);
  });

  it('says why a record could not be read, at 80 columns too', async () => {
    const service: Script = ({path}) =>
      path.endsWith(A)
        ? answer(200, payout({id: A, status: 'settled', transfer_details: expected}))
        : answer(404, {error: {code: 'NOT_FOUND', message: 'there is no such payout'}});
    const ran = await runCli(['payouts', 'wait', A, B], {service, columns: 80});
    assert.match(ran.stdout, /Reason/);
    assert.match(ran.stdout.replaceAll(/\s+/g, ' '), /the service answered 404/);
  });

  it('is a field of each row for machines', async () => {
    reads.clear();
    const ran = await runCli(['payouts', 'wait', A, B, '--timeout', '5s', '--json'], {service: script});
    assert.deepEqual(
      (ran.json() as {expected_settlement_date: string | null}[]).map((row) => row.expected_settlement_date),
      ['2026-11-25', null],
    );
  });

  it('is shown for a single record too', async () => {
    reads.clear();
    const ran = await runCli(['payouts', 'wait', A], {service: script, columns: 80});
    assert.match(ran.stderr, new RegExp(`payout ${A}: initiated, expected 2026-11-25`));
  });
});

describe('waiting for several account transfers', () => {
  /** The list has these transfers; each walk through it takes the next statuses. */
  const lists = (walks: readonly Readonly<Record<string, string>>[]): Script => {
    let at = -1;
    return ({path}) => {
      const cursor = new URL(path, 'http://host').searchParams.get('cursor');
      if (cursor === null) at += 1;
      const now = Object.entries(walks[Math.min(at, walks.length - 1)]!);
      const nth = Number(cursor ?? 0);
      const [one, status] = now[nth]!;
      const record = {
        id: one,
        status,
        amount_in_minor_units: 5,
        currency_code: 'USD',
        failure_reason: 'R01 no',
      };
      return page([record], nth + 1 < now.length ? String(nth + 1) : null);
    };
  };
  const wait = (words: readonly string[], walks: Parameters<typeof lists>[0], stdin?: string) =>
    runCli(['transfers', 'wait', ...words], {
      service: lists(walks),
      ...(stdin === undefined ? {} : {stdin}),
    });

  it('reads all of them in one walk through the list, also from stdin', async () => {
    const walks = [
      {[A]: 'approved', [B]: 'initiated', [C]: 'created'},
      {[A]: 'settled', [B]: 'settled', [C]: 'created'},
    ];
    const ran = await wait(['-', '--json'], walks, `${A}\n${B}\n`);
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.deepEqual(
      (ran.json() as Row[]).map(({id, outcome, status}) => [id, outcome, status]),
      [
        [A, 'reached', 'settled'],
        [B, 'reached', 'settled'],
      ],
    );
    assert.equal(ran.requests.length, 4, 'two walks of two pages: the third page is not needed');
  });

  it('has the exit code of the worst, and says why', async () => {
    const ran = await wait([A, B, '--json'], [{[A]: 'settled', [B]: 'failed'}]);
    assert.equal(ran.exitCode, 9);
    assert.match((ran.json() as Row[])[1]?.reason ?? '', /R01 no/);
    const unknown = await wait([A, C, '--json'], [{[A]: 'settled', [B]: 'failed'}]);
    assert.deepEqual([unknown.exitCode, (unknown.json() as Row[])[1]?.error], [4, 'NOT_FOUND']);
  });

  it('stops at --until, and writes each change with -o ndjson', async () => {
    const walks = [
      {[A]: 'created', [B]: 'approved'},
      {[A]: 'initiated', [B]: 'initiated'},
    ];
    const ran = await wait([A, B, '--until', 'initiated', '-o', 'ndjson'], walks);
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.equal(ran.stdout.match(/"type":"change"/g)?.length, 4);
    assert.equal(ran.stdout.match(/"outcome":"reached"/g)?.length, 2);
  });

  it('prints the command that continues', async () => {
    const ran = await wait([A, B, '--timeout', '3s'], [{[A]: 'settled', [B]: 'approved'}]);
    assert.equal(ran.exitCode, 10);
    assert.match(ran.stderr, new RegExp(`Hint: remit transfers wait ${B}`));
  });

  it('keeps the single record as it was', async () => {
    const ran = await wait([A, '--json'], [{[A]: 'settled'}]);
    assert.equal((ran.json() as {status: string}).status, 'settled');
  });
});
