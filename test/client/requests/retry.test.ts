import assert from 'node:assert/strict';
import {RemitClient} from '../../../src/client/client.ts';
import type {Result} from '../../../src/client/requests/resource.ts';
import {RemitError, type ErrorCode} from '../../../src/errors.ts';
import {FakeTransport, answer, lost, type Reply} from '../transport/fake-transport.ts';
import {RecordingClock} from '../recording-clock.ts';

const KEY = 'test_sk_4eC39HqLyjWDarjtT1zdp7dc';
const BODY = {payee_id: '7f8c1f6e-3a56-4a1b-9c7d-2b6b4b0f8a02', amount_in_minor_units: 12_500};
const OWNER = {payee_id: 'o-1', payment_method_id: 'm-1'};
const ok = answer(201, {id: 'p-1', status: 'created'});
const unsent = lost('refused', {sent: false});
const html = answer(200, '<html>', {'content-type': 'text/html'});
const coded = (status: number, error_code: string) => answer(status, {error_code, message: 'said so'});

type Call = 'create' | 'get' | 'approve' | 'delete';
const CALLS: Record<
  Call,
  (client: RemitClient, options: {signal?: AbortSignal}) => Promise<Result<unknown>>
> = {
  create: (client, options) => client.payouts.create(BODY, {...options, idempotencyKey: 'key-1'}),
  get: (client, options) => client.payouts.get({id: 'p-1'}, options),
  approve: (client, options) => client.payouts.approve({id: 'p-1'}, options),
  delete: (client, options) => client.payeePaymentMethods.delete(OWNER, options),
};

function setUp(
  replies: readonly Reply[],
  options: {retries?: number; maxWaitMs?: number; random?: number} = {},
) {
  const transport = new FakeTransport(replies);
  const clock = new RecordingClock();
  const {random = 0.5, ...policy} = options;
  const client = new RemitClient({
    baseUrl: 'http://127.0.0.1:1',
    key: KEY,
    transport,
    clock,
    random: () => random,
    ...policy,
  });
  const errorOf = async (call: Call, signal?: AbortSignal) => {
    const error = await CALLS[call](client, signal ? {signal} : {}).then(
      (result) => assert.fail(`resolved: ${JSON.stringify(result)}`),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof RemitError, String(error));
    return error;
  };
  return {transport, clock, client, errorOf, run: (call: Call) => CALLS[call](client, {})};
}

