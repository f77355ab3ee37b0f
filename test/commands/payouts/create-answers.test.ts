import assert from 'node:assert/strict';
import {afterEach, describe, it} from 'mocha';
import {HttpTransport} from '../../../src/client/transport/http-transport.ts';
import type {ErrorCode, ExitCode} from '../../../src/errors.ts';
import {runCli, type CliResult} from '../../cli/run-cli.ts';
import {scriptedServer, type Scripted, type ScriptedServer} from '../../smoke/scripted-server.ts';
import {PAYEE_ID, PAYOUT_ID, payout} from '../fixtures.ts';

const KEY = '11111111-2222-4333-8444-555555555555'; // what the test runtime makes
const ARGV = [
  'payouts',
  'create',
  '--payee',
  PAYEE_ID,
  '--amount',
  '125.00',
  '--currency',
  'USD',
  '--auto-approve',
];
const REPEAT = `remit ${ARGV.join(' ')} --idempotency-key ${KEY}`;
const approved = payout({status: 'approved'});
/** 1,000 levels: as many as JSON.stringify writes here. */
function deepRecord(): unknown {
  let value: unknown = 1;
  for (let level = 0; level < 1000; level += 1) value = [value];
  return {...approved, x: value};
}
const refusal = (error_code: string, message: string) => ({error_code, message});

/** What each answer of the service to one `payouts create` must become, under text and under JSON. */
interface Case {
  title: string;
  /** One answer, given to every attempt. */
  answer: Scripted;
  exit: ExitCode;
  code?: ErrorCode;
  /** In the message of text and of JSON alike. */
  says?: RegExp;
  /** Attempts at the service: one, or one and the two retries of the default policy. */
  attempts: 1 | 3;
  /** The error names the command that repeats it with the same key. */
  repeats?: boolean;
}

const CASES: readonly Case[] = [
  {title: '200, a replay', answer: {status: 200, body: approved}, exit: 0, attempts: 1},
  {title: '201', answer: {status: 201, body: approved}, exit: 0, attempts: 1},
  {title: '202, still at work', answer: {status: 202, body: approved}, exit: 0, attempts: 1},
  {
    title: '204, which names no record',
    answer: {status: 204},
    exit: 12,
    code: 'IN_DOUBT',
    says: /answered 204 without a body/,
    attempts: 3,
    repeats: true,
  },
  {
    title: '201 with JSON that is too deep to process',
    answer: {status: 201, body: deepRecord()},
    exit: 12,
    code: 'IN_DOUBT',
    says: /answered 201 with JSON nested more than 200 levels deep \(\d+ bytes\); it names \S+ \(status: approved\)/,
    attempts: 3,
    repeats: true,
  },
  {
    title: '207, created but not approved',
    answer: {status: 207, body: payout({warning: 'insufficient funds'})},
    exit: 8,
    says: /insufficient funds/,
    attempts: 1,
  },
  {
    title: '400',
    answer: {status: 400, body: refusal('VALIDATION_ERROR', 'rail is not supported')},
    exit: 5,
    code: 'VALIDATION_ERROR',
    says: /400 VALIDATION_ERROR: rail is not supported/,
    attempts: 1,
  },
  {
    title: '401',
    answer: {status: 401, body: refusal('AUTHENTICATION_ERROR', 'unknown key')},
    exit: 3,
    code: 'AUTHENTICATION_ERROR',
    says: /401 AUTHENTICATION_ERROR: unknown key/,
    attempts: 1,
  },
  {
    title: '403',
    answer: {status: 403, body: refusal('AUTHORIZATION_ERROR', 'read-only key')},
    exit: 3,
    code: 'AUTHORIZATION_ERROR',
    says: /403 AUTHORIZATION_ERROR: read-only key/,
    attempts: 1,
  },
  {
    title: '404',
    answer: {status: 404, body: refusal('NOT_FOUND', 'no such payee')},
    exit: 4,
    code: 'NOT_FOUND',
    says: /404 NOT_FOUND: no such payee/,
    attempts: 1,
  },
  {
    title: '409 of a dead key',
    answer: {status: 409, body: refusal('IDEMPOTENCY_KEY_CONFLICT', 'the payout is canceled')},
    exit: 6,
    code: 'IDEMPOTENCY_KEY_CONFLICT',
    says: /409 IDEMPOTENCY_KEY_CONFLICT: the payout is canceled/,
    attempts: 1,
  },
  {
    title: '422',
    answer: {status: 422, body: refusal('INVALID_PAYMENT_DETAILS', 'account closed')},
    exit: 5,
    code: 'INVALID_PAYMENT_DETAILS',
    says: /422 INVALID_PAYMENT_DETAILS: account closed/,
    attempts: 1,
  },
  {
    title: '429',
    answer: {status: 429, body: {message: 'slow down'}},
    exit: 7,
    code: 'RATE_LIMITED',
    says: /429: slow down \(POST \S+, 3 attempts\)/,
    attempts: 3,
    repeats: true,
  },
  {
    title: '500',
    answer: {status: 500, body: {message: 'oops'}},
    exit: 12,
    code: 'IN_DOUBT',
    says: /in doubt.*500: oops \(POST \S+, 3 attempts\)/,
    attempts: 3,
    repeats: true,
  },
  {
    title: '503, the record exists',
    answer: {status: 503, body: refusal('SERVICE_UNAVAILABLE', 'initiation failed, retry')},
    exit: 12,
    code: 'IN_DOUBT',
    says: /in doubt.*503 SERVICE_UNAVAILABLE: initiation failed/,
    attempts: 3,
    repeats: true,
  },
  {
    title: 'a lost answer',
    answer: 'lost',
    exit: 12,
    code: 'IN_DOUBT',
    says: /in doubt.*\(POST \S+, 3 attempts\)/,
    attempts: 3,
    repeats: true,
  },
  {
    title: 'a cut answer',
    answer: 'cut',
    exit: 12,
    code: 'IN_DOUBT',
    says: /in doubt.*\(POST \S+, 3 attempts\)/,
    attempts: 3,
    repeats: true,
  },
];

