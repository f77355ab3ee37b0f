import assert from 'node:assert/strict';
import {EVENT_TYPE_NAMES} from '../../../src/contract/events.ts';
import {TestSandbox, UNKNOWN_ID, assertRefused} from '../harness.ts';
import {FakeReceiver} from './receiver.ts';

const ENDPOINTS = '/api/webhooks/endpoints';
const URL = 'https://receiver.example/hook';

// Interface document, "Webhook endpoint and event", "Webhooks", "Limits"; assumptions 30 to 33 and 38.
describe('webhook endpoints', () => {
  let at: TestSandbox;

  const create = (body: object = {}, key?: string) =>
    at.post(ENDPOINTS, {url: URL, event_types: ['payout.settled'], ...body}, key === undefined ? {} : {key});

  beforeEach(async () => (at = await TestSandbox.open({post: new FakeReceiver().post})));
  afterEach(() => at.close());

  it('are created active, with a secret that no other answer shows', async () => {
    const {status, body} = await create({description: 'ledger'});
    assert.equal(status, 201);
    const {signing_secret, ...shown} = body;
    assert.match(signing_secret as string, /^whsec_[0-9a-f]{64}$/);
    assert.deepEqual(shown, {
      id: shown.id,
      url: URL,
      event_types: ['payout.settled'],
      is_active: true,
      description: 'ledger',
      created_at: shown.created_at,
      updated_at: shown.created_at,
    });
    assert.deepEqual((await at.get(`${ENDPOINTS}/${body.id}`)).body, shown);
    assert.deepEqual((await at.get(ENDPOINTS)).body, {data: [shown], next_cursor: null});
    assert.equal('signing_secret' in (await at.post(`${ENDPOINTS}/${body.id}/toggle`)).body, false);
  });

  it('each have a different secret, even with the same seed and URL', async () => {
    const secrets = [(await create()).body.signing_secret, (await create()).body.signing_secret];
    const other = await TestSandbox.open();
    secrets.push(
      (await other.post(ENDPOINTS, {url: URL, event_types: ['payin.failed']})).body.signing_secret,
    );
    await other.close();
    assert.equal(new Set(secrets).size, 3);
  });

  it('accept only https URLs, without user or fragment', async () => {
    for (const url of [
      'http://receiver.example/',
      'ftp://receiver.example/',
      'receiver.example',
      '',
      'https://',
      7,
    ])
      assertRefused(await create({url}), 400, 'VALIDATION_ERROR', 'url');
    for (const url of [
      'https://user@receiver.example/',
      'https://a:b@receiver.example/',
      `${URL}#part`,
      `${URL}\0`,
    ])
      assertRefused(await create({url}), 400, 'VALIDATION_ERROR', 'url');
    for (const url of [`${URL}?a=1&b=2`, 'https://receiver.example:8443', 'https://127.0.0.1:9/x'])
      assert.equal((await create({url})).status, 201);
  });

  it('refuse unknown event types, and an empty list', async () => {
    assertRefused(await create({event_types: ['payout.created']}), 400, 'VALIDATION_ERROR', 'event_types');
    assertRefused(await create({event_types: []}), 400, 'VALIDATION_ERROR', 'event_types');
    assertRefused(await create({event_types: undefined}), 400, 'VALIDATION_ERROR', 'event_types');
    assertRefused(await create({event_types: 'payout.settled'}), 400, 'VALIDATION_ERROR', 'event_types');
    const twice = await create({event_types: ['payin.failed', 'payout.settled', 'payin.failed']});
    assert.deepEqual(twice.body.event_types, ['payin.failed', 'payout.settled']);
    assertRefused(await create({signing_secret: 'mine'}), 400, 'VALIDATION_ERROR');
  });

  it('are changed by PATCH only in the given fields', async () => {
    const {body: old} = await create({description: 'ledger'});
    at.clock.pass(1000);
    const path = `${ENDPOINTS}/${old.id}`;
    const patch = (body: object) => at.call('PATCH', path, {body});
    const changed = (await patch({event_types: ['payin.settled'], is_active: false})).body;
    const {signing_secret: secret, ...shown} = old;
    assert.ok(secret);
    assert.deepEqual(changed, {
      ...shown,
      event_types: ['payin.settled'],
      is_active: false,
      updated_at: changed.updated_at,
    });
    assert.ok(changed.updated_at > old.updated_at);
    assert.equal((await patch({url: 'https://other.example/'})).body.url, 'https://other.example/');
    assert.equal((await patch({description: null})).body.description, null);
    assert.equal((await patch({})).status, 200);
    assertRefused(await patch({url: 'http://other.example/'}), 400, 'VALIDATION_ERROR', 'url');
    assertRefused(await patch({event_types: ['nothing.known']}), 400, 'VALIDATION_ERROR', 'event_types');
  });

  it('are toggled, or set to the given value', async () => {
    const {body} = await create({is_active: false});
    assert.equal(body.is_active, false);
    const toggle = async (wanted?: boolean) =>
      (await at.post(`${ENDPOINTS}/${body.id}/toggle`, wanted === undefined ? {} : {is_active: wanted})).body
        .is_active as boolean;
    assert.deepEqual(
      [await toggle(), await toggle(), await toggle(false), await toggle(true), await toggle(true)],
      [true, false, false, true, true],
    );
  });

  it('are not found after a delete', async () => {
    const {body} = await create();
    const gone = await at.call('DELETE', `${ENDPOINTS}/${body.id}`);
    assert.deepEqual([gone.status, gone.body], [204, undefined]);
    for (const answer of [
      await at.get(`${ENDPOINTS}/${body.id}`),
      await at.call('DELETE', `${ENDPOINTS}/${body.id}`),
      await at.call('PATCH', `${ENDPOINTS}/${body.id}`, {body: {}}),
      await at.post(`${ENDPOINTS}/${body.id}/toggle`),
    ])
      assertRefused(answer, 404, 'NOT_FOUND');
    assert.deepEqual((await at.get(ENDPOINTS)).body.data, []);
  });

  it('belong to one entity', async () => {
    const {body} = await create();
    const key = at.sandbox.liveKey;
    assertRefused(await at.get(`${ENDPOINTS}/${body.id}`, {key}), 404, 'NOT_FOUND');
    assertRefused(await at.call('DELETE', `${ENDPOINTS}/${body.id}`, {key}), 404, 'NOT_FOUND');
    assertRefused(await at.post(`${ENDPOINTS}/${body.id}/toggle`, {}, {key}), 404, 'NOT_FOUND');
    assertRefused(await at.get(`${ENDPOINTS}/${UNKNOWN_ID}`), 404, 'NOT_FOUND');
    assert.deepEqual((await at.get(ENDPOINTS, {key})).body.data, []);
  });

  it('are listed by cursor, each once', async () => {
    const made: string[] = [];
    for (let n = 0; n < 5; n += 1) made.push((await create()).body.id as string);
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const {body} = await at.get(`${ENDPOINTS}?limit=2&order=asc${cursor && `&cursor=${cursor}`}`);
      seen.push(...(body.data as {id: string}[]).map(({id}) => id));
      cursor = body.next_cursor as string | null;
    }
    assert.deepEqual(seen, made);
  });

  it('name their event types', async () => {
    const {body} = await at.get('/api/webhooks/event-types');
    assert.deepEqual(
      (body.data as {type: string}[]).map(({type}) => type),
      EVENT_TYPE_NAMES,
    );
  });
});
