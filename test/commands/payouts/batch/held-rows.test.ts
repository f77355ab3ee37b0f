import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import {payeeId} from '../../../batch/harness.ts';
import type {CliResult} from '../../../cli/run-cli.ts';
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
      /assumed \(row 51\); .* set fields\.payouts\.create\.metadata to it in the service file/,
    );
    assert.match(stderr, /to find what differs at the service: remit doctor/);
  });
});