describe('a single answer', () => {
  // status or failure -> what each kind of call makes of it when it comes again and again: code and attempts.
  const table: [string, Reply, Record<Call, [ErrorCode | 'done', number]>][] = [
    ['200 with a record', answer(200, {id: 'p-1'}), row('done', 1, 'done', 1, 'done', 1, 'done', 1)],
    ['201 with a record', ok, row('done', 1, 'done', 1, 'done', 1, 'done', 1)],
    ['202 with a record', answer(202, {id: 'p-1'}), row('done', 1, 'done', 1, 'done', 1, 'done', 1)],
    [
      '207 with a record',
      answer(207, {id: 'p-1', warning: 'w'}),
      row('done', 1, 'done', 1, 'done', 1, 'done', 1),
    ],
    ['299 with a record', answer(299, {id: 'p-1'}), row('done', 1, 'done', 1, 'done', 1, 'done', 1)],
    ['204', answer(204), row('IN_DOUBT', 3, 'UNAVAILABLE', 3, 'done', 1, 'done', 1)],
    [
      '201 without an id',
      answer(201, {status: 'created'}),
      row('IN_DOUBT', 3, 'done', 1, 'done', 1, 'done', 1),
    ],
    ['201 with an empty id', answer(201, {id: ''}), row('IN_DOUBT', 3, 'done', 1, 'done', 1, 'done', 1)],
    [
      '201 with HTML',
      answer(201, '<html>'),
      row('IN_DOUBT', 3, 'UNAVAILABLE', 3, 'IN_DOUBT', 1, 'IN_DOUBT', 3),
    ],
    ['302', answer(302), row('IN_DOUBT', 1, 'REDIRECTED', 1, 'IN_DOUBT', 1, 'IN_DOUBT', 1)],
    ['303', answer(303), row('IN_DOUBT', 1, 'REDIRECTED', 1, 'IN_DOUBT', 1, 'IN_DOUBT', 1)],
    ['400 with its code', coded(400, 'VALIDATION_ERROR'), same('VALIDATION_ERROR')],
    ['400 without a code', answer(400, '<html>'), same('REFUSED')],
    ['401', coded(401, 'AUTHENTICATION_ERROR'), same('AUTHENTICATION_ERROR')],
    ['401 without a code', answer(401), same('AUTHENTICATION_ERROR')],
    ['403', answer(403), same('AUTHORIZATION_ERROR')],
    ['404', coded(404, 'PAYER_NOT_FOUND'), same('PAYER_NOT_FOUND')],
    ['404 without a code', answer(404), same('NOT_FOUND')],
    [
      '409 with the documented code',
      coded(409, 'IDEMPOTENCY_KEY_CONFLICT'),
      same('IDEMPOTENCY_KEY_CONFLICT'),
    ],
    ['409 without a code', answer(409), row('IN_DOUBT', 1, 'CONFLICT', 1, 'CONFLICT', 1, 'CONFLICT', 1)],
    [
      '409 with another code',
      coded(409, 'BUSY'),
      row('IN_DOUBT', 1, 'CONFLICT', 1, 'CONFLICT', 1, 'CONFLICT', 1),
    ],
    ['418', answer(418), same('REFUSED')],
    ['422', coded(422, 'INVALID_PAYMENT_DETAILS'), same('INVALID_PAYMENT_DETAILS')],
    ['422 without a code', answer(422), same('REFUSED')],
    ['400 with the code of another status', coded(400, 'NOT_FOUND'), same('REFUSED')],
    ['408', answer(408), open()],
    ['425', answer(425), open()],
    ['429', answer(429), row('RATE_LIMITED', 3, 'RATE_LIMITED', 3, 'RATE_LIMITED', 3, 'RATE_LIMITED', 3)],
    ['500', answer(500, {error_code: 'OOPS'}), open()],
    ['502 without a code', answer(502, '<html>'), open()],
    ['503 as documented', coded(503, 'SERVICE_UNAVAILABLE'), open()],
    ['599', answer(599), open()],
    ['a reset', lost('reset'), open()],
    ['a time-out', lost('timeout'), open()],
    ['a cut success', lost('cut', {status: 201}), open()],
    ['a cut refusal', lost('cut', {status: 400}), open()],
    ['an answer that is not HTTP', lost('other'), open()],
    [
      'a refused connection',
      unsent,
      row('UNAVAILABLE', 3, 'UNAVAILABLE', 3, 'UNAVAILABLE', 3, 'UNAVAILABLE', 3),
    ],
    [
      'an unknown host',
      lost('dns', {sent: false}),
      row('UNAVAILABLE', 3, 'UNAVAILABLE', 3, 'UNAVAILABLE', 3, 'UNAVAILABLE', 3),
    ],
    [
      'no secure connection',
      lost('tls', {sent: false}),
      row('UNAVAILABLE', 3, 'UNAVAILABLE', 3, 'UNAVAILABLE', 3, 'UNAVAILABLE', 3),
    ],
    ['a request that cannot be sent', lost('other', {sent: false}), same('UNAVAILABLE')],
  ];

  for (const [what, reply, calls] of table) {
    for (const call of Object.keys(CALLS) as Call[]) {
      const [end, attempts] = calls[call];
      it(`${what}: ${call} ends as ${end} after ${attempts}`, async () => {
        const {transport, run, errorOf} = setUp([reply]);
        if (end === 'done') await run(call);
        else assert.equal((await errorOf(call)).code, end);
        assert.equal(transport.requests.length, attempts);
      });
    }
  }
});

