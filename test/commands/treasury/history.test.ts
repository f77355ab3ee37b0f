import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {describe, it} from 'mocha';
import type {BalanceDay} from '../../../src/output/pages/balance-days.ts';
import {runCli} from '../../cli/run-cli.ts';
import {answer, type Script} from '../../client/transport/fake-transport.ts';
import {page} from '../fixtures.ts';

const ID = '0192a000-0000-7000-8000-0000000000aa';
const balance = {
  ...{account_id: ID, currency_code: 'USD', current_balance_in_minor_units: 10_000},
  ...{available_balance_in_minor_units: 10_000, as_of: '2026-11-23T12:00:00Z'},
};
const line = (posted_at: string | null, direction: string, amount: unknown) => ({
  ...{id: randomUUID(), account_id: ID, currency_code: 'USD', direction, amount_in_minor_units: amount},
  ...{posted_at, status: posted_at === null ? 'pending' : 'posted'},
});

/** These transactions, in pages of two. */
const service =
  (lines: readonly unknown[]): Script =>
  ({path}) => {
    if (path.endsWith('/balance')) return answer(200, balance);
    const from = Number(new URL(path, 'http://host').searchParams.get('cursor') ?? 0);
    return page(lines.slice(from, from + 2), from + 2 < lines.length ? String(from + 2) : null);
  };
const LINES = [
  line(null, 'debit', 99),
  line('2026-11-23T13:00:00Z', 'debit', 77), // after the reported balance
  line('2026-11-23T09:00:00Z', 'credit', 6000),
  line('2026-11-22T09:00:00Z', 'debit', 1000),
  line('2026-11-22T08:00:00Z', 'credit', 500),
  line('2026-11-01T08:00:00Z', 'credit', 1),
];
const words = ['treasury', 'balance', ID, '--history', '--days', '3'];

describe('treasury balance --history', () => {
  it('goes back from the reported balance, over several pages', async () => {
    const ran = await runCli([...words, '--json'], {service: service(LINES)});
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.deepEqual(
      (ran.json() as BalanceDay[]).map((row) => Object.values<unknown>({...row})),
      [
        ['2026-11-21', 'USD', 4500, 0, 0, 0],
        ['2026-11-22', 'USD', 4000, 500, 1000, 2],
        ['2026-11-23', 'USD', 10_000, 6000, 0, 1], // the newest day last, beside the prompt of a shell
      ],
    );
    assert.match(
      (await runCli([...words, '-o', 'csv'], {service: service(LINES)})).stdout,
      /,10000,100\.00,/,
    );
  });

  it('is a chart on a terminal, in ASCII where the terminal has no UTF-8', async () => {
    const env = {
      REMIT_API_KEY: 'test_0123456789abcdef',
      REMIT_BASE_URL: 'http://127.0.0.1:4010',
      NO_COLOR: '1',
    };
    const draw = async (LANG: string) =>
      (await runCli(words, {service: service(LINES), columns: 80, env: {...env, LANG}})).stdout;
    assert.match(await draw('C'), /^2026-11-23 +100\.00 USD .* {2}############$/m);
    assert.match(await draw('C'), /^2026-11-22 +40\.00 USD .* {2}#####$/m);
    assert.match(await draw('en_US.UTF-8'), /100\.00 USD .*████████████$/m);
    assert.doesNotMatch((await runCli(words, {service: service(LINES)})).stdout, /#/);
  });

  it('refuses to guess if a transaction cannot be read', async () => {
    const ran = await runCli([...words, '--json'], {
      service: service([line('2026-11-22T09:00:00Z', 'debit', 'x')]),
    });
    assert.deepEqual([ran.exitCode, ran.stdout], [7, '']);
    assert.match(ran.error().message, /a transaction has no readable time, direction or amount/);
  });

  /** 300 transactions before the first day, in pages of 100; the time of each is `minute` minutes before it. */
  const older = (minute: (at: number) => number) =>
    Array.from({length: 300}, (_, at) =>
      line(new Date(Date.parse('2026-11-01T00:00:00Z') - minute(at) * 60_000).toISOString(), 'credit', 1),
    );
  const inHundreds = (lines: readonly unknown[], asked: string[]): Script => {
    return ({path}) => {
      if (path.endsWith('/balance')) return answer(200, balance);
      asked.push(path);
      const from = Number(new URL(path, 'http://host').searchParams.get('cursor') ?? 0);
      return page(lines.slice(from, from + 100), from + 100 < lines.length ? String(from + 100) : null);
    };
  };

  it('stops reading well after the first day, also if a few are out of order', async () => {
    for (const minute of [(at: number) => at, (at: number) => (at % 20 === 0 ? at - 5 : at)]) {
      const asked: string[] = [];
      const ran = await runCli([...words, '--json'], {service: inHundreds(older(minute), asked)});
      assert.equal(ran.exitCode, 0, ran.stderr);
      assert.equal(asked.length, 1);
    }
  });

  it('reads to the end of a list that is not newest first', async () => {
    const orders = [
      (at: number) => 300 - at, // oldest first
      () => 0, // all at one time
      (at: number) => (at * 149) % 300, // in no order
    ];
    for (const minute of orders) {
      const asked: string[] = [];
      const lines = [...older(minute), ...LINES.slice(2, 5).toReversed()];
      const ran = await runCli([...words, '--json'], {service: inHundreds(lines, asked)});
      assert.deepEqual(
        (ran.json() as BalanceDay[]).map((row) => row.balance_in_minor_units),
        [4500, 4000, 10_000],
      );
      assert.equal(asked.length, 4);
    }
  });
});
