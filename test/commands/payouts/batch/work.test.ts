import assert from 'node:assert/strict';
import {batchFolder} from '../../../../src/batch/journal/folder.ts';
import {ASKING, readStatus} from '../../../../src/batch/standing/status-file.ts';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import {acquireLock, type Lock} from '../../../../src/store/locks/lock.ts';
import type {CliOptions, CliResult} from '../../../cli/run-cli.ts';
import {Desk} from './desk.ts';
import {systemProbe} from '../../../../src/store/locks/lock-holder.ts';

/** A lock is not broken while its holder is seen to live. */
const ELSEWHERE = {...systemProbe, host: 'another machine'};

const STATED_LIVE = '--live --yes --confirm-total USD=20.00 --confirm-count 1';

describe('the prompt of a batch', () => {
  let desk: Desk;
  beforeEach(() => (desk = Desk.withTwoRows()));
  afterEach(() => desk.close());

  const more = () =>
    desk.file('more.csv', [
      ['A-1', 1, '10.00'],
      ['A-2', 2, '20.00'],
      ['A-3', 3, '1000.00'],
    ]);
  const asked = (line: string, given: {live?: boolean; answers: CliOptions['answers']}) =>
    desk.batch(line, {columns: 100, ...given});

  it('names the whole plan when nothing of it is done', async () => {
    const {questions, stderr} = await asked('run ./p.csv', {answers: [false]});
    assert.deepEqual(questions, ['Pay 2 rows, 30.00 USD?']);
    assert.doesNotMatch(stderr, /To do/);
  });

  it('names what is left, what another batch has paid, and which one', async () => {
    await desk.batch('run ./p.csv --batch-id july --yes');
    more();
    const ran = await asked('run ./more.csv --batch-id august', {answers: [true]});
    assert.deepEqual(ran.questions, ['Pay 1 of 3 rows, 1,000.00 USD (2 done already)?']);
    assert.match(
      ran.stderr,
      /To do {8}1 row, 1,000.00 USD\n {2}Paid before {2}2 rows, 30.00 USD by batch july/,
    );
    assert.equal(desk.service.byId.size, 3);
  });

  it('names what is left and what the batch itself has paid, in a new revision', async () => {
    await desk.batch('run ./p.csv --batch-id b --yes');
    more();
    const ran = await asked('run ./more.csv --batch-id b', {answers: [false]});
    assert.deepEqual(ran.questions, ['Pay 1 of 3 rows, 1,000.00 USD (2 done already)?']);
    assert.match(ran.stderr, /Done {9}2 rows, 30.00 USD by this batch/);
    assert.equal(desk.service.byId.size, 2);
  });

  it('for live money asks for the total that this run sends; stated figures still cover the whole plan', async () => {
    const live = {live: true};
    await desk.batch(
      'run ./p.csv --batch-id b --live --yes --confirm-total USD=30.00 --confirm-count 2',
      live,
    );
    more();
    const line = 'run ./more.csv --batch-id b --live';
    const whole = await asked(line, {...live, answers: ['1030.00']});
    assert.equal(whole.exitCode, 11);
    assert.match(whole.questions[0]!, /^Pay 1 row\? Type the total in USD:/);
    const stated = await desk.batch(`${line} --yes --confirm-total USD=1000.00 --confirm-count 1`, live);
    assert.deepEqual([stated.exitCode, desk.service.byId.size], [11, 2]);
    assert.equal((await asked(line, {...live, answers: ['1,000.00'.replace(',', '')]})).exitCode, 0);
    assert.equal(desk.service.byId.size, 3);
  });

  it('is not shown if no row is left that any command could send', async () => {
    await desk.batch('run ./p.csv --batch-id july --yes');
    const ran = await asked('run ./p.csv --batch-id again', {answers: []});
    assert.deepEqual([ran.exitCode, ran.questions], [0, []]);
    assert.match(ran.stderr, /nothing is left to send/);
    const script = await desk.batch('release july');
    assert.deepEqual([script.exitCode, desk.service.byId.size], [0, 2]);
    desk.file('other.csv', [['B-1', 9, '5.00']]);
    const unsent = await desk.batch('run ./other.csv');
    assert.equal(unsent.exitCode, 2, 'what would send something is confirmed');
  });

  const refusing = {status: 401, body: {error_code: 'AUTHENTICATION_ERROR', message: 'no'}};
  /** A batch that has claimed its references and sent nothing, until `giveBack`. */
  const claim = async (file: string, batch: string, live = false) => {
    desk.service.fault = () => refusing;
    await desk.batch(`run ./${file} --batch-id ${batch} ${live ? STATED_LIVE : '--yes'}`, {live});
    desk.service.fault = () => undefined;
  };
  const giveBack = async (batch: string, live = false) => {
    desk.service.refuse = () => ({status: 422, error_code: 'VALIDATION_ERROR'});
    await desk.batch(`run ${batch} --yes${live ? ' --live' : ''}`, {live});
    desk.service.refuse = () => undefined;
  };

  it('for live money that is all paid is still refused without --live, with a complete message', async () => {
    const stated = '--live --yes --confirm-total USD=30.00 --confirm-count 2';
    await desk.batch(`run ./p.csv --batch-id july ${stated}`, {live: true});
    const refused = await desk.batch('run july --json', {live: true});
    assert.deepEqual([refused.exitCode, refused.error().code], [11, 'GUARD_LIVE']);
    assert.equal(refused.error().message, 'refused to pay batch july with a live key');
  });

  it('that was not shown does not count as a yes: what can be sent later needs a confirmation then', async () => {
    await claim('p.csv', 'july');
    const first = await asked('run ./p.csv --batch-id again', {answers: []});
    assert.match(first.stderr, /nothing is left to send/);
    await giveBack('july');
    const mute = await desk.batch('run again --json');
    assert.deepEqual([mute.exitCode, mute.error().code], [2, 'NEEDS_TERMINAL']);
    const later = await asked('run again', {answers: [false]});
    assert.deepEqual([later.exitCode, later.questions], [11, ['Pay 2 rows, 30.00 USD?']]);
    assert.equal(desk.service.byId.size, 0);
  });

  it('of a retry names a row that another batch has given back since once', async () => {
    desk.file('c.csv', [['A-2', 2, '20.00']]);
    await claim('c.csv', 'c');
    await desk.batch('run ./p.csv --batch-id b --yes --accept rest');
    [...desk.service.byId.values()][0]!.status = 'failed';
    await giveBack('c');
    const ran = await asked('retry b --row A-1', {answers: [false]});
    assert.deepEqual(ran.questions, ['Send 1 row again, 10.00 USD, and 1 row not done yet, 20.00 USD?']);
  });

  it('of a retry does not also say that nothing is left to send', async () => {
    await desk.batch('run ./p.csv --batch-id b --yes');
    [...desk.service.byId.values()][0]!.status = 'failed';
    const ran = await asked('retry b --row A-1', {answers: [true]});
    assert.deepEqual(ran.questions, ['Send 1 row again, 10.00 USD?']);
    assert.doesNotMatch(ran.stderr, /nothing is left/);
    assert.match(
      ran.stderr,
      /A-1 {2}10\.00 USD {2}with a new key: record \S+ has failed\nBatch b: 1 row to be sent again, 10\.00 USD\n1 row prepared/,
    );
  });

  it('of a retry covers all live money that it sends, not only the rows that are sent again', async () => {
    const live = {live: true};
    desk.file('c.csv', [['A-2', 2, '20.00']]);
    await claim('c.csv', 'c', true);
    const stated = '--live --yes --confirm-total USD=30.00 --confirm-count 2';
    await desk.batch(`run ./p.csv --batch-id b --accept rest ${stated}`, live);
    [...desk.service.byId.values()][0]!.status = 'failed';
    await giveBack('c', true);
    const less = await asked('retry b --row A-1 --live', {...live, answers: ['10.00']});
    assert.deepEqual([less.exitCode, desk.service.byId.size], [11, 1]);
    assert.match(less.questions[0]!, /^Send 2 rows, 1 of them again\? Type the total in USD:/);
    assert.equal((await asked('retry b --row A-1 --live', {...live, answers: ['30.00']})).exitCode, 0);
    assert.equal(desk.service.byId.size, 3);
  });

  it('is followed, on a sandbox, by what to do if the sandbox has forgotten the payments', async () => {
    await desk.batch('run ./p.csv --batch-id july --yes');
    const line = 'run ./p.csv --batch-id july --yes';
    assert.doesNotMatch((await desk.batch(line)).stderr, /was reset/);
    const env = desk.env('test_sandbox_0123456789abcdef');
    const elsewhere = `--state-dir ${desk.folder}/other --out ${desk.folder}`;
    await desk.batch(`run ./p.csv --batch-id x ${elsewhere} --yes`, {env});
    const again = () => desk.batch(`run ./p.csv --batch-id x ${elsewhere} --yes`, {env});
    assert.doesNotMatch((await again()).stderr, /was reset/);
    desk.service.byId.clear();
    const {exitCode, stderr} = await again();
    assert.equal(exitCode, 0, stderr);
    assert.match(stderr, /The sandbox was reset after this batch.*--state-dir and --out/s);
  });

  it('is not followed by that if one record is not found, or is still listed', async () => {
    const env = desk.env('test_sandbox_0123456789abcdef');
    await desk.batch('run ./p.csv --batch-id b --yes', {env});
    const [record, other] = [...desk.service.byId.values()];
    const missing = (...ids: (string | undefined)[]) => {
      desk.service.fault = ({method, path}) =>
        method === 'GET' && ids.some((id) => path.endsWith(`/${id}`))
          ? {status: 404, body: {error_code: 'NOT_FOUND', message: 'no'}}
          : undefined;
    };
    for (const ids of [[record?.id], [record?.id, other?.id]]) {
      missing(...ids);
      const {stderr} = await desk.batch('run b --yes', {env});
      assert.doesNotMatch(stderr, /was reset/);
      assert.match(stderr, /the record \S+ of row A-1 was not found just now\n.*batch status b --refresh$/m);
    }
  });

  it('of a release names the records that it approves', async () => {
    await desk.batch('run ./p.csv --batch-id b --stage-only --yes');
    const ran = await asked('release b', {answers: [true]});
    assert.deepEqual(ran.questions, ['Release 2 rows, 30.00 USD?']);
  });

  it('of a resume is not repeated, but the resume reports what it does', async () => {
    await desk.batch('run ./p.csv --batch-id b --stage-only --yes');
    const ran = await asked('run b', {answers: []});
    assert.deepEqual(ran.questions, []);
    assert.match(ran.stderr, /^Stage 0 of 2 rows \(2 staged already\)\.$/m);
  });

  it('of a retry is refused, not shown twice, while the plan was never confirmed', async () => {
    await desk.batch('plan ./p.csv --batch-id b');
    const never = await asked('retry b --yes', {answers: [true, true]});
    assert.deepEqual([never.exitCode, never.questions], [11, []]);
    assert.match(never.stderr, /was never run.*\nHint: remit payouts batch run b/s);
    await desk.batch('run b --yes');
    more();
    await desk.batch('plan ./more.csv --batch-id b');
    const revised = await asked('retry b', {answers: [true, true]});
    assert.deepEqual([revised.exitCode, revised.questions, desk.service.byId.size], [11, [], 2]);
    assert.match(revised.stderr, /revision 2 of batch b was never confirmed/);
  });

  it('has no effect once another process has taken the batch: nothing is changed', async () => {
    await desk.batch('plan ./p.csv --batch-id b --state-dir ./s');
    const {lock: path} = batchFolder(`${desk.folder}/s`, 'payout', 'b');
    let taken: Lock | undefined;
    const take = async () => {
      taken = await acquireLock(path, {purpose: 'another run', breakLock: true, probe: ELSEWHERE});
      return true;
    };
    const ran = await asked('run b --state-dir ./s', {answers: [take]});
    assert.deepEqual([ran.exitCode, desk.service.posts], [13, 0]);
    await taken?.release();
    assert.equal(((await desk.batch('status b --state-dir ./s --json')).json() as Summary).state, 'planned');
  });

  it('is reported as open only while it is', async () => {
    const {status} = batchFolder(`${desk.folder}/s`, 'payout', 'b');
    const phases: (string | undefined)[] = [];
    desk.service.fault = () => void phases.push(readStatus(status)?.phase);
    await desk.batch('run ./p.csv --batch-id b --stage-only --yes --state-dir ./s');
    phases.length = 0;
    await asked('release b --yes --state-dir ./s', {answers: []});
    assert.deepEqual([phases.length > 0, phases.includes(ASKING)], [true, false], String(phases));
    desk.file('more.csv', [['A-3', 3, '1000.00']]);
    phases.length = 0;
    await asked('run ./more.csv --batch-id b2 --state-dir ./s', {answers: [true]});
    assert.deepEqual([phases.length > 0, phases.includes(ASKING)], [true, false], String(phases));
  });

  it('does not prevent a status of the batch while it is open', async () => {
    await desk.batch('plan ./p.csv --batch-id b');
    const seen: Record<string, CliResult> = {};
    const look = async () => {
      for (const verb of ['status b', 'list', 'report b']) seen[verb] = await desk.batch(`${verb} --json`);
      seen['people'] = await desk.batch('status b');
      return false;
    };
    assert.equal((await asked('run b', {answers: [look]})).exitCode, 11);
    const {'status b': status, list, 'report b': report, people} = seen;
    assert.equal(status!.exitCode, 0, status!.stderr);
    const {state, planned, accepted} = status!.json() as Summary;
    assert.deepEqual([state, planned, accepted], ['planned', 2, 0]);
    assert.match(people!.stderr, /has been waiting for an answer to its prompt/);
    const [listed] = list!.json() as {state: string; problem: string | null}[];
    assert.deepEqual([listed!.state, listed!.problem], ['planned', null]);
    const reported = report!.json() as Summary;
    assert.deepEqual([report!.exitCode, reported.state, reported.next], [0, 'planned', null]);
    assert.match(report!.stderr, /Batch b is shown as of .*: another process is using it\./);
  });
});
