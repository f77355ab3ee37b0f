import assert from 'node:assert/strict';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {Desk} from './desk.ts';

interface Planned {
  next: string | null;
  seen_alike: {alike: number; similar: number}[];
}

/** The words after `remit payouts batch`, as a shell would read them. */
const wordsOf = (next: string): string => {
  assert.match(next, /^remit payouts batch /);
  return next.slice('remit payouts batch '.length);
};

describe('the command after a plan', () => {
  let desk: Desk;
  beforeEach(() => (desk = new Desk()));
  afterEach(() => desk.close());

  const plan = async (line: string, options: Parameters<Desk['batch']>[1] = {}) => {
    const ran = await desk.batch(`plan ${line} --json`, options);
    assert.equal(ran.exitCode, 0, ran.stderr);
    return ran.json() as Planned;
  };
  /** Types the command as it is printed; a script adds --yes. */
  const typed = async (next: string | null, options: Parameters<Desk['batch']>[1] = {}) => {
    const ran = await desk.batch(`${wordsOf(next!)} --yes --json`, options);
    assert.equal(ran.exitCode, 0, `${next}: ${ran.stderr}`);
    return ran.json() as {accepted: number; already_paid: number; staged: number};
  };

  it('repeats profile and folder of a run that was refused for lack of confirmation', async () => {
    desk.file('p.csv', [['A-1', 1, '10.00']]);
    await desk.profile('first');
    const env = await desk.profile('acme');
    const line = `run ./p.csv --batch-id b -p acme --namespace dec --out ${desk.folder}`;
    const refused = await desk.batch(line, {env});
    assert.notEqual(refused.exitCode, 0);
    const next = `remit payouts batch run b --out ${desk.folder} -p acme`;
    const status = await desk.batch('status b --json', {env});
    assert.equal((status.json() as Planned).next, next);
    assert.ok((await desk.batch('status b', {env})).stdout.includes(next));
    assert.equal((await typed(next, {env})).accepted, 1);
  });

  it('repeats the profile with which the file was planned', async () => {
    desk.file('p.csv', [['A-1', 1, '10.00']]);
    await desk.profile('first');
    const env = await desk.profile('acme');
    await plan('./p.csv --batch-id b -p acme', {env});
    const status = await desk.batch('status b --json', {env});
    assert.equal((status.json() as Planned).next, 'remit payouts batch run b -p acme');
    const other = await desk.batch('status b --json -p first', {env});
    assert.equal((other.json() as Planned).next, 'remit payouts batch run b -p first');
  });

  it('is the plain run of a plain file', async () => {
    desk.file('p.csv', [['A-1', 1, '10.00']]);
    const {next} = await plan('./p.csv --batch-id b');
    assert.equal(next, 'remit payouts batch run b');
    assert.equal((await typed(next)).accepted, 1);
  });

  for (const verb of ['status', 'report'])
    it(`is also that of ${verb}, for a new plan and for a new revision`, async () => {
      desk.file('one.csv', [['A-1', 1, '10.00']]);
      await desk.batch('run ./one.csv --batch-id one --yes');
      desk.file('p.csv', [
        ['B-1', 1, '10.00'],
        ['B-2', 1, '10.00'],
      ]);
      await plan('./p.csv --batch-id b');
      const next = async () => ((await desk.batch(`${verb} b --json`)).json() as Planned).next;
      const first = await next();
      assert.equal(first, 'remit payouts batch run b --accept duplicates=3');
      assert.equal((await typed(first)).accepted, 2);
      desk.file('p.csv', [
        ['B-1', 1, '10.00'],
        ['B-2', 1, '10.00'],
        ['B-3', 2, '20.00'],
        ['B-4', 2, '20.00'],
      ]);
      const {next: planned} = await plan('./p.csv --batch-id b');
      const second = await next();
      assert.equal(second, planned);
      assert.equal((await typed(second)).accepted, 4);
    });

  it('comes after a plan that counts the repeats that it does not list', async () => {
    desk.file('p.csv', [
      ...Array.from({length: 9}, (_, i) => [`A-${i}`, 1, '10.00'] as const),
      ...Array.from({length: 9}, (_, i) => [`B-${i}`, 2, '20.00'] as const),
    ]);
    const {stdout} = await desk.batch('plan ./p.csv --batch-id b');
    assert.match(stdout, /16 rows with the payee, .*:\n.*A-3, …\n.*B-3, …\n +… 10 more\n/);
  });

  it('acknowledges what repeats within the file', async () => {
    desk.file('p.csv', [
      ['A-1', 1, '10.00'],
      ['A-2', 1, '10.00'],
      ['a-2', 1, '10.00'],
      ['A-3', 3, '10.00'],
    ]);
    const {next} = await plan('./p.csv --batch-id b');
    assert.equal(next, 'remit payouts batch run b --accept duplicates=2 --accept similar=1');
    assert.equal((await typed(next)).accepted, 4);
  });

  it('acknowledges what repeats payments of other batches, at the active service', async () => {
    desk.file('one.csv', [
      ['A-1', 1, '10.00'],
      ['A-2', 2, '20.00'],
    ]);
    await desk.batch('run ./one.csv --batch-id one --yes');
    desk.file('two.csv', [
      ['A-1', 1, '10.00'],
      ['B-1', 2, '20.00'],
      ['B-2', 2, '20.00'],
      ['a-2', 9, '1.00'],
    ]);
    const {next, seen_alike: alike} = await plan('./two.csv --batch-id two');
    assert.deepEqual(
      alike.map(({alike, similar}) => [alike, similar]),
      [[2, 1]],
    );
    assert.equal(next, 'remit payouts batch run two --accept duplicates=3 --accept similar=1');
    const elsewhere = await plan('./two.csv --batch-id two', {live: true});
    assert.equal(elsewhere.next, 'remit payouts batch run two --accept duplicates=1 --live');
    const summary = await typed(next);
    assert.deepEqual([summary.accepted, summary.already_paid], [3, 1]);
  });

  it('names the namespace in which references were used', async () => {
    desk.file('one.csv', [['A-1', 1, '10.00']]);
    await desk.batch('run ./one.csv --batch-id one --yes');
    const {next} = await plan('./one.csv --batch-id two --namespace other');
    assert.equal(next, 'remit payouts batch run two --accept duplicates=1 --accept paid-elsewhere=default');
    assert.equal((await typed(next)).accepted, 1);
  });

  it('has the profile and the state folder that were typed', async () => {
    desk.file('p.csv', [['A-1', 1, '10.00']]);
    const env = await desk.profile('acme');
    const {next} = await plan('./p.csv --batch-id b -p acme --state-dir ./state', {env});
    assert.equal(next, `remit payouts batch run b --state-dir ${desk.folder}/state -p acme`);
    assert.equal((await typed(next, {env})).accepted, 1);
  });

  it('is the next one of a batch that was run already, or none', async () => {
    desk.file('p.csv', [
      ['A-1', 1, '10.00'],
      ['A-2', 1, '10.00'],
    ]);
    await desk.batch('run ./p.csv --batch-id b --accept duplicates=1 --stage-only --yes');
    assert.equal((await plan('./p.csv --batch-id b')).next, 'remit payouts batch release b');
    await desk.batch('release b --yes');
    assert.equal((await plan('./p.csv --batch-id b')).next, null);
  });

  it('is a run of the new revision, which has to be confirmed', async () => {
    desk.file('p.csv', [['A-1', 1, '10.00']]);
    await desk.batch('run ./p.csv --batch-id b --yes');
    desk.file('p.csv', [
      ['A-1', 1, '10.00'],
      ['A-2', 1, '10.00'],
    ]);
    const {next} = await plan('./p.csv --batch-id b');
    assert.equal(next, 'remit payouts batch run b --accept duplicates=1');
    assert.equal((await typed(next)).accepted, 2);
  });

  it('of a batch that was only staged only stages its new revision', async () => {
    desk.file('p.csv', [['A-1', 1, '10.00']]);
    await desk.batch('run ./p.csv --batch-id b --stage-only --yes');
    desk.file('p.csv', [
      ['A-1', 1, '10.00'],
      ['A-2', 2, '20.00'],
    ]);
    const {next} = await plan('./p.csv --batch-id b');
    assert.equal(next, 'remit payouts batch run b --stage-only');
    assert.equal(((await desk.batch('status b --json')).json() as Planned).next, next);
    assert.equal((await typed(next)).staged, 2);
    assert.equal(desk.service.paid.length, 0);
  });

  it('is printed as a hint, with what it acknowledges above it', async () => {
    desk.file('p.csv', [
      ['A-1', 1, '10.00'],
      ['A-2', 1, '10.00'],
    ]);
    const {stdout, stderr} = await desk.batch('plan ./p.csv --batch-id b', {columns: 100});
    assert.match(stdout, /1 row with the payee, amount and currency of an earlier row:/);
    assert.match(stderr, /remit payouts batch run b --accept duplicates=1/);
  });
});

