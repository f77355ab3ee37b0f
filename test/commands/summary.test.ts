import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {ListSummary, type SummaryRow} from '../../src/cli/resources/summary.ts';
import {barText} from '../../src/output/records/bars.ts';
import {runCli} from '../cli/run-cli.ts';
import type {Script} from '../client/transport/fake-transport.ts';
import {page, payout} from './fixtures.ts';

const STATUSES = ['created', 'settled', 'settled', 'failed'];

/** Payouts of 1.25 USD in pages of 100, the newest first. */
const service =
  (total: number, {perDay} = {perDay: 500}): Script =>
  ({path}) => {
    const query = new URL(path, 'http://host').searchParams;
    const from = Number(query.get('cursor') ?? 0);
    const size = Math.min(Number(query.get('limit')), 100, total - from);
    const records = Array.from({length: size}, (_, at) => {
      const day = Date.UTC(2026, 10, 23) - Math.floor((from + at) / perDay) * 86_400_000;
      return payout({
        ...{id: `p-${from + at}`, status: STATUSES[(from + at) % 4], amount_in_minor_units: 125},
        created_at: new Date(day).toISOString(),
      });
    });
    return page(records, from + size < total ? String(from + size) : null);
  };

describe('payouts list --summary', () => {
  it('counts and sums every page by status, rail and day', async () => {
    const ran = await runCli(['payouts', 'list', '--summary', '--page-size', '100', '--json'], {
      service: service(6000),
    });
    assert.equal(ran.exitCode, 0, ran.stderr);
    const rows = ran.json() as SummaryRow[];
    assert.equal(ran.requests.length, 60);
    const status = rows
      .filter(({by}) => by === 'status')
      .map(({value, count, amount}) => [value, count, amount]);
    assert.deepEqual(status, [
      ['created', 1500, '1875.00'],
      ['settled', 3000, '3750.00'],
      ['failed', 1500, '1875.00'],
    ]);
    assert.deepEqual(
      rows
        .filter(({by}) => by === 'rail')
        .map(({value, count, amount_in_minor_units: minor}) => [value, count, minor]),
      [['standard_ach', 4500, '562500']],
    );
    const days = rows.filter(({by}) => by === 'day');
    assert.deepEqual([days.length, days[0]?.value, days[0]?.count], [12, '2026-11-23', 375]);
    assert.match(
      ran.stderr,
      /Summary of all 6000 payouts\.\nThe totals by rail and day leave out failed and canceled payouts: 1500\.\n/,
    );
  });

  it('says if it is only a part', async () => {
    const ran = await runCli(['payouts', 'list', '--summary', '--limit', '150'], {service: service(400)});
    assert.match(ran.stderr, /Summary of the first 150 payouts/);
    assert.match(ran.stdout, /^day\t2026-11-23\t113\t141\.25 USD$/m);
  });

  it('says once that there is nothing to summarize', async () => {
    const terminal = await runCli(['payouts', 'list', '--summary'], {service: service(0), columns: 80});
    assert.equal(terminal.stdout, 'No records to summarize.\n');
    assert.doesNotMatch(terminal.stderr, /Summary of/);
    const pipe = await runCli(['payouts', 'list', '--summary'], {service: service(0)});
    assert.equal(pipe.stdout, '');
    assert.match(pipe.stderr, /Summary of all 0 payouts\./);
  });

  it('has bars on a terminal only: blocks in UTF-8, otherwise ASCII, without colour', async () => {
    const run = async (lang: string) => {
      const env = {
        LANG: lang,
        REMIT_API_KEY: 'test_0123456789abcdef',
        REMIT_BASE_URL: 'http://127.0.0.1:4010',
      };
      return (await runCli(['payouts', 'list', '--summary'], {service: service(400), columns: 80, env}))
        .stdout;
    };
    assert.match(await run('en_US.UTF-8'), /settled +\d+ +████████████ +250\.00 USD$/m);
    const ascii = await run('C');
    assert.match(ascii, /created +\d+ +###### +125\.00 USD$/m);
    assert.match(ascii, /^[\x20-\x7e\n\u001b]*$/);
    const piped = await runCli(['payouts', 'list', '--summary'], {service: service(400)});
    assert.match(piped.stdout, /^By\tValue\tCount\tAmount\nstatus\tcreated\t100\t125\.00 USD$/m);
  });

  it('shows the newest days on a terminal, and all of them elsewhere', async () => {
    const fortyDays = () => service(800, {perDay: 20});
    const terminal = await runCli(['payouts', 'list', '--summary'], {service: fortyDays(), columns: 80});
    assert.equal(terminal.stdout.match(/^day/gm)?.length, 31);
    assert.match(terminal.stderr, /the newest 31 days are shown/);
    const csv = await runCli(['payouts', 'list', '--summary', '-o', 'csv'], {service: fortyDays()});
    assert.equal(csv.stdout.match(/^day/gm)?.length, 40);
  });
});

describe('a summary', () => {
  it('has the size of its values, whatever the number of records', () => {
    const sizeOf = (records: number) => {
      const summary = new ListSummary();
      for (let n = 0; n < records; n += 1)
        summary.add({
          ...{status: `s${n % 5}`, rail: `r${n % 3}`, currency_code: 'USD', amount_in_minor_units: n},
          created_at: new Date(Date.UTC(2026, 0, 1 + (n % 365))).toISOString(),
        });
      assert.equal(summary.count, records);
      return summary.rows().length;
    };
    assert.equal(sizeOf(20_000), sizeOf(2000));
  });

  it('stays small if the service invents a value for each record', () => {
    const summary = new ListSummary();
    for (let n = 0; n < 20_000; n += 1)
      summary.add({status: `s${n}`, currency_code: 'USD', amount_in_minor_units: 1});
    const rows = summary.rows().filter(({by}) => by === 'status');
    assert.equal(rows.length, 4001);
    assert.equal(
      rows.reduce((sum, {count}) => sum + count, 0),
      20_000,
    );
  });

  it('keeps exact sums, and counts what cannot be summed apart', () => {
    const summary = new ListSummary();
    for (let n = 0; n < 3; n += 1)
      summary.add({currency_code: 'JPY', amount_in_minor_units: Number.MAX_SAFE_INTEGER});
    summary.add({currency_code: 'USD', amount_in_minor_units: 'many'});
    summary.add({currency_code: 'XQX', amount_in_minor_units: 5});
    const rows = summary.rows().filter(({by}) => by === 'rail');
    assert.deepEqual(
      rows.map(({value, count, currency_code, amount}) => [value, count, currency_code, amount]),
      [
        ['unknown', 3, 'JPY', String(3n * BigInt(Number.MAX_SAFE_INTEGER))],
        ['unknown', 1, null, null],
        ['unknown', 1, null, null],
      ],
    );
  });
});

describe('a bar', () => {
  it('is visible for every share above zero, and never longer than its cells', () => {
    for (const utf8 of [true, false]) {
      assert.equal(barText(0, 10, {utf8}), '');
      assert.equal(barText(1e-6, 10, {utf8}).length, 1);
      assert.equal(barText(2, 10, {utf8}).length, 10);
    }
  });
});
