import assert from 'node:assert/strict';
import {RemitClient} from '../../../src/client/client.ts';
import type {RemitError} from '../../../src/errors.ts';
import {FakeTransport, answer, lost, type Reply} from './fake-transport.ts';
import {RecordingClock} from '../recording-clock.ts';

const BODY = {payee_id: '7f8c1f6e-3a56-4a1b-9c7d-2b6b4b0f8a02', amount_in_minor_units: 12_500};

const clientOf = (replies: readonly Reply[]) =>
  new RemitClient({
    ...{baseUrl: 'https://api.example.com', key: 'test_abcdefghijklmnop', random: () => 0},
    ...{transport: new FakeTransport(replies), clock: new RecordingClock()},
  });
const errorOf = (calling: Promise<unknown>): Promise<RemitError> =>
  calling.then(
    (result) => assert.fail(`succeeded: ${JSON.stringify(result)}`),
    (error: RemitError) => error,
  );
const create = (...replies: Reply[]) =>
  errorOf(clientOf(replies).payouts.create(BODY, {idempotencyKey: 'k'}));
const get = (...replies: Reply[]) => errorOf(clientOf(replies).payouts.get({id: 'p'}));

describe('an error of the network', () => {
  for (const kind of ['tls', 'proxy', 'dns', 'refused', 'connect-timeout'] as const)
    it(`before anything was sent says so (${kind})`, async () => {
      const {code, message, details} = await create(lost(kind, {sent: false}));
      assert.equal(code, 'UNAVAILABLE');
      assert.match(message, new RegExp(`^nothing was sent: it was a ${kind} \\(POST \\S+, 3 attempts\\)$`));
      assert.deepEqual([details?.['failure'], details?.['may_have_taken_effect']], [kind, false]);
      assert.equal(details?.['idempotency_key'], 'k');
    });

  it('does not say so of a read, or when an earlier attempt was answered', async () => {
    assert.doesNotMatch((await get(lost('tls', {sent: false}))).message, /nothing was sent/);
    const {message, details} = await create(answer(429), lost('tls', {sent: false}));
    assert.doesNotMatch(message, /nothing was sent/);
    assert.equal(details?.['may_have_taken_effect'], undefined);
  });

  it('leaves a write in doubt when an earlier attempt may have been taken', async () => {
    assert.equal((await create(lost('reset'), lost('tls', {sent: false}))).code, 'IN_DOUBT');
  });
});

describe('an answer that cannot be decoded', () => {
  const packed = (status: number): Reply => ({
    ...answer(status, 'xx'),
    undecoded: 'a gzip body that decodes to more than 33554432 bytes',
  });

  it('leaves a write with a success status in doubt, with its key', async () => {
    const {code, message, details} = await create(packed(201));
    assert.equal(code, 'IN_DOUBT');
    assert.match(
      message,
      /201 with a gzip body that decodes to more than 33554432 bytes, not JSON \(2 bytes\)/,
    );
    assert.equal(details?.['idempotency_key'], 'k');
  });

  it('is still a refusal, by its status', async () => {
    assert.deepEqual(
      [(await create(packed(422))).code, (await get(packed(404))).code],
      ['REFUSED', 'NOT_FOUND'],
    );
  });

  it('fails a read', async () => {
    assert.equal((await get(packed(200))).code, 'UNAVAILABLE');
  });
});

describe('a redirect', () => {
  it('shows where it leads, without the query', async () => {
    const location = 'https://new.example.com/api/payouts?token=s3cret#part';
    const {code, message, details} = await create(answer(308, undefined, {location}));
    assert.equal(code, 'IN_DOUBT');
    assert.match(
      message,
      /^in doubt.* answered 308 \(redirect to https:\/\/new\.example\.com\/api\/payouts\) \(POST https?:\/\/\S+\/api\/payouts\)\. Redirects are never followed: check the base URL/,
    );
    assert.equal(details?.['location'], 'https://new.example.com/api/payouts');
  });

  it('shows no control characters', async () => {
    const {message} = await get(answer(302, undefined, {location: '/x\u001b[31m'}));
    assert.match(message, /redirect to \/x/);
    assert.ok(!message.includes('\u001b'));
  });
});
