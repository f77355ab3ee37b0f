import assert from 'node:assert/strict';
import {rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {ACCEPTABLE, type AcceptName} from '../../../../src/batch/model/accept.ts';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import {runCli, type CliOptions, type CliResult, LIVE_KEY} from '../../../cli/run-cli.ts';
import {shellTokens} from '../../../repo/command-lines.ts';
import {payeeId} from '../../../batch/harness.ts';
import {Desk} from './desk.ts';

const NAMES = Object.keys(ACCEPTABLE) as AcceptName[];
const CONTINUING: readonly AcceptName[] = [
  'duplicates',
  'similar',
  'paid-elsewhere',
  'lost-journal',
  'differences',
  'rest',
  'refusals',
];
const VERBS: Readonly<Record<string, readonly AcceptName[]>> = {
  'run ./p.csv': NAMES,
  'plan ./p.csv': ['hidden-rows', 'cut-input'],
  'release b': CONTINUING,
  'resume b': CONTINUING,
  'retry b': CONTINUING,
};

describe('--accept', () => {
  let desk: Desk;
  beforeEach(() => {
    desk = Desk.withTwoRows();
  });
  afterEach(() => desk.close());

  it('lists the names that a command accepts, each with its meaning, in usage errors and in the help', async () => {
    for (const [line, names] of Object.entries(VERBS)) {
      const ran = await desk.batch(`${line} --json --yes --accept nope`);
      const {code, message, hint} = ran.error();
      assert.deepEqual([ran.exitCode, code], [2, 'USAGE'], line);
      assert.match(message, /^--accept nope: nope is not a name/);
      const listed = (hint as string).split('\n').slice(1);
      assert.deepEqual(
        listed.map((text) => text.trim().split(/[= ]/)[0]),
        names,
      );
      const help = (await desk.type(`remit help payouts batch ${line.split(' ')[0]!}`)).stdout;
      for (const name of names) {
        const {meaning} = ACCEPTABLE[name];
        assert.ok(listed.some((text) => text.includes(name) && text.endsWith(meaning)));
        assert.match(
          help,
          new RegExp(`^ +(--accept=)?${name}\\S* +${meaning.replaceAll(' ', '\\s+')}$`, 'm'),
          line,
        );
      }
    }
    assert.equal(desk.service.requests.length, 0);
  });

  it('refuses a missing, superfluous or malformed value, and another name', async () => {
    for (const [word, why] of [
      ['duplicates', /a value is missing, as in duplicates=N$/],
      ['similar=', /a value is missing, as in similar=N$/],
      ['paid-elsewhere=', /a value is missing, as in paid-elsewhere=NAME$/],
      ['duplicates=many', /number of rows/],
      ['duplicates=-1', /number of rows/],
      ['similar=1.5', /number of rows/],
      ['rest=1', /rest does not take a value$/],
      ['cut-input=', /cut-input does not take a value$/],
      ['Rest', /Rest is not a name/],
      ['', / is not a name/],
    ] as const) {
      const ran = await desk.batch(`run ./p.csv --json --yes --accept=${word}`);
      assert.deepEqual([ran.exitCode, ran.error().code], [2, 'USAGE'], word);
      assert.match(ran.error().message, why);
      assert.match(ran.error().hint!, /^it takes one of these:\n {2}duplicates=N /);
    }
    assert.equal(desk.service.requests.length, 0);
  });

  it('refuses two different numbers for one name, and accepts several places', async () => {
    for (const line of ['run ./p.csv', 'release b', 'resume b', 'retry b']) {
      const ran = await desk.batch(`${line} --json --yes --accept similar=1 --accept similar=2`);
      assert.deepEqual([ran.exitCode, ran.error().code], [2, 'USAGE'], line);
      assert.equal(ran.error().message, '--accept states similar=1 and similar=2');
      assert.match(ran.error().hint!, /similar=N: N references differ only in case or spaces/);
    }
    const twice = '--accept rest --accept rest --accept paid-elsewhere=a --accept paid-elsewhere=b';
    assert.equal((await desk.batch(`run ./p.csv --json --yes ${twice}`)).exitCode, 0);
  });

  it('is unknown to commands that have no such refusal', async () => {
    for (const line of ['cancel b', 'status b', 'report b', 'resolve b A-1 --not-paid'])
      assert.match((await desk.batch(`${line} --accept rest`)).stderr, /unknown flag --accept/, line);
  });
});

/** Each refusal prints the `--accept` that answers it, in a command that works as it stands. */
describe('the refusal that --accept answers', () => {
  let desk: Desk;
  let env: Record<string, string>;
  const at = '-p acme --state-dir ./s';
  beforeEach(async () => {
    ({desk, env} = await Desk.withProfiles());
  });
  afterEach(() => desk.close());

  const type = (line: string, options: Partial<CliOptions> = {}): Promise<CliResult> =>
    desk.batch(`${line} ${at}`, {env, ...options});
  /** Types the last command that a text prints. */
  const follow = (
    text: string,
    more: readonly string[] = [],
    options: CliOptions = {},
  ): Promise<CliResult> => {
    const line = text.slice(text.lastIndexOf('remit ')).split('\n')[0]!;
    const [, ...argv] = shellTokens(line).map((token) => token.text);
    const place = {service: desk.service.transport(), clock: desk.clock, cwd: desk.folder};
    return runCli([...argv, ...more], {env, ...place, ...options});
  };
  const accepted = (ran: CliResult): number => (ran.json() as Summary).accepted;

  it('for look-alikes states both numbers', async () => {
    desk.file('d.csv', [
      ['D-1', 1, '10.00'],
      ['D-2', 1, '10.00'],
      ['d-1', 2, '20.00'],
    ]);
    const ran = await type('run ./d.csv --batch-id d --json --yes --accept duplicates=9 --accept rest');
    assert.deepEqual([ran.exitCode, ran.error().code], [11, 'GUARD_DUPLICATES']);
    assert.match(
      ran.error().hint!,
      /--yes --accept rest -p acme --state-dir \S+ --accept duplicates=1 --accept similar=1$/,
    );
    assert.equal(accepted(await follow(ran.error().hint!)), 3);
  });

  it('for a journal that cannot be read, once the registry is lost, names its batch', async () => {
    await type('run ./p.csv --batch-id one --yes');
    const batches = join(desk.folder, 's', 'batches');
    rmSync(join(batches, 'registry.db'));
    desk.file('q.csv', [['Q-1', 5, '5.00']]);
    const read = await type('run ./q.csv --batch-id two --json --yes');
    assert.match(read.stderr, /lacked 2 references of 1 batch \(one\)/);
    assert.equal(read.exitCode, 0, read.stderr);
    rmSync(join(batches, 'registry.db'));
    writeFileSync(join(batches, 'payout', 'one', 'journal.db'), 'not a database'.repeat(500));
    desk.file('r.csv', [['R-1', 6, '6.00']]);
    const planned = await type('plan ./r.csv --batch-id three');
    assert.match(planned.stderr, /references were not compared.*journal of batch one cannot be read/);
    const ran = await type('run ./r.csv --batch-id three --json --yes');
    assert.deepEqual([ran.exitCode, ran.error().code], [13, 'STATE_DAMAGED'], ran.stderr);
    assert.match(ran.error().hint!, /restore it from a backup; or, .*--accept lost-journal=one$/);
    assert.equal(accepted(await follow(ran.error().hint!)), 1);
  });

  it('for references used elsewhere names each place', async () => {
    await type('run ./p.csv --batch-id one --yes --namespace old');
    await type(
      'run ./p.csv --batch-id two --yes --namespace older --accept paid-elsewhere=old --accept duplicates=2',
    );
    const ran = await type('run ./p.csv --batch-id b --json --yes');
    assert.match(
      ran.error().hint!,
      /other payments: remit payouts batch run \S+p\.csv .*paid-elsewhere=old --accept paid-elsewhere=older --accept duplicates=2$/,
    );
    const second = await follow(ran.error().hint!);
    assert.deepEqual([second.exitCode, accepted(second)], [0, 2], second.stderr);
  });

  it('for records that differ is shown with the row, and a retry by name prints it as well', async () => {
    desk.service.distort = (shown) => ({...shown, currency_code: 'EUR'});
    const {next} = (await type('run ./p.csv --batch-id b --json --yes')).json() as Summary;
    assert.match(next!, /^remit payouts batch status b --row A-1 --state-dir \S+ -p acme$/);
    const row = await follow(next!);
    const release = /^Hint: release it as it is: (.*)$/m.exec(row.stderr)![1];
    assert.match(release!, /^remit payouts batch release b --accept differences --state-dir \S+ -p acme$/);
    const named = await type('retry b --row A-1 --yes');
    assert.match(named.stderr, /A-1 is unchanged: its record differs from the row/);
    const hint = /^Hint: if the differences are acceptable: (.*)$/m.exec(named.stderr)![1];
    assert.equal(hint, release);
    assert.equal(accepted(await follow(hint!, ['--yes', '--json'])), 2);
  });

  it('for a release held by other rows is printed below the next command, also by status', async () => {
    desk.service.fault = ({n, body}) =>
      n > 1 && body.includes('"A-2"') ? {status: 403, body: {message: 'not permitted'}} : undefined;
    const ran = await type('run ./p.csv --batch-id b --yes');
    const shown = /^To release the others without it:\n {9}remit .* -p acme$/m.exec(ran.stdout)![0];
    assert.ok((await type('status b')).stdout.includes(shown));
    assert.equal(accepted(await follow(shown, ['--yes', '--json'])), 1);
  });

  it('for refusals before the first success is a hint', async () => {
    desk.file(
      'r.csv',
      [1, 2, 3, 4].map((n) => [`R-${n}`, n, `${n}.00`] as const),
    );
    desk.service.refuse = () => ({status: 422, error_code: 'INVALID_PAYMENT_DETAILS'});
    const ran = await type('run ./r.csv --batch-id r --yes');
    assert.match(ran.stdout, /stopped: 3 requests in a row were refused/);
    const hint = /^Hint: if the address is right and the service does refuse these rows: .*$/m.exec(
      ran.stderr,
    )![0];
    const {rejected} = (await follow(hint, ['--yes', '--json'])).json() as Summary;
    assert.equal(rejected, 4);
  });

  it('for refusals that no --accept makes final prints none', async () => {
    desk.file(
      'r.csv',
      [1, 2, 3].map((n) => [`R-${n}`, n, `${n}.00`] as const),
    );
    desk.service.fault = () => ({status: 405, body: '{}'});
    const ran = await type('run ./r.csv --batch-id r --yes');
    assert.match(ran.stdout, /stopped: 3 requests in a row were refused/);
    assert.doesNotMatch(ran.stderr, /--accept/);
  });

  it('for --direct with a live key repeats the command', async () => {
    const live = {env: desk.env(LIVE_KEY)};
    const line = 'run ./p.csv --json --direct --live --yes --confirm-total USD=30.00 --confirm-count 2';
    const ran = await desk.batch(line, live);
    assert.deepEqual([ran.exitCode, ran.error().code], [11, 'GUARD_LIVE']);
    assert.equal(accepted(await follow(ran.error().hint!, [], live)), 2);
  });

  it('for piped input without a final newline repeats the command, for run and plan', async () => {
    const stdin = `reference,payee_id,amount,currency_code\nA-1,${payeeId(1)},10.00,USD`;
    for (const line of ['plan - --batch-id c', 'run - --batch-id c --yes --out ./']) {
      const ran = await type(`${line} --json`, {stdin});
      assert.deepEqual([ran.exitCode, ran.error().code], [5, 'CSV_INVALID']);
      const hint = ran.error().hint!;
      assert.match(
        hint,
        /complete, add a newline, or: remit payouts batch (plan|run) - .*--accept cut-input$/,
      );
      const second = await follow(hint, [], {stdin});
      assert.equal(second.exitCode, 0, second.stderr);
    }
    assert.equal(desk.service.paid.length, 1);
  });
});
