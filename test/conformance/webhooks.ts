import assert from 'node:assert/strict';
import {createHmac} from 'node:crypto';
import {setTimeout as wait} from 'node:timers/promises';
import {hasForms, isBoolean, isList, isObject, isText, isTime, isUuid} from './forms.ts';
import {bankAccount} from '../sandbox/payment-details.ts';
import {UNKNOWN_ID, expect, refused, type Answer, type Service} from './service.ts';
import {verify} from './suite.ts';
import {scenario} from './transfers.ts';

const PATH = '/api/webhooks/endpoints';
const TYPES = [
  ...['payout.debited', 'payout.settled', 'payout.failed', 'payin.settled', 'payin.failed'],
  'subaccount.credit_received',
];
const register = (at: Service, body: object = {}, key?: string): Promise<Answer> =>
  at.post(
    PATH,
    // Off, because nothing answers there, and moving the clock would wait for the attempts.
    {url: 'https://receiver.example/hook', event_types: ['payout.settled'], is_active: false, ...body},
    key === undefined ? {} : {key},
  );

interface Event {
  id: string;
  type: string;
  data: Record<string, unknown>;
}

interface Caught extends Event {
  raw: Buffer;
  method: string;
  headers: Record<string, string | string[] | undefined>;
}

let hooks = 0;

/** An endpoint at a path of its own, and what came to it. */
class Hook {
  readonly path = `/hook/${++hooks}`;
  readonly #at: Service;
  id = ''; // set by open
  secret = ''; // set by open

  private constructor(at: Service) {
    this.#at = at;
  }

  static async open(at: Service, event_types: readonly string[] = TYPES, body: object = {}): Promise<Hook> {
    const hook = new Hook(at);
    const url = at.target.receiver!.url(hook.path); // tests say that they need it
    const made = await expect(201, register(at, {url, event_types, is_active: true, ...body}));
    hook.id = made.body.id as string;
    hook.secret = made.body.signing_secret as string;
    return hook;
  }

  get caught(): Caught[] {
    return this.#at.target
      .receiver!.received.filter(({path}) => path === this.path)
      .map(({body, headers, method}) => ({
        ...(JSON.parse(body.toString()) as Event),
        raw: body,
        headers,
        method,
      }));
  }

  /** The event of this type about this record, once it has come. */
  async event(type: string, about: string): Promise<Caught> {
    const find = () =>
      this.caught.find((one) => one.type === type && Object.values(one.data).includes(about));
    for (let tries = 0; tries < 100; tries += 1) {
      const found = find();
      if (found) return found;
      await this.#at.control('POST', '/advance', {ms: 250});
      await wait(20);
    }
    assert.fail(`${type} about ${about} never came: ${JSON.stringify(this.caught)}`);
  }

