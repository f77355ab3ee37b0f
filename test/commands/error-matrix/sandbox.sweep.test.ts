import assert from 'node:assert/strict';
import {mkdirSync} from 'node:fs';
import {sandboxPlace, writeRecord} from '../../../src/cli/sandbox/recorded/place.ts';
import {Stop} from '../../../src/cli/runtime/stop.ts';
import {SERVICE_ERRORS} from '../../../src/contract/error-codes.ts';
import {ERRORS, EXIT, isErrorCode} from '../../../src/errors.ts';
import {BASE_URL, runCli, scratch, TEST_KEY, type CliResult} from '../../cli/run-cli.ts';
import {byName} from '../../../src/narrow.ts';
import {answer, lost, type Reply} from '../../client/transport/fake-transport.ts';
import {faultOf, loadCommands, remitCallsIn, type CommandMap} from '../../repo/command-lines.ts';
import {PAYOUT_ID} from '../fixtures.ts';
import {isLong, tryCases} from './cases.ts';
import {helloAnswer} from '../sandbox/hello-answer.ts';
import {CONTROL_COMMANDS} from './control-commands.ts';
import {DELIVERY_STATES} from '../../../src/sandbox/base/shown-records.ts';

const TOKEN = 'token';

type Ending = 'in doubt' | number;
interface Failure {
  name: string;
  reply: () => Reply;
  ends: Ending;
  status?: number;
}

const MESSAGE = 'words of the sandbox';

/** design.md, section 4, restated. */
function endOf(status: number): Ending {
  if (status < 300 || status >= 500 || status === 408 || status === 425) return 'in doubt';
  if (status < 400 || status === 429) return EXIT.UNAVAILABLE;
  if (status === 401 || status === 403) return EXIT.CREDENTIALS;
  if (status === 404) return EXIT.NOT_FOUND;
  return status === 409 ? EXIT.CONFLICT : EXIT.INVALID;
}

const answered = (status: number, code: string): Failure => ({
  name: `${status} ${code}`,
  reply: () => answer(status, {error_code: code, message: MESSAGE}),
  ends: endOf(status),
  status,
});
const unclear = (name: string, reply: () => Reply, status?: number): Failure => ({
  ...{name, reply, ends: 'in doubt'},
  ...(status === undefined ? {} : {status}),
});

const SAMPLE = [200, 201, 207, 302, 400, 402, 404, 408, 409, 418, 422, 425, 429, 500, 503];
const STATUSES = isLong ? Array.from({length: 400}, (_, index) => 200 + index) : SAMPLE;

const FAILURES: readonly Failure[] = [
  ...STATUSES.map((status) => answered(status, 'A_CODE_OF_TOMORROW')),
  ...Object.entries(SERVICE_ERRORS).map(([code, {status}]) => answered(status, code)),
  unclear('a lost answer', () => lost()),
  unclear('no answer in time', () => lost('timeout')),
  unclear('an answer cut in its body', () => lost('cut', {status: 201}), 201),
  unclear('an answer cut in its JSON', () => answer(201, '{"id":"0192a0'), 201),
  unclear('a page of HTML', () => answer(200, '<html>', {'content-type': 'text/html'}), 200),
  unclear('a list', () => answer(200, []), 200),
  unclear('an empty 503', () => answer(503), 503),
];

const STATUS = {
  clock: {now: '2026-01-01T00:00:00.000Z', mode: 'frozen', timing: 'fast'},
  requests: {total: 0, posts: 0, answers: {}},
  faults: 0,
  deliveries: {events: 0, attempts: 0, ...byName(DELIVERY_STATES, () => 0)},
  audit: {posts: 0, entities: [], balanced: true, problems: []},
};