describe('payouts create, answer by answer', () => {
  let server: ScriptedServer;
  afterEach(() => server.close());

  async function create(answer: Scripted, ...extra: string[]): Promise<CliResult> {
    server = await scriptedServer([answer]);
    return runCli([...ARGV, ...extra], {service: new HttpTransport({baseUrl: server.baseUrl})});
  }

  for (const {title, answer, exit, code, says, attempts, repeats} of CASES) {
    it(`${title}: exit ${exit} and text`, async () => {
      const ran = await create(answer);
      assert.equal(ran.exitCode, exit);
      assert.equal(server.requests.filter(({method}) => method === 'POST').length, attempts);
      assert.match(ran.stderr, new RegExp(`Idempotency key: ${KEY}\n`));
      if (code === undefined) assert.match(ran.stdout, new RegExp(`^ID\t${PAYOUT_ID}$`, 'm'));
      else {
        assert.equal(ran.stdout, '');
        assert.match(ran.stderr, /^Error: .*\(POST \S+\/api\/payouts(, \d attempts)?\)/m);
      }
      if (says) assert.match(ran.stderr, says);
      if (repeats) assert.match(ran.stderr, new RegExp(`^Hint: ${REPEAT}$`, 'm'));
      if (exit === 8) assert.match(ran.stderr, /^Warning: /m);
    });

    it(`${title}: exit ${exit} and JSON`, async () => {
      const ran = await create(answer, '--json');
      assert.equal(ran.exitCode, exit);
      if (code === undefined) {
        assert.equal((ran.json() as {id: string}).id, PAYOUT_ID);
        return;
      }
      assert.equal(ran.stdout, '');
      const error = ran.error();
      assert.equal(error.code, code);
      assert.equal(error.exit_code, exit);
      if (says) assert.match(error.message, says);
      if (repeats) {
        assert.equal(error.hint, `remit ${ARGV.join(' ')} --json --idempotency-key ${KEY}`);
        assert.equal(error.details?.['idempotency_key'], KEY);
      }
      if (typeof answer === 'object' && exit !== 8) {
        assert.equal((error as unknown as {http_status: number}).http_status, answer.status);
        assert.equal((error as unknown as {request_id: string}).request_id, 'req_7');
      }
    });
  }

  it('sends the same key and the same bytes at each attempt', async () => {
    await create({status: 500});
    const keys = new Set(server.requests.map(({headers}) => headers['idempotency-key']));
    const bodies = new Set(server.requests.map(({body}) => body));
    assert.deepEqual([...keys], [KEY]);
    assert.equal(bodies.size, 1);
  });

  it('calls an auto-approve whose body still says created a partial success', async () => {
    const ran = await create({status: 201, body: payout({status: 'created'})});
    assert.equal(ran.exitCode, 8);
    assert.match(ran.stderr, /Warning: the payout was not approved: its status is still created/);
    assert.match(ran.stderr, new RegExp(`Hint: remit payouts approve ${PAYOUT_ID}`));
    assert.match(ran.stdout, /^Status\tcreated$/m);
  });

  it('keeps the key on stderr under --quiet, and nothing else', async () => {
    const ran = await create({status: 201, body: approved}, '--quiet', '--json');
    assert.equal(ran.stderr, `Idempotency key: ${KEY}\n`);
  });
});
