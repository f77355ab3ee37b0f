import assert from 'node:assert/strict';
import {readdirSync, rmSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Summary} from '../../../src/batch/standing/summary.ts';
import type {CliResult} from '../run-cli.ts';
import {People, publicKey} from './people.ts';

const exits = (result: CliResult, code: number) =>
  assert.equal(result.exitCode, code, result.stdout + result.stderr);

describe('approval by a second person', () => {
  let people: People;
  beforeEach(async () => {
    people = await People.ready();
  });
  afterEach(() => people.close());

  const anotherFile = () =>
    people.file('c.csv', [
      ['C-1', 11, '11.00'],
      ['C-2', 12, '22.00'],
    ]);
  const paid = () => people.service.requests.filter(({body}) => body?.includes('"auto_approve":true')).length;
  const folder = () => join(people.folder, 'shared', 'batches', 'payout', 'b');

  it('lets a run stage, and a release pay only what another person has approved', async () => {
    const staged = await people.as('ben', 'run ./p.csv --batch-id b --yes');
    exits(staged, 0);
    assert.match(staged.stderr, /to be typed by another person.*batch approve b --file p\.csv/);
    for (const flags of ['', ' --yes', ' --accept rest --yes', ' --accept differences --yes']) {
      const refused = await people.as('ben', `release b${flags} --json`);
      exits(refused, 11);
      assert.equal(refused.error().code, 'GUARD_APPROVAL');
    }
    exits(await people.as('ben', 'run b --yes'), 0);
    assert.equal(paid(), 0);
    exits(await people.approve('ben'), 11);
    const approved = await people.approve('anna');
    exits(approved, 0);
    assert.match(approved.stdout, /20\.00 USD to .*: A-2/);
    assert.match(approved.stdout, /can pay without remit/);
    const released = await people.as('ben', 'release b --yes --json');
    exits(released, 0);
    assert.deepEqual([(released.json() as Summary).accepted, paid()], [2, 2]);
    const files = readdirSync(join(folder(), 'approvals'));
    assert.equal(files.length, 2, 'of the maker, and of the approver');
    for (const file of files) assert.equal(statSync(join(folder(), 'approvals', file)).mode & 0o777, 0o600);
  });

  it('goes on with `run` once it is approved', async () => {
    await people.as('ben', 'run ./p.csv --batch-id b --yes');
    exits(await people.approve('anna'), 0);
    exits(await people.as('ben', 'run b --yes'), 0);
    exits(await people.as('ben', 'release b --yes'), 0);
    assert.equal(paid(), 2);
  });

  it('works by files between people who share nothing', async () => {
    await people.as('ben', 'run ./p.csv --batch-id b --yes');
    exits(await people.as('ben', 'approve b --ask ./b.request'), 0);
    const elsewhere = {env: {HOME: people.homeOf('anna')}};
    const line = `approve b --file ./p.csv --request ./b.request --write ./b.approval --policy ${people.policy} --key ${people.keyOf('anna')}`;
    exits(await people.as('anna', line, elsewhere), 2);
    exits(await people.as('anna', line, {...elsewhere, columns: 100, answers: [false]}), 11);
    exits(await people.as('anna', line, {...elsewhere, columns: 100, answers: [true]}), 0);
    exits(await people.as('ben', 'release b --yes'), 11);
    exits(await people.as('ben', 'release b --yes --approval ./b.request'), 11);
    exits(await people.as('ben', 'release b --yes --approval ./b.approval'), 0);
    assert.equal(paid(), 2);
  });

  it('is refused for a file that differs from what is staged, whatever differs', async () => {
    await people.as('ben', 'run ./p.csv --batch-id b --yes');
    for (const rows of [
      [
        ['A-1', 1, '10.00'],
        ['A-2', 3, '20.00'],
      ],
      [
        ['A-1', 1, '10.00'],
        ['A-3', 2, '20.00'],
      ],
      [
        ['A-1', 1, '10.01'],
        ['A-2', 2, '19.99'],
      ],
      [
        ['A-1', 1, '10.00'],
        ['A-2', 2, '20.00'],
        ['A-3', 2, '20.00'],
      ],
      [['A-1', 1, '30.00']],
    ] as [string, number, string][][]) {
      people.file('own.csv', rows);
      const refused = await people.approve('anna', '', './own.csv');
      exits(refused, 11);
      assert.equal(readdirSync(join(folder(), 'approvals')).length, 1, refused.stderr);
    }
  });

  it('needs the quorum of the rule, of people who did not make the batch', async () => {
    people.close();
    people = await People.ready(
      '#remit rule currency=USD above=0 approvers=anna,carl,ben quorum=1 expires=2h',
      '#remit rule currency=USD above=25.00 approvers=anna,carl,ben quorum=2 expires=1h',
    );
    await people.as('ben', 'run ./p.csv --batch-id b --yes');
    exits(await people.approve('anna'), 0);
    exits(await people.approve('anna', '--expires 30m'), 0);
    const one = await people.as('ben', 'release b --yes --json');
    exits(one, 11);
    assert.match(one.error().message, /approved by 1 of 2 people/);
    exits(await people.approve('carl'), 0);
    people.clock.advance(61 * 60_000);
    exits(await people.as('ben', 'release b --yes'), 11);
    exits(await people.approve('carl'), 0);
    exits(await people.approve('anna'), 0);
    exits(await people.as('ben', 'release b --yes'), 0);
    assert.equal(paid(), 2);
  });

  it('counts for the person who only releases, and goes on with a release', async () => {
    await people.as('ben', 'run ./p.csv --batch-id b --yes');
    exits(await people.approve('carl'), 0);
    people.service.fault = ({body}) =>
      body?.includes('"auto_approve":true')
        ? {status: 401, body: {error_code: 'AUTHENTICATION_ERROR'}}
        : undefined;
    exits(await people.as('carl', 'release b --yes'), 3);
    people.service.fault = () => undefined;
    const refused = paid();
    const released = await people.as('carl', 'run b --yes --json');
    exits(released, 0);
    assert.deepEqual([(released.json() as Summary).accepted, paid() - refused], [2, 2]);
  });

  it('does not count for the person who has retried or resolved', async () => {
    await people.as('ben', 'run ./p.csv --batch-id b --yes');
    exits(await people.approve('carl'), 0);
    exits(await people.as('carl', 'run b --stage-only --yes'), 0);
    const refused = await people.as('ben', 'release b --yes --json');
    exits(refused, 11);
    assert.deepEqual(refused.error().details!['makers'], ['ben', 'carl']);
    exits(await people.approve('carl'), 11);
    exits(await people.approve('anna'), 0);
    exits(await people.as('ben', 'release b --yes'), 0);
  });

  it('is void for an edited file', async () => {
    await people.as('ben', 'run ./p.csv --batch-id b --yes');
    exits(await people.approve('anna'), 0);
    people.file('p.csv', [
      ['A-1', 1, '10.00'],
      ['A-2', 2, '20.00'],
      ['A-3', 3, '5.00'],
    ]);
    exits(await people.as('ben', 'run ./p.csv --batch-id b --yes'), 0);
    const refused = await people.as('ben', 'release b --yes --json');
    exits(refused, 11);
    assert.match(refused.error().message, /another revision/);
    assert.equal(paid(), 0);
  });

  it('is needed for a run in direct mode', async () => {
    const refused = await people.as('ben', 'run ./p.csv --batch-id b --direct --yes');
    exits(refused, 11);
    exits(await people.approve('anna'), 0);
    exits(await people.as('ben', 'run b --direct --yes'), 0);
    assert.equal(paid(), 2);
  });

  it('is refused if the policy, the key or the folder is not as it was', async () => {
    await people.as('ben', 'run ./p.csv --batch-id b --yes');
    exits(await people.approve('anna'), 0);
    const text = `#remit rule currency=USD above=0 approvers=anna,ben quorum=1 expires=72h\nanna ${publicKey(people.keyOf('anna'))}\nben ${publicKey(people.keyOf('ben'))}\n`;
    const other = join(people.folder, 'policy-2');
    writeFileSync(other, text);
    const set = ['profiles', 'set', 'prod', '--approval-policy', other];
    exits(await people.run('ben', set), 11);
    exits(await people.as('ben', 'release b --yes', {}), 0);
    rmSync(people.policy);
    exits(await people.as('ben', 'release b --yes'), 13);
  });

  it('is the next command until nothing lacks it', async () => {
    const nextOf = (result: CliResult) => (result.json() as Summary).next;
    const staged = await people.as('ben', 'run ./p.csv --batch-id b --yes --json');
    const approve = 'remit payouts batch approve b --file p.csv';
    assert.equal(nextOf(staged), approve);
    assert.equal(nextOf(await people.as('ben', 'status b --json')), approve);
    exits(await people.approve('anna'), 0);
    assert.match(nextOf(await people.as('ben', 'status b --json')) ?? '', /batch release b/);
  });

  it('is not lost by an approver who types run', async () => {
    exits(await people.as('ben', 'run ./p.csv --batch-id b --yes'), 0);
    for (const words of ['run b --yes --json', 'run ./p.csv --batch-id b --yes --json']) {
      const refused = await people.as('carl', words);
      exits(refused, 11);
      assert.match(refused.error().message, /carl is an approver, and ben has made batch b/);
      assert.match(refused.error().hint ?? '', /batch run b --stage-only/);
    }
    exits(await people.approve('carl'), 0);
    exits(await people.as('carl', 'run b --direct --yes'), 11);
    exits(await people.as('ben', 'run b --yes'), 0);
    exits(await people.as('ben', 'release b --yes'), 0);
  });

  it('shows the service file that is signed', async () => {
    exits(await people.as('ben', 'run ./p.csv --batch-id b --yes'), 0);
    assert.match((await people.approve('anna')).stdout, /Service file +none/);
    anotherFile();
    const file = join(people.folder, 'service.json');
    writeFileSync(file, JSON.stringify({keys: {horizon: '48h'}}));
    exits(await people.run('ben', ['profiles', 'set', 'prod', '--service', file]), 0);
    exits(await people.as('ben', 'run ./c.csv --batch-id c --namespace c --yes'), 0);
    const figures = '--confirm-total USD=33.00 --confirm-count 2 --yes --namespace c';
    const own = `--policy ${people.policy} --key ${people.keyOf('anna')}`;
    const approved = await people.as('anna', `approve c --file ./c.csv ${figures} ${own}`);
    assert.match(approved.stdout, /Service file +[0-9a-f]{64}/, approved.stderr);
  });

  it('counts in direct mode no longer than the service remembers keys', async () => {
    exits(await people.as('ben', 'run ./p.csv --batch-id b --direct --yes'), 11);
    exits(await people.approve('anna'), 0);
    people.clock.advance(2 * 3_600_000);
    exits(await people.as('ben', 'run b --direct --yes --key-horizon 1h'), 11);
    assert.equal(paid(), 0);
    exits(await people.as('ben', 'run b --direct --yes --key-horizon 3h'), 0);
  });

  it('is not kept if it does not count, and is asked for with what was typed', async () => {
    exits(await people.as('ben', 'run ./p.csv --batch-id b --yes'), 0);
    anotherFile();
    exits(await people.as('ben', 'run ./c.csv --batch-id c --namespace c --yes'), 0);
    const own = `--policy ${people.policy} --key ${people.keyOf('anna')}`;
    const asked = await people.as('ben', `approve c --ask ./c.request ${own}`);
    exits(asked, 0);
    assert.ok(asked.stderr.includes(`${own} --namespace c`), asked.stderr);
    const figures = '--confirm-total USD=33.00 --confirm-count 2 --yes --namespace c';
    const files = '--file ./c.csv --request ./c.request --write ./c.approval';
    exits(await people.as('anna', `approve c ${files} ${figures} ${own}`), 0);
    exits(await people.as('ben', 'release b --yes --approval ./c.approval'), 11);
    assert.equal(readdirSync(join(folder(), 'approvals')).length, 1);
  });
});
