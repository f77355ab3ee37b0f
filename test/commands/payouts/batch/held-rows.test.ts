import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import {payeeId} from '../../../batch/harness.ts';
import {type CliResult, runCli} from '../../../cli/run-cli.ts';
import {shellTokens} from '../../../repo/command-lines.ts';
import {Desk} from './desk.ts';

describe('a held row', () => {
  let desk: Desk;
  beforeEach(() => {
    desk = new Desk();
    const rows = `A-1,${payeeId(1)},10.00,USD,standard_ach,rent\n`;
    writeFileSync(
      join(desk.folder, 'p.csv'),
      `reference,payee_id,amount,currency_code,rail,metadata.note\n${rows}`,
    );
  });
  afterEach(() => desk.close());

  const run = () => desk.batch('run ./p.csv --batch-id b --yes');

  it('names each field that differs, asked and answered, on every screen, in JSON and in the files', async () => {
    desk.service.distort = (record) => ({
      ...record,
      rail: 'instant',
      client_metadata: {remit_reference: 'A-1', note: 'RENT'},
    });
    const words = /rail is instant instead of standard_ach; metadata\.note is RENT instead of rent/;
    const ran = await run();
    assert.match(ran.stdout, words);
    const html = join(desk.folder, 'r.html');
    const shown: CliResult[] = [];
    for (const line of ['status b', 'status b --row A-1', 'find A-1', 'export b', `report b ${html} --html`])
      shown.push(await desk.batch(line));
    for (const {stdout} of shown) assert.match(stdout, words);
    assert.match(readFileSync(html, 'utf8'), words);
    assert.match(readFileSync(join(desk.folder, 'b.results.csv'), 'utf8'), words);
    const row = (await desk.batch('status b --row A-1 --json')).json() as {differences: unknown};
    assert.deepEqual(row.differences, [
      {field: 'rail', asked: 'standard_ach', answered: 'instant'},
      {field: 'metadata.note', asked: 'rent', answered: 'RENT'},
    ]);
  });

  it('has a next command that shows it, with a command for each decision', async () => {
    desk.service.distort = (record) => ({...record, rail: 'instant'});
    await run();
    const {next} = (await desk.batch('status b --json')).json() as Summary;
    assert.equal(next, 'remit payouts batch status b --row A-1');
    const {stderr} = await desk.batch('status b --row A-1');
    assert.match(stderr, /^Hint: release it as it is: remit payouts batch release b --accept differences$/m);
    assert.match(stderr, /^Hint: cancel what is not released: remit payouts batch cancel b$/m);
    await desk.batch('release b --accept differences --yes');
    assert.equal(desk.service.paid.length, 1);
    const row = (await desk.batch('status b --row A-1 --json')).json() as {differences: {field: string}[]};
    assert.deepEqual(
      row.differences.map(({field}) => field),
      ['rail'],
    );
  });

  it('without any of its metadata names the assumption and the key of the service file', async () => {
    desk.service.distort = (record) => ({...record, client_metadata: {}});
    const {stdout, stderr} = await run();
    assert.match(
      stdout,
      /metadata\.note is missing \(asked: rent\); metadata\.remit_reference is missing \(asked: A-1\)/,
    );
    assert.match(
      stdout,
      /assumed \(row 51\); .* set fields\.payouts\.create\.metadata to payout_metadata in the service file/,
    );
    assert.match(stderr, /to find what differs at the service: remit doctor/);
  });

  describe('whose record does not show the payee or the amount', () => {
    const without = (...fields: string[]) => {
      desk.service.distort = (record) =>
        Object.fromEntries(Object.entries(record).filter(([field]) => !fields.includes(field)));
    };

    it('is not released with --accept differences: what would be paid is unknown', async () => {
      without('payee_id', 'amount_in_minor_units');
      assert.equal((await run()).exitCode, 8);
      for (const line of [
        'release b --accept differences --yes',
        'run b --accept differences --yes',
        'run ./p.csv --batch-id b --accept differences --yes',
        'retry b --row A-1 --accept differences --yes',
      ])
        assert.notEqual((await desk.batch(line)).exitCode, 0, line);
      assert.equal(desk.service.paid.length, 0);
      const row = (await desk.batch('status b --row A-1 --json')).json() as {state: string; code: string};
      assert.deepEqual([row.state, row.code], ['held', 'NOT_COMPARED']);
    });

    it('names the keys of the service file and cancel, and not the release', async () => {
      without('payee_id', 'amount_in_minor_units');
      await run();
      const {stdout, stderr} = await desk.batch('status b --row A-1');
      assert.match(stdout, /payee_id is missing/);
      assert.match(
        stderr,
        /^It is held because its record does not show its payee_id and amount_in_minor_units/m,
      );
      assert.match(stderr, /fields\.payouts\.payee_id and fields\.payouts\.amount_in_minor_units/);
      assert.match(stderr, /^Hint: cancel what is not released: remit payouts batch cancel b$/m);
      assert.doesNotMatch(stderr, /release b --accept/);
    });

    it('is released once the service file names the field', async () => {
      const env = await desk.profile('ft');
      desk.service.distort = ({amount_in_minor_units: amount, ...record}) => ({...record, total: amount});
      assert.equal((await desk.batch('run ./p.csv --batch-id b --yes', {env})).exitCode, 8);
      const service = join(desk.folder, 'service.json');
      const fields = {
        payouts: {amount_in_minor_units: 'total'},
        'payouts.create': {amount_in_minor_units: 'amount_in_minor_units'},
      };
      writeFileSync(service, JSON.stringify({fields, units: {'payouts.amount_in_minor_units': 'minor'}}));
      const argv = ['profiles', 'set', 'ft', '--service', service];
      const set = await runCli(argv, {env, cwd: desk.folder, clock: desk.clock});
      assert.equal(set.exitCode, 0, set.stderr);
      const resumed = await desk.batch('run b --yes', {env});
      assert.equal(resumed.exitCode, 0, resumed.stderr);
      assert.equal(desk.service.paid.length, 1);
    });

    it('stays held if a release of other rows was killed', async () => {
      writeFileSync(
        join(desk.folder, 'p.csv'),
        `reference,payee_id,amount,currency_code\n${[1, 2, 3].map((n) => `A-${n},${payeeId(n)},${n}.00,USD`).join('\n')}\n`,
      );
      desk.service.distort = (record) => {
        const {amount_in_minor_units: amount, ...rest} = record;
        return amount === 200 ? rest : record;
      };
      await desk.batch('run ./p.csv --batch-id b --stage-only --yes');
      desk.service.fault = ({n, method, body}) =>
        method === 'POST' && body.includes('"auto_approve":true') && n > 0 ? 'lost-after' : undefined;
      await desk.batch('release b --accept differences --yes');
      desk.service.fault = () => undefined;
      await desk.batch('run b --accept differences --yes');
      assert.deepEqual(desk.service.paid.map(({body}) => body['amount_in_minor_units']).sort(), [100, 300]);
    });
  });

  describe('of a service that reads payout_metadata', () => {
    let env: Record<string, string>;
    beforeEach(async () => {
      env = await desk.profile('ft');
      desk.service.distort = (record, {body}) => ({
        ...record,
        client_metadata: (JSON.parse(body || '{}') as {payout_metadata?: object}).payout_metadata ?? {},
      });
    });

    const type = (command: string) =>
      runCli(
        shellTokens(command.replace(/^remit /, '')).map(({text}) => text),
        {
          ...{env, service: desk.service.transport(), clock: desk.clock, cwd: desk.folder},
        },
      );
    const hints = (stderr: string) =>
      [...stderr.matchAll(/^Hint: (?:[^:\n]*: )?(remit .*)$/gm)].map(([, line]) => line!);

    it('is paid by typing the printed steps in order', async () => {
      await desk.batch('run ./p.csv --batch-id b --yes', {env});
      const {stderr} = await desk.batch('status b --row A-1', {env});
      const [release, cancel, set, run, ...more] = hints(stderr);
      assert.deepEqual(
        [release, cancel, set, run, more],
        [
          'remit payouts batch release b --accept differences -p ft',
          'remit payouts batch cancel b -p ft',
          'remit profiles set ft --field payouts.create.metadata=payout_metadata',
          `remit payouts batch run ${join(desk.folder, 'p.csv')} --batch-id b-2 -p ft`,
          [],
        ],
      );
      for (const command of [`${cancel} --yes`, set!, `${run} --yes`]) {
        const ran = await type(command);
        assert.equal(ran.exitCode, 0, `${command}: ${ran.stderr}`);
      }
      assert.equal(desk.service.paid.length, 1);
    });

    it('can be canceled with the other name, and the refusal of any other command restores the name', async () => {
      await desk.batch('run ./p.csv --batch-id b --yes', {env});
      await type('remit profiles set ft --field payouts.create.metadata=payout_metadata');
      const refused = await desk.batch('run b --yes', {env});
      assert.equal(refused.exitCode, 11, refused.stderr);
      assert.match(
        refused.stderr,
        /to continue it: remit profiles set ft --field payouts\.create\.metadata=metadata;/,
      );
      assert.match(refused.stderr, /with the new name: remit payouts batch cancel b -p ft$/m);
      const canceled = await desk.batch('cancel b --yes', {env});
      assert.equal(canceled.exitCode, 0, canceled.stderr);
      assert.equal((await desk.batch('run ./p.csv --batch-id b-2 --yes', {env})).exitCode, 0);
      assert.equal(desk.service.paid.length, 1);
    });
  });
});