describe('every error of every command that changes the sandbox', function () {
  this.timeout(isLong ? 600_000 : 60_000);
  const home = scratch();
  const env = {HOME: home, REMIT_STATE_DIR: `${home}/state`};
  let commands: CommandMap;

  before(async () => {
    commands = await loadCommands();
    const place = sandboxPlace(env.REMIT_STATE_DIR);
    mkdirSync(place.folder, {recursive: true});
    const started = {pid: process.pid, started_at: '2026-01-01T00:00:00Z', store: place.store};
    writeRecord(place, {base_url: BASE_URL, control_url: `${BASE_URL}/sandbox/`, ...started}, TOKEN);
    const add = ['profiles', 'add', 'work', '--base-url', BASE_URL, '--key-stdin'];
    assert.equal((await runCli(add, {env, stdin: `${TEST_KEY}\n`})).exitCode, 0);
  });

  /** Its reads succeed; what it changes fails. */
  const run = (line: string, reply: () => Reply, form: readonly string[] = [], stop?: Stop) =>
    runCli([...line.split(' '), '-p', 'work', ...form], {
      ...{env, ...(stop === undefined ? {} : {stop})},
      service: ({method, path}) =>
        helloAnswer({path}, TOKEN) ??
        (method === 'GET' ? answer(200, path.endsWith('/status') ? STATUS : {data: []}) : reply()),
    });

  for (const [line, shows] of Object.values(CONTROL_COMMANDS).flat())
    it(`has its exit code and says what is known: ${line}`, async () => {
      const cases = FAILURES.map((failure) => ({failure, where: `${line}: ${failure.name}`}));
      await tryCases(cases, async ({failure, where}) => {
        const json = await run(line, failure.reply, ['-o', 'json']);
        check(json, failure, `${shows} -p work`, where);
        const text = await run(line, failure.reply);
        assert.deepEqual([text.exitCode, text.stdout], [json.exitCode, ''], where);
        assert.ok(text.stderr.includes(`Error: ${json.error().message.split('\n')[0]!}`), text.stderr);
        assert.doesNotMatch(text.stderr, /^\s+at |undefined|\[object/m, where);
        if (failure.ends === 'in doubt')
          assert.ok(text.stderr.includes(`Hint: ${shows} -p work\n`), `${where}\n${text.stderr}`);
      });
      const [argv] = remitCallsIn(`${shows} -p work`);
      assert.equal(await faultOf(argv!, commands), undefined, shows);
    });

  function check(ran: CliResult, {ends, status}: Failure, hint: string, where: string): void {
    const error = ran.error() as ReturnType<CliResult['error']> & {http_status: number | null};
    const exit = ends === 'in doubt' ? EXIT.IN_DOUBT : ends;
    assert.deepEqual(
      [ran.exitCode, error.exit_code, ran.stdout],
      [exit, exit, ''],
      `${where}\n${ran.stderr}`,
    );
    assert.ok(isErrorCode(error.code) && ERRORS[error.code].exit === exit, where);
    assert.equal(error.http_status, status ?? null, where);
    assert.match(error.message, /(POST|DELETE) \/sandbox\//, where);
    assert.doesNotMatch(error.message, /undefined|\[object|\bnull\b/, where);
    if (ends === 'in doubt') {
      assert.match(error.message, /^in doubt, it may have taken effect in the sandbox: /, where);
      assert.deepEqual([error.hint, error.details?.['next'], error.retryable], [hint, hint, false], where);
      assert.equal(error.details?.['may_have_taken_effect'], true, where);
    } else {
      assert.doesNotMatch(error.message, /in doubt/, where);
      assert.ok(error.message.includes(MESSAGE), where);
      assert.notEqual(error.code, 'NOT_RUNNING', where);
    }
  }

  it('says that no sandbox is running only if nothing was sent', async () => {
    for (const [line] of Object.values(CONTROL_COMMANDS).flat()) {
      const ran = await run(line, () => lost('refused', {sent: false}), ['-o', 'json']);
      const {code, hint} = ran.error();
      assert.deepEqual(
        [ran.exitCode, code, hint],
        [13, 'NOT_RUNNING', 'remit sandbox start --port 4010'],
        line,
      );
    }
  });

  it('says that what answers a read without JSON is not a sandbox', async () => {
    const html = answer(200, '<html>', {'content-type': 'text/html'});
    const service = ({path}: {path: string}) => helloAnswer({path}, TOKEN) ?? html;
    const ran = await runCli(['sandbox', 'status', '-p', 'work', '-o', 'json'], {env, service});
    assert.deepEqual([ran.exitCode, ran.error().code], [13, 'NOT_RUNNING']);
    assert.match(ran.error().message, /is not a sandbox/);
  });

  it('says that what answers without the fields of the call is not a sandbox', async () => {
    for (const body of [{}, {data: 5}, {data: [{}]}, {clock: {}}]) {
      const service = ({path}: {path: string}) => helloAnswer({path}, TOKEN) ?? answer(200, body);
      for (const read of ['status', 'keys', 'faults list', 'clock', 'magic']) {
        const line = ['sandbox', ...read.split(' '), '-p', 'work', '-o', 'json'];
        const ran = await runCli(line, {env, service});
        assert.deepEqual([ran.exitCode, ran.error().code], [13, 'NOT_RUNNING'], `${read} ${ran.stdout}`);
        assert.match(ran.error().message, /what answers at \S+ is not a sandbox of this version of remit/);
      }
      for (const write of ['seed --payees 1', 'reset --yes', 'keys --issue test']) {
        const ran = await runCli(['sandbox', ...write.split(' '), '-p', 'work', '-o', 'json'], {
          env,
          service,
        });
        assert.deepEqual([ran.exitCode, ran.error().code], [12, 'IN_DOUBT'], write);
        assert.match(ran.error().message, /is not a sandbox of this version of remit/);
      }
    }
  });

  it('is interrupted by Ctrl-C: 130', async () => {
    const stop = new Stop(() => assert.fail('the process must not be ended'));
    const reply = (): Reply => {
      stop.receive('SIGINT');
      return lost('aborted');
    };
    const line = `sandbox simulate payout ${PAYOUT_ID} settle`;
    assert.equal((await run(line, reply, [], stop)).exitCode, EXIT.INTERRUPTED);
    stop.release();
  });
});