describe('repeating a request', () => {
  it('sends the same key and the same bytes on every attempt', async () => {
    const {transport, run} = setUp([lost('reset'), answer(503), ok]);
    const result = await run('create');
    assert.equal(result.attempts, 3);
    const sent = transport.requests.map(({method, path, headers, body}) =>
      JSON.stringify({method, path, headers, body}),
    );
    assert.equal(new Set(sent).size, 1);
    assert.equal(transport.requests[0]?.headers['idempotency-key'], 'key-1');
  });

  it('is what turns a replayed create into a result that says so', async () => {
    const {run} = setUp([lost('reset'), answer(200, {id: 'p-1'})]);
    const {replayed, status, idempotencyKey} = await run('create');
    assert.deepEqual([replayed, status, idempotencyKey], [true, 200, 'key-1']);
  });

  it('waits with full jitter from 200 ms, and from 1 s after 429 and 503', async () => {
    for (const [reply, waits] of [
      [lost('reset'), [100, 200, 400]],
      [answer(500), [100, 200, 400]],
      [answer(429), [500, 1000, 2000]],
      [answer(503), [500, 1000, 2000]],
    ] as const) {
      const {clock, errorOf} = setUp([reply], {retries: 3});
      await errorOf('get');
      assert.deepEqual(clock.sleeps, waits);
    }
  });

  it('never waits longer than the cap of 20 s', async () => {
    const {clock, errorOf} = setUp([answer(503)], {retries: 12, random: 0.999_999});
    await errorOf('get');
    assert.ok(Math.max(...clock.sleeps) < 20_000);
    assert.ok(Math.max(...clock.sleeps) > 19_000);
  });

  it('takes Retry-After as a floor', async () => {
    const {clock, errorOf} = setUp([answer(429, '', {'retry-after': '7'})], {retries: 4});
    await errorOf('get');
    assert.deepEqual(clock.sleeps, [7000, 7000, 7000, 7000]);
    const short = setUp([answer(503, '', {'retry-after': '0'})], {retries: 1});
    await short.errorOf('get');
    assert.deepEqual(short.clock.sleeps, [500]);
  });

  it('stops at once when Retry-After is longer than the longest wait, and says how long', async () => {
    const {clock, transport, errorOf} = setUp([answer(429, '', {'retry-after': '61'})]);
    const error = await errorOf('create');
    assert.deepEqual([error.code, error.details?.['retry_after_ms']], ['RATE_LIMITED', 61_000]);
    assert.deepEqual([clock.sleeps.length, transport.requests.length], [0, 1]);
  });

  it('can be switched off', async () => {
    const {transport, errorOf} = setUp([lost('reset')], {retries: 0});
    assert.equal((await errorOf('create')).code, 'IN_DOUBT');
    assert.equal(transport.requests.length, 1);
  });

  it('repeats a write without a key while nothing was sent, and stops when something was', async () => {
    const {transport, errorOf} = setUp([unsent, answer(429), lost('reset'), ok], {retries: 5});
    const error = await errorOf('approve');
    assert.equal(error.code, 'IN_DOUBT');
    assert.equal(error.retryable, false);
    assert.equal(transport.requests.length, 3);
  });
});

describe('a write that may have been taken', () => {
  it('stays in doubt when the later attempts did not even leave', async () => {
    const {errorOf} = setUp([lost('reset'), unsent, unsent]);
    const error = await errorOf('create');
    assert.deepEqual([error.code, error.exitCode], ['IN_DOUBT', 12]);
  });

  it('stays in doubt if the later attempts were answered with 429', async () => {
    const {errorOf} = setUp([answer(500), answer(429), answer(429)]);
    assert.equal((await errorOf('create')).code, 'IN_DOUBT');
  });

  for (const [what, reply] of [
    ['401', answer(401)],
    ['403 with its code', coded(403, 'AUTHORIZATION_ERROR')],
    ['302', answer(302)],
    ['404 without a code', answer(404)],
    ['400 without a code', answer(400)],
    ['400 with the code of another status', coded(400, 'NOT_FOUND')],
  ] as const) {
    it(`stays in doubt when the replay is answered ${what}, which says nothing of the first`, async () => {
      const {errorOf} = setUp([lost('timeout'), reply]);
      const error = await errorOf('create');
      assert.equal(error.code, 'IN_DOUBT');
      assert.equal(error.details?.['attempts'], 2);
    });
  }

  for (const [status, code] of [
    [400, 'VALIDATION_ERROR'],
    [404, 'NOT_FOUND'],
    [409, 'IDEMPOTENCY_KEY_CONFLICT'],
    [422, 'INVALID_PAYMENT_DETAILS'],
  ] as const) {
    it(`is settled when the replay is refused with ${code}: a record of that key would have been answered`, async () => {
      const {errorOf} = setUp([lost('timeout'), coded(status, code)]);
      assert.equal((await errorOf('create')).code, code);
    });

    it(`stays in doubt with auto_approve when the replay is refused with ${code}`, async () => {
      const {client} = setUp([lost('timeout'), coded(status, code)]);
      const paying = {...BODY, auto_approve: true};
      const options = {idempotencyKey: 'key-1'};
      for (const sent of [
        () => client.payouts.create(paying, options),
        () =>
          setUp([lost('timeout'), coded(status, code)]).client.request('POST', '/api/payouts', {
            body: paying,
            ...options,
          }),
      ])
        await assert.rejects(sent(), {code: 'IN_DOUBT', httpStatus: status});
      const first = setUp([coded(status, code)]).client;
      await assert.rejects(first.payouts.create(paying, options), {code});
    });
  }

  it('carries its key, what happened last and how to continue', async () => {
    const {errorOf} = setUp([
      answer(503, {error_code: 'SERVICE_UNAVAILABLE', message: 'later'}, {'x-request-id': 'r-9'}),
    ]);
    const error = await errorOf('create');
    assert.deepEqual(error.details, {
      ...{id: null, status: null, idempotency_key: 'key-1', next: null},
      attempts: 3,
      may_have_taken_effect: true,
      error_code: 'SERVICE_UNAVAILABLE',
    });
    assert.deepEqual([error.httpStatus, error.requestId], [503, 'r-9']);
    assert.deepEqual(error.body, {error_code: 'SERVICE_UNAVAILABLE', message: 'later'});
    assert.match(
      error.message,
      /^in doubt.*503 SERVICE_UNAVAILABLE: later \(POST http:\/\/127\.0\.0\.1:1\/api\/payouts, 3 attempts\)$/,
    );
    assert.match(error.hint ?? '', /key-1/);
  });

  it('keeps the odd answer that it could not read a record from', async () => {
    const {errorOf} = setUp([answer(201, {status: 'created', ref: 'x'})]);
    assert.deepEqual((await errorOf('create')).body, {status: 'created', ref: 'x'});
  });

  it('passes on the hint of the caller, who knows the command', async () => {
    const {client} = setUp([lost('reset')]);
    await assert.rejects(client.payouts.approve({id: 'p'}, {hint: 'remit payouts get p'}), {
      code: 'IN_DOUBT',
      hint: 'remit payouts get p',
    });
    const refused = setUp([coded(400, 'VALIDATION_ERROR')]);
    await assert.rejects(refused.client.payouts.approve({id: 'p'}, {hint: 'remit payouts get p'}), {
      hint: undefined,
    });
  });
});