describe('the command after a plan that was refused', () => {
  let desk: Desk;
  beforeEach(() => (desk = new Desk()));
  afterEach(() => desk.close());

  it('leaves out the rows with errors', async () => {
    desk.file('p.csv', [
      ['A-1', 1, '10.00'],
      ['A-2', 2, 'ten'],
    ]);
    const ran = await desk.batch('plan ./p.csv --batch-id b --json');
    assert.equal(ran.exitCode, 5);
    const [, command] = /^ {2}remit payouts batch (.*)$/m.exec(ran.error().hint!)!;
    assert.match(command!, /^plan .*p\.csv --batch-id b --json --valid-only$/);
    const again = await desk.batch(command!);
    assert.equal(again.exitCode, 0, again.stderr);
  });

  it('has a command on a line of its own, also on a narrow terminal', async () => {
    writeFileSync(
      join(desk.folder, 'p.csv'),
      `reference,payee_id,amount,currency_code\nA-1,nobody,10.00,USD\n`,
    );
    const {stderr} = await desk.batch('plan ./p.csv --batch-id b', {columns: 80});
    assert.match(stderr, /^ +(?:remit payouts batch plan (?:.*\\\n +)*.*)?--valid-only$/m);
    assert.doesNotMatch(stderr, /header/);
    assert.doesNotMatch(stderr, /`/);
  });

  it('ignores unknown columns if nothing else is wrong', async () => {
    desk.file('p.csv', [['A-1', 1, '10.00']]);
    const path = join(desk.folder, 'p.csv');
    const [header, row] = readFileSync(path, 'utf8').split('\n');
    writeFileSync(path, `${header},Remarks,Cost Centre\n${row},x,y\n`);
    const ran = await desk.batch('plan ./p.csv --batch-id b --json');
    assert.match(ran.error().hint!, /--ignore-column Remarks --ignore-column 'Cost Centre'$/m);
    assert.match(
      ran.error().message,
      /has 2 errors; nothing was sent\. The header has to be fixed first: the rows were not checked yet$/,
    );
    const again = await desk.batch(
      'plan ./p.csv --batch-id b --json --ignore-column Remarks --ignore-column cost_centre',
    );
    assert.equal(again.exitCode, 0, again.stderr);
    writeFileSync(path, `${header!.replace('reference', 'Invoice')}\n${row}\n`);
    const other = await desk.batch('plan ./p.csv --batch-id b --json');
    assert.doesNotMatch(other.error().hint!, /--ignore-column \w*invoice/i); // as a command that would lose the references
  });

  it('states the unit of the amounts', async () => {
    desk.file('p.csv', [['A-1', 1, '10']]);
    const ran = await desk.batch('run ./p.csv --batch-id b --json --yes');
    assert.equal(ran.exitCode, 5);
    const [, command] = /^ {2}remit payouts batch (.*)$/m.exec(ran.error().hint!)!;
    const again = await desk.batch(command!);
    assert.equal(again.exitCode, 0, again.stderr);
    assert.equal((again.json() as {totals: {USD: {planned: string}}}).totals.USD.planned, '10.00');
  });
});
