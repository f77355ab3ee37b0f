import assert from 'node:assert/strict';
import {join} from 'node:path';
import {SERVICE_ERRORS} from '../../src/contract/error-codes.ts';
import {ERRORS, EXIT, isErrorCode} from '../../src/errors.ts';
import {shellWord} from '../../src/shell-word.ts';
import {BASE_URL, runCli, scratch, TEST_KEY, type CliResult} from '../cli/run-cli.ts';
import {answer, lost, type Script} from '../client/transport/fake-transport.ts';
import {isLong, tryCases} from './error-matrix/cases.ts';
import {METHOD_ID, PAYEE_ID, PAYER_ID, PAYOUT_ID} from './fixtures.ts';
import {faultOf, loadCommands, remitCallsIn, type CommandMap} from '../repo/command-lines.ts';
import {endOf, type Ending} from './error-matrix/ending.ts';
import {IN_STEPS, WRITING_COMMANDS, WRITING_IDS, type WritingCommand} from './written-commands.ts';

interface Failure {
  name: string;
  service: Script;
  ends: (command: WritingCommand) => Ending;
}

const MESSAGE = 'words of the service';

const answered = (status: number, code?: string): Failure => ({
  name: code === undefined ? `${status}` : `${status} ${code}`,
  service: () => answer(status, {error_code: code ?? 'A_CODE_OF_TOMORROW', message: MESSAGE}),
  ends: (command) => endOf(status, code, command),
});

/** Without an answer, or with a part of one, nothing is known. */
const unknown = (name: string, service: Script, status: number | null = null): Failure => ({
  name,
  service,
  ends: () => ({is: 'in doubt', exit: EXIT.IN_DOUBT, status}),
});

const SAMPLE = [
  200, 207, 300, 302, 400, 402, 405, 408, 409, 410, 418, 422, 425, 429, 451, 500, 501, 502, 504,
];
const STATUSES = isLong ? Array.from({length: 400}, (_, index) => 200 + index) : SAMPLE;

const FAILURES: readonly Failure[] = [
  ...STATUSES.map((status) => answered(status)),
  ...Object.entries(SERVICE_ERRORS).map(([code, {status}]) => answered(status, code)),
  unknown('a lost answer', () => lost()),
  unknown('no answer in time', () => lost('timeout')),
  unknown('an answer cut in its body', () => lost('reset', {status: 201}), 201),
  unknown('an answer cut in its JSON', () => answer(201, '{"id":"0192a0'), 201),
  unknown('a page of HTML', () => answer(200, '<html>', {'content-type': 'text/html'}), 200),
  unknown('an empty 503', () => answer(503), 503),
  {
    name: 'a lost answer, then a 401',
    service: (_, nth) =>
      nth === 0 ? lost() : answer(401, {error_code: 'AUTHENTICATION_ERROR', message: MESSAGE}),
    ends: ({safety}) => ({is: 'in doubt', exit: EXIT.IN_DOUBT, status: safety === 'bare' ? null : 401}),
  },
  {
    name: 'a refused connection',
    service: () => lost('refused', {sent: false}),
    ends: () => ({is: 'refused', exit: EXIT.UNAVAILABLE, status: null}),
  },
];

/** What the service answers if the command did what it should. */
function recordOf({id, line}: WritingCommand): Record<string, unknown> {
  const own = line.split(' ').find((word) => word === PAYOUT_ID || word === METHOD_ID) ?? PAYOUT_ID;
  const status = id.endsWith(':cancel') ? 'canceled' : id.endsWith(':approve') ? 'approved' : 'created';
  const record = {
    ...{id: own, status: id.startsWith('moves:') ? (status === 'approved' ? 'SETTLED' : 'CREATED') : status},
    ...{payee_id: PAYEE_ID, payer_id: PAYER_ID, subaccount_id: null, client_metadata: {}},
    ...{source_subaccount_id: PAYEE_ID, destination_subaccount_id: PAYER_ID},
    ...{source_account_id: PAYEE_ID, destination_account_id: PAYER_ID},
    ...{amount_in_minor_units: 100, currency_code: 'USD', rail: 'book', label: 'Main'},
    name: id.startsWith('subaccounts:') ? 'Rent' : 'Acme',
    ...{verification_status: 'verified', is_default: true, is_active: id !== 'webhooks:endpoints:disable'},
    ...{
      url: 'https://example.com/a',
      event_types: ['payout.settled'],
      signing_secret: 'whsec_0123456789abcdef',
    },
  };
  return id.startsWith('moves:') ? {data: record} : record;
}