describe('a deletion', () => {
  it('is done when its repetition finds nothing any more', async () => {
    const {run} = setUp([lost('reset'), coded(404, 'NOT_FOUND')]);
    const {data, status, attempts} = await run('delete');
    assert.deepEqual([data, status, attempts], [null, 204, 2]);
  });

  it('is in doubt when its repetition gets a 404 that does not name the record', async () => {
    for (const missing of [answer(404), answer(404, '<html>'), coded(404, 'NO_ROUTE')]) {
      const {errorOf} = setUp([answer(502), missing]);
      const {code, details} = await errorOf('delete');
      assert.deepEqual([code, details?.['may_have_taken_effect']], ['IN_DOUBT', true]);
    }
  });

  it('is in doubt when the answer is a page of HTML, such as the sign-in page of a network', async () => {
    const {errorOf} = setUp([html, html, html]);
    const {code, message, details} = await errorOf('delete');
    assert.equal(code, 'IN_DOUBT');
    assert.match(message, /answered 200 with text\/html, not JSON/);
    assert.deepEqual([details?.['attempts'], details?.['may_have_taken_effect']], [3, true]);
  });

  it('is done when a later attempt is answered without a body', async () => {
    const {run} = setUp([html, answer(204)]);
    assert.equal((await run('delete')).attempts, 2);
  });

  it('of what never was is a 404, also after attempts that did not leave', async () => {
    const {errorOf} = setUp([unsent, answer(429), coded(404, 'NOT_FOUND')]);
    assert.equal((await errorOf('delete')).code, 'NOT_FOUND');
  });
});