  close(): Promise<Answer> {
    return expect(204, this.#at.call('DELETE', `${PATH}/${this.id}`));
  }
}

async function approved(at: Service, kind: 'payin' | 'payout', body: object = {}): Promise<string> {
  const {body: made} = await at.transfer(kind, {auto_approve: true, ...body});
  return made.id as string;
}

export function webhooks(): void {
  endpoints();
  deliveries();
  assumptions();
}

function endpoints(): void {
  verify('endpoint.several', async (at) => {
    const [a, b] = [await expect(201, register(at)), await expect(201, register(at))];
    const {body} = await at.get(`${PATH}?limit=100`);
    const ids = (body.data as {id: string}[]).map(({id}) => id);
    assert.ok(ids.includes(a.body.id as string) && ids.includes(b.body.id as string));
  });
  verify('endpoint.https', async (at) => {
    for (const url of ['http://receiver.example/hook', 'ftp://receiver.example', 'receiver.example', ''])
      await refused(400, 'VALIDATION_ERROR', register(at, {url}));
    await expect(201, register(at, {url: 'https://receiver.example/other'}));
  });
  verify('endpoint.secret', async (at) => {
    const [a, b] = [await expect(201, register(at)), await expect(201, register(at))];
    isText(a.body.signing_secret);
    assert.notEqual(a.body.signing_secret, b.body.signing_secret);
  });
  verify('endpoint.types', async (at) => {
    const {body} = await expect(201, register(at, {event_types: TYPES}));
    assert.deepEqual(body.event_types, TYPES);
    await refused(400, 'VALIDATION_ERROR', register(at, {event_types: ['payout.unheard_of']}));
    await refused(400, 'VALIDATION_ERROR', register(at, {event_types: []}));
  });
  verify('endpoint.active', async (at) => {
    for (const is_active of [true, false]) {
      const {body} = await expect(201, register(at, {is_active}));
      assert.equal(body.is_active, is_active);
      await expect(204, at.call('DELETE', `${PATH}/${body.id}`));
    }
  });
  verify('webhookRoute.types', async (at) => {
    const {text} = await expect(200, at.get('/api/webhooks/event-types'));
    for (const type of TYPES) assert.ok(text.includes(`"${type}"`), type);
  });
  verify('webhookRoute.create', async (at) => {
    const {body} = await expect(201, register(at));
    assert.equal((await expect(200, at.get(`${PATH}/${body.id}`))).body.url, body.url);
  });
  verify('webhookRoute.list', async (at) => {
    const {body} = await expect(201, register(at));
    assert.equal((await expect(200, at.get(`${PATH}?limit=1`))).body.data[0].id, body.id);
  });
  verify('webhookRoute.patch', async (at) => {
    const {body} = await expect(201, register(at));
    const changes = {url: 'https://receiver.example/new', event_types: ['payin.failed']};
    await expect(200, at.call('PATCH', `${PATH}/${body.id}`, {body: changes}));
    const read = (await at.get(`${PATH}/${body.id}`)).body;
    assert.deepEqual({url: read.url, event_types: read.event_types}, changes);
  });
  verify('webhookRoute.remove', async (at) => {
    const {body} = await expect(201, register(at));
    await expect(204, at.call('DELETE', `${PATH}/${body.id}`));
    await refused(404, 'NOT_FOUND', at.get(`${PATH}/${body.id}`));
  });
  verify('webhookRoute.toggle', async (at) => {
    const {body} = await expect(201, register(at));
    for (const is_active of [true, false])
      assert.equal((await expect(200, at.post(`${PATH}/${body.id}/toggle`))).body.is_active, is_active);
  });
  verify('limit.https', async (at) => {
    await refused(400, 'VALIDATION_ERROR', register(at, {url: 'http://receiver.example/hook'}));
    const {body} = await expect(201, register(at));
    const changed = at.call('PATCH', `${PATH}/${body.id}`, {body: {url: 'http://receiver.example/'}});
    await refused(400, 'VALIDATION_ERROR', changed);
  });
}

/** With an endpoint of its own, which goes away in the end. */
function verifyHook(
  id: string,
  check: (at: Service, hook: Hook) => Promise<void>,
  types?: readonly string[],
): void {
  verify(id, 'sandbox', 'receiver', async (at) => {
    const hook = await Hook.open(at, types);
    try {
      await check(at, hook);
    } finally {
      await hook.close();
    }
  });
}

function deliveries(): void {
  verifyHook('endpoint.post', async (at, hook) => {
    const {method, headers} = await hook.event('payout.settled', await approved(at, 'payout'));
    assert.equal(method, 'POST');
    assert.match(String(headers['content-type']), /^application\/json/);
  });
  verifyHook('endpoint.event', async (at, hook) => {
    const {raw} = await hook.event('payout.settled', await approved(at, 'payout'));
    hasForms(JSON.parse(raw.toString()) as Record<string, unknown>, {
      id: isText,
      type: isText,
      data: isObject,
    });
  });
  verifyHook('service.webhooks', async (at, hook) => {
    const other = await register(
      at,
      {url: at.target.receiver!.url('/foreign'), event_types: TYPES, is_active: true},
      at.liveKey,
    );
    await hook.event('payout.settled', await approved(at, 'payout'));
    assert.ok(!at.target.receiver!.received.some(({path}) => path === '/foreign'));
    await expect(204, at.call('DELETE', `${PATH}/${other.body.id}`, {key: at.liveKey}));
  });
  verifyHook(
    'event.allowlist',
    async (at, hook) => {
      const all = await Hook.open(at);
      const id = await approved(at, 'payout');
      await hook.event('payout.settled', id);
      await all.event('payout.settled', id);
      await all.event('payout.debited', id);
      await all.close();
      assert.deepEqual([...new Set(hook.caught.map(({type}) => type))], ['payout.settled']);
    },
    ['payout.settled'],
  );
  verifyHook('event.inactive', async (at, hook) => {
    const off = await Hook.open(at, TYPES, {is_active: false});
    await hook.event('payout.settled', await approved(at, 'payout'));
    assert.deepEqual(off.caught, []);
    await off.close();
  });
  verifyHook('event.id', async (at, hook) => {
    const id = await approved(at, 'payout');
    const [a, b] = [await hook.event('payout.debited', id), await hook.event('payout.settled', id)];
    isText(a.id);
    assert.notEqual(a.id, b.id);
  });
  verifyHook('event.type', async (at, hook) => {
    await hook.event('payout.settled', await approved(at, 'payout'));
    for (const {type} of hook.caught) assert.ok(TYPES.includes(type), type);
  });
  verifyHook('event.data', async (at, hook) => {
    isObject((await hook.event('payout.settled', await approved(at, 'payout'))).data);
  });
  for (const type of ['payout.debited', 'payout.settled', 'payin.settled'] as const)
    verifyHook(`event.${type}`, async (at, hook) => {
      const kind = type.startsWith('payin') ? 'payin' : 'payout';
      const id = await approved(at, kind);
      assert.equal((await hook.event(type, id)).data[`${kind}_id`], id);
      const {body} = await at.get(`/api/${kind}s/${id}`);
      assert.ok(['debited', 'settled'].includes(body.status as string), body.status as string);
    });
  for (const kind of ['payin', 'payout'] as const)
    verifyHook(`event.${kind}.failed`, async (at, hook) => {
      const id = await approved(at, kind, scenario('fails_after_initiated'));
      assert.equal((await hook.event(`${kind}.failed`, id)).data[`${kind}_id`], id);
      assert.equal((await at.get(`/api/${kind}s/${id}`)).body.status, 'failed');
    });
  verifyHook('event.subaccount.credit_received', async (at, hook) => {
    const subaccount = await at.fundedSubaccount(4321);
    const {data} = await hook.event('subaccount.credit_received', subaccount);
    assert.deepEqual([data['subaccount_id'], data['amount_in_minor_units']], [subaccount, 4321]);
  });
  verifyHook('event.legacyAmount', async (at, hook) => {
    const {data} = await hook.event('subaccount.credit_received', await at.fundedSubaccount(99));
    assert.equal(data['amount_cents'], data['amount_in_minor_units']);
  });
  verifyHook('version.legacyEvent', async (at, hook) => {
    const {data} = await hook.event('subaccount.credit_received', await at.fundedSubaccount(98));
    assert.deepEqual([data['amount_cents'], data['amount_in_minor_units']], [98, 98]);
  });
  verifyHook('signature.headers', async (at, hook) => {
    const {headers} = await hook.event('payout.settled', await approved(at, 'payout'));
    isText(headers['x-webhook-signature']);
    isText(headers['x-webhook-timestamp']);
  });
  const signature = async (at: Service, hook: Hook) => {
    const {headers, raw} = await hook.event('payout.settled', await approved(at, 'payout'));
    const signed = createHmac('sha256', hook.secret)
      .update(`${String(headers['x-webhook-timestamp'])}.`)
      .update(raw);
    assert.equal(headers['x-webhook-signature'], signed.digest('hex'));
    return raw;
  };
  verifyHook('signature.hmac', async (at, hook) => {
    await signature(at, hook);
  });
  verifyHook('signature.raw', async (at, hook) => {
    assert.ok((await signature(at, hook)).length > 0);
  });
  verifyHook('auth.signed', async (at, hook) => {
    const other = await Hook.open(at);
    await signature(at, other);
    assert.notEqual(other.secret, hook.secret);
    await other.close();
  });
  verifyHook('delivery.success', async (at, hook) => {
    const {id} = await hook.event('payout.settled', await approved(at, 'payout'));
    await at.control('POST', '/advance', {ms: 3_600_000});
    assert.equal(hook.caught.filter((one) => one.id === id).length, 1);
  });
  const retried = async (at: Service, hook: Hook): Promise<Caught[]> => {
    const receiver = at.target.receiver!;
    const usual = receiver.answer;
    receiver.answer = (_request, response) => response.writeHead(500).end();
    const first = await hook.event('payout.settled', await approved(at, 'payout'));
    receiver.answer = usual;
    await at.control('POST', '/advance', {ms: 15_000});
    for (let tries = 0; tries < 100; tries += 1) {
      const all = hook.caught.filter(({id}) => id === first.id);
      if (all.length > 1) return all;
      await wait(20);
    }
    return [first];
  };
  verifyHook(
    'delivery.again',
    async (at, hook) => {
      const [first, second] = await retried(at, hook);
      assert.equal(second?.id, first!.id);
      assert.deepEqual(second?.raw, first!.raw);
    },
    ['payout.settled'],
  );
  verifyHook('assumed.37', async (at, hook) => assert.ok((await retried(at, hook)).length > 1), [
    'payout.settled',
  ]);
  verify('delivery.rotation', 'sandbox', 'receiver', async (at) => {
    const old = await Hook.open(at);
    const {url, event_types} = (await at.get(`${PATH}/${old.id}`)).body as {
      url: string;
      event_types: string[];
    };
    const next = (await expect(201, register(at, {url, event_types, is_active: true}))).body as {id: string};
    const id = await approved(at, 'payout');
    const {id: event} = await old.event('payout.settled', id);
    for (let tries = 0; tries < 100 && old.caught.filter((one) => one.id === event).length < 2; tries += 1)
      await wait(20);
    assert.equal(old.caught.filter((one) => one.id === event).length, 2);
    await old.close();
    const later = await old.event('payout.settled', await approved(at, 'payout'));
    await at.control('POST', '/advance', {ms: 1000});
    assert.equal(old.caught.filter((one) => one.id === later.id).length, 1);
    await expect(204, at.call('DELETE', `${PATH}/${next.id}`));
  });
}

function assumptions(): void {
  verify('assumed.30', async (at) => {
    const {body} = await expect(
      201,
      at.post('/api/webhooks/endpoints', {
        url: 'https://receiver.example',
        event_types: TYPES,
        is_active: false,
      }),
    );
    await expect(200, at.get(`/api/webhooks/endpoints/${body.id}`));
    await refused(404, 'NOT_FOUND', at.get(`/api/webhooks/endpoints/${UNKNOWN_ID}`));
  });
  verify('assumed.31', async (at) => {
    const {body} = await expect(201, register(at, {description: 'ours'}));
    const read = await at.get(`${PATH}/${body.id}`);
    hasForms(read.body as Record<string, unknown>, {
      id: isUuid,
      url: isText,
      event_types: isList,
      is_active: isBoolean,
      description: isText,
      created_at: isTime,
      updated_at: isTime,
    });
    const list = await at.get(`${PATH}?limit=100`);
    const toggled = await at.post(`${PATH}/${body.id}/toggle`);
    for (const {text} of [read, list, toggled]) assert.ok(!text.includes('signing_secret'));
  });
  verify('assumed.32', async (at) => {
    const {body} = await expect(201, register(at));
    const toggle = (call: object) => at.call('POST', `${PATH}/${body.id}/toggle`, call);
    assert.equal((await expect(200, toggle({}))).body.is_active, true);
    for (const is_active of [true, false, false])
      assert.equal((await expect(200, toggle({body: {is_active}}))).body.is_active, is_active);
    await refused(400, 'VALIDATION_ERROR', toggle({body: {is_active: 'no'}}));
  });
  verify('assumed.33', async (at) => {
    const {body} = await expect(200, at.get('/api/webhooks/event-types'));
    for (const one of body.data as Record<string, unknown>[])
      hasForms(one, {type: isText, description: isText});
    assert.deepEqual((body.data as {type: string}[]).map(({type}) => type).sort(), [...TYPES].sort());
  });
  verifyHook('assumed.35', async (at, hook) => {
    await at.accountTransfer({auto_approve: true});
    const {id} = await at.freshReady('payee', bankAccount());
    const payout = await approved(at, 'payout', {payee_id: id});
    await hook.event('payout.settled', payout);
    for (const {type} of hook.caught) assert.ok(TYPES.includes(type), type);
  });
  verifyHook('assumed.36', async (at, hook) => {
    const {headers} = await hook.event('payout.settled', await approved(at, 'payout'));
    assert.match(String(headers['x-webhook-timestamp']), /^\d{10}$/);
  });
  verify('assumed.38', async (at) => {
    assert.match((await register(at)).body.signing_secret as string, /^whsec_[0-9a-f]{64}$/);
  });
}