const KEY = '11111111-2222-4333-8444-555555555555'; // that of runCli
/** Where an assumption may explain the answer. */
const DOCTOR = /; to find what differs at the service: remit doctor( --probe-writes)? -p work$/;
const MEMBERS = ['code', 'message', 'http_status', 'exit_code', 'retryable', 'request_id', 'hint', 'details'];

describe('every error of every writing command', function () {
  this.timeout(isLong ? 600_000 : 60_000);
  let home: string;
  let commands: CommandMap;
  before(async () => {
    home = scratch();
    commands = await loadCommands();
    const add = ['profiles', 'add', 'work', '--base-url', BASE_URL, '--key-stdin'];
    assert.equal((await runCli(add, {env: {HOME: home}, stdin: `${TEST_KEY}\n`})).exitCode, 0);
  });

  /** The write fails; every read fails too, so that nothing else is known of the record. */
  const run = (command: WritingCommand, {service}: Failure, form: string[]): Promise<CliResult> => {
    const words = command.line.replace('SECRET', join(scratch(), 'secret')).split(' ');
    let writes = 0;
    const script: Script = (request) =>
      request.method === 'GET' ? answer(500, {}) : service(request, writes++);
    return runCli([...words, ...form], {service: script, env: {HOME: home, REMIT_STATE_DIR: scratch()}});
  };

  it('is tried: each command with a request that writes is in the table, or has tests of its own', () => {
    const tried = WRITING_COMMANDS.flatMap(({id}) => (id === 'api' ? [] : [id]));
    assert.deepEqual([...tried, ...Object.keys(IN_STEPS)].sort(), [...WRITING_IDS].sort());
  });

  for (const command of WRITING_COMMANDS)
    it(`has its exit code and says what is known: ${command.line.split(' -')[0]!}`, async () => {
      const cases = FAILURES.map((failure) => ({failure, where: `${command.line}: ${failure.name}`}));
      await tryCases(cases, async ({failure, where}) => {
        const ending = failure.ends(command);
        const json = await run(command, failure, ['--json']);
        checkJson(json, command, ending, where);
        const text = await run(command, failure, []);
        checkText(text, json, where);
        await checkHint(json, command, ending, where);
      });
    });

  it('is told from success: 200, 201 and 202 exit 0, a warning exits 8, an empty answer is read again', async () => {
    for (const command of WRITING_COMMANDS.filter(({id}) => id !== 'api'))
      // it prints what comes
      for (const status of [200, 201, 202, 207, 204]) {
        const where = `${command.line}: ${status}`;
        const record = recordOf(command);
        const body = status === 207 ? {...record, warning: MESSAGE} : status === 204 ? undefined : record;
        const isList = ({method, path}: {method: string; path: string}) =>
          method === 'GET' && path.includes('?');
        const words = command.line.replace('SECRET', join(scratch(), 'secret')).split(' ');
        const ran = await runCli([...words, '--json'], {
          service: (request) =>
            request.method === 'GET'
              ? answer(200, isList(request) ? {data: [record]} : record)
              : answer(status, body),
          env: {HOME: home, REMIT_STATE_DIR: scratch()}, // nothing is in doubt from an earlier case
        });
        const creates = /\.(create|add)$/.test(command.operation);
        const isLost = status === 204 && creates;
        const isOpen = status === 202 && command.operation.endsWith('.delete'); // accepted, and perhaps not done yet
        const isUnread = status === 204 && command.id === 'treasury:simulate-credit';
        const isPartial = status === 207 || isOpen || isUnread;
        assert.equal(ran.exitCode, isLost ? 12 : isPartial ? 8 : 0, `${where}\n${ran.stderr}`);
        if (isLost) assert.equal(ran.stdout, '', where);
        else assert.equal(typeof ran.json(), 'object', where);
        assert.equal(ran.stderr.includes(`Warning: ${MESSAGE}`), status === 207, `${where}\n${ran.stderr}`);
      }
  });

  function checkJson(ran: CliResult, command: WritingCommand, ending: Ending, where: string): void {
    assert.equal(ran.exitCode, ending.exit, `${where}\n${ran.stderr}`);
    assert.equal(ran.stdout, '', where);
    const lines = ran.stderr.trimEnd().split('\n');
    const objects = lines.filter((line) => line.startsWith('{"error"'));
    assert.deepEqual(objects, [lines.at(-1)], `${where}: one error, the last line`);
    const error = ran.error() as ReturnType<CliResult['error']> & {http_status: number | null};
    assert.deepEqual(Object.keys(error), MEMBERS, where);
    assert.ok(isErrorCode(error.code), where);
    assert.deepEqual([error.exit_code, ERRORS[error.code].exit], [ending.exit, ending.exit], where);
    assert.equal(error.http_status, ending.status, `${where}\n${ran.stderr}`);
    assert.ok(error.message.includes(BASE_URL), `${where}: it names the request`);
    assert.doesNotMatch(error.message, /undefined|\[object|\bnull\b/, where);
    if (ending.status !== null && !where.endsWith('cut in its body'))
      // the words of the fake do not name it
      assert.match(error.message, new RegExp(`\\b${ending.status}\\b`), where);
    if (ending.code !== undefined) assert.ok(error.message.includes(ending.code), where);
    if (ending.is === 'refused') {
      assert.notEqual(error.details?.['may_have_taken_effect'], true, where);
      assert.doesNotMatch(error.message, /in doubt/, where);
      if (ending.status !== null && ending.status >= 400)
        assert.ok(error.message.includes(MESSAGE), `${where}: ${error.message}`);
    } else {
      assert.equal(error.code, 'IN_DOUBT', where);
      assert.match(error.message, /in doubt, it may have taken effect/, where);
      assert.equal(error.details?.['may_have_taken_effect'], true, where);
      assert.ok('status' in error.details && 'id' in error.details, `${where}: what is known`);
      if (where.endsWith('then a 401') && command.safety !== 'bare')
        assert.match(error.message, /an earlier attempt got no usable answer; the last one: .* 401 /, where);
      if (command.safety === 'keyed') {
        assert.equal(error.details['idempotency_key'], KEY, where);
        assert.ok(`${error.message} ${error.hint}`.includes(KEY), `${where}: the key is named`);
      }
    }
  }

  /** Each of the two runs has its own home. */
  function withoutFile(text: string): string {
    return text.replace(/\S+\/in-doubt\/\w+\.json/, 'FILE');
  }

  function checkText(text: CliResult, json: CliResult, where: string): void {
    assert.deepEqual([text.exitCode, text.stdout], [json.exitCode, ''], where);
    const {message, hint} = json.error();
    const [first] = message.split('\n');
    assert.ok(withoutFile(text.stderr).includes(`Error: ${withoutFile(first!)}`), `${where}\n${text.stderr}`);
    assert.doesNotMatch(text.stderr, /^\s+at |undefined|\[object/m, where);
    const hints = [...text.stderr.matchAll(/^Hint: (.*)$/gm)].map((match) => match[1]);
    assert.deepEqual(hints, hint === null ? [] : [hint.replace(' --json', '')], where);
  }

  /** In doubt: the same command with its key, or one that only reads; with the profile in either case. */
  async function checkHint(
    ran: CliResult,
    command: WritingCommand,
    ending: Ending,
    where: string,
  ): Promise<void> {
    const {hint} = ran.error();
    if (hint !== null && hint.startsWith('remit ')) {
      const [argv, ...more] = remitCallsIn(hint);
      assert.ok(argv !== undefined && more.length === 0, `${where}: ${hint}`);
      assert.equal(await faultOf(argv, commands), undefined, `${where}: ${hint}`);
    }
    if (ending.is !== 'in doubt') return;
    assert.match(hint ?? '', / -p work\b/, `${where}: ${hint}`);
    const isKeyInUse = ending.status === 409; // the same request may end in the same way for ever
    if (command.safety === 'keyed' && !isKeyInUse)
      assert.equal(
        hint!.replace(DOCTOR, ''),
        `remit ${command.line.split(' ').map(shellWord).join(' ')} --json --idempotency-key ${KEY} -p work`,
        where,
      );
    else if (command.safety === 'bare' || isKeyInUse)
      assert.match(hint!, /^remit [a-z -]+ (get|list|accounts|transactions|GET)\b/, where);
  }
});