describe('an interruption', () => {
  it('before anything is sent takes no effect', async () => {
    const {transport, errorOf} = setUp([ok]);
    const error = await errorOf('create', AbortSignal.abort(new Error('Ctrl-C')));
    assert.deepEqual(
      [error.code, error.exitCode, error.details?.['may_have_taken_effect']],
      ['INTERRUPTED', 130, false],
    );
    assert.equal(transport.requests.length, 0);
  });

  it('while a write is out says that it may have taken effect, and with which key', async () => {
    const stop = new AbortController();
    const transport = new FakeTransport(() => {
      stop.abort();
      return lost('aborted');
    });
    const client = new RemitClient({baseUrl: 'http://127.0.0.1:1', key: KEY, transport});
    await assert.rejects(
      client.payouts.create(BODY, {idempotencyKey: 'key-1', signal: stop.signal}),
      (error: RemitError) => {
        assert.equal(error.code, 'INTERRUPTED');
        assert.deepEqual(error.details, {
          ...{id: null, status: null, idempotency_key: 'key-1', next: null},
          ...{attempts: 1, may_have_taken_effect: true},
        });
        assert.match(error.hint ?? '', /key-1/);
        return true;
      },
    );
    assert.equal(transport.requests.length, 1);
  });

  it('while waiting for the next attempt remembers the earlier ones', async () => {
    for (const [reply, taken] of [
      [lost('reset'), true],
      [answer(429), false],
    ] as const) {
      const stop = new AbortController();
      const {clock, errorOf, transport} = setUp([reply]);
      clock.onSleep = () => stop.abort();
      const error = await errorOf('create', stop.signal);
      assert.deepEqual([error.code, error.details?.['may_have_taken_effect']], ['INTERRUPTED', taken]);
      assert.equal(transport.requests.length, 1);
    }
  });

  it('by SIGTERM keeps its own code', async () => {
    const {errorOf} = setUp([ok]);
    const error = await errorOf('get', AbortSignal.abort(new RemitError('TERMINATED', 'terminated')));
    assert.deepEqual([error.code, error.exitCode], ['TERMINATED', 143]);
  });

  it('that comes too late does not hide the answer', async () => {
    const stop = new AbortController();
    const transport = new FakeTransport(() => {
      stop.abort();
      return ok;
    });
    const client = new RemitClient({baseUrl: 'http://127.0.0.1:1', key: KEY, transport});
    assert.equal((await client.payouts.create(BODY, {signal: stop.signal})).status, 201);
  });
});

describe('an error of the service', () => {
  it('keeps the code, status, request id, fields and body, and masks what is secret', async () => {
    const body = {
      error_code: 'VALIDATION_ERROR',
      message: `bad ${KEY}`,
      details: [{field: 'account_number', issue: 'x'}],
      account_number: '12345678',
    };
    const {errorOf} = setUp([answer(400, body, {'request-id': 'r-1'})]);
    const error = await errorOf('create');
    assert.deepEqual(
      [error.code, error.exitCode, error.httpStatus, error.requestId],
      ['VALIDATION_ERROR', 5, 400, 'r-1'],
    );
    assert.deepEqual(error.details?.['fields'], body.details);
    assert.deepEqual((error.body as typeof body).account_number, '…5678');
    assert.equal(
      error.message,
      'the service answered 400 VALIDATION_ERROR: bad test_…p7dc (POST http://127.0.0.1:1/api/payouts)',
    );
  });

  it('keeps a code that is unknown in its details', async () => {
    const {errorOf} = setUp([coded(400, 'BRAND_NEW')]);
    const error = await errorOf('get');
    assert.deepEqual([error.code, error.details?.['error_code']], ['REFUSED', 'BRAND_NEW']);
    assert.match(error.message, /400 BRAND_NEW: said so/);
  });

  it('whose code is a name of JavaScript is still only a code', async () => {
    for (const name of ['toString', 'constructor', '__proto__', 'BUG', 'IN_DOUBT']) {
      const {errorOf} = setUp([coded(400, name)]);
      assert.equal((await errorOf('get')).code, 'REFUSED');
    }
  });

  it('has a cause without packets or options when no answer came', async () => {
    const raw = Object.assign(new Error(`socket of ${KEY}`), {
      code: 'ECONNRESET',
      rawPacket: Buffer.from(KEY),
    });
    const {errorOf} = setUp([lost('reset', {cause: raw})]);
    const cause = ((await errorOf('get')).cause as Error).cause as Error;
    assert.equal(cause.message, 'socket of test_…p7dc');
    assert.ok(!('rawPacket' in cause));
  });

  it('thrown by a bug does not count as a network failure', async () => {
    const transport = new FakeTransport(() => {
      throw new TypeError('a bug');
    });
    const client = new RemitClient({baseUrl: 'http://127.0.0.1:1', key: KEY, transport});
    await assert.rejects(client.payouts.get({id: 'p'}), TypeError);
    assert.equal(transport.requests.length, 1);
  });
});

type End = ErrorCode | 'done';
function row(
  create: End,
  a: number,
  get: End,
  b: number,
  approve: End,
  c: number,
  deletion: End,
  d: number,
): Record<Call, [End, number]> {
  return {create: [create, a], get: [get, b], approve: [approve, c], delete: [deletion, d]};
}
/** Always refused. */
function same(code: ErrorCode): Record<Call, [End, number]> {
  return row(code, 1, code, 1, code, 1, code, 1);
}
/** Neither done nor refused: a read fails, a write is in doubt, and one without a key is not sent twice. */
function open(): Record<Call, [End, number]> {
  return row('IN_DOUBT', 3, 'UNAVAILABLE', 3, 'IN_DOUBT', 1, 'IN_DOUBT', 3);
}
