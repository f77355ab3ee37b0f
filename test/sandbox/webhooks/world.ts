import assert from 'node:assert/strict';
import {EVENT_TYPE_NAMES} from '../../../src/contract/events.ts';
import type {SandboxContext} from '../../../src/sandbox/world/context.ts';
import {IdMaker} from '../../../src/sandbox/base/ids.ts';
import {openSandboxStore} from '../../../src/sandbox/migrations/open-store.ts';
import {seededRandom} from '../../../src/sandbox/base/random.ts';
import {SandboxClock} from '../../../src/sandbox/time/clock.ts';
import {createSandbox, type SandboxOptions} from '../../../src/sandbox/sandbox.ts';
import type {DeliveryEntry} from '../../../src/sandbox/webhooks/delivery-log.ts';
import {TIMINGS} from '../../../src/sandbox/time/timing.ts';
import type {Store} from '../../../src/store/port/port.ts';
import {TestSandbox} from '../harness.ts';
import type {ManualClock} from '../manual-clock.ts';
import {testStore, type TestStore} from '../test-store.ts';
import {FakeReceiver} from './receiver.ts';
import {keyIndexFor} from '../../../src/sandbox/entities/remembered-keys.ts';
import type {DeliveryRecord, ShownDelivery} from '../../../src/sandbox/base/shown-records.ts';

export const HOOK = 'https://receiver.example/hook';

/** More than everything that the fast profile plans, less than that and the first retry. */
const SETTLED_MS = 6000;

/** A sandbox whose deliveries go to a receiver without a socket; its store is open to the test as well. */
export class WebhookWorld {
  readonly receiver = new FakeReceiver();
  readonly log: DeliveryEntry[] = [];
  sandbox!: TestSandbox; // set by open
  #store!: TestStore; // set by open
  #open!: Store; // set by open
  #entityId = '';
  #more: Partial<SandboxOptions> = {};
  #parties = new Map<'payee' | 'payer', string>();

  static async open(options: Partial<SandboxOptions> = {}): Promise<WebhookWorld> {
    const at = new WebhookWorld();
    at.#store = await testStore();
    at.#open = await openSandboxStore(at.#store.place);
    at.#more = options;
    at.sandbox = await TestSandbox.open({...at.#options(), store: at.#open});
    const {entities} = await at.sandbox.sandbox.audit();
    at.#entityId = entities.find(({mode}) => mode === 'test')!.id;
    return at;
  }

  /** As a restart does. */
  async reopen(): Promise<void> {
    await this.sandbox.sandbox.close();
    this.#open = await openSandboxStore(this.#store.place);
    this.sandbox.sandbox = await createSandbox({
      clock: this.clock,
      checkAnswers: true,
      ...this.#options(),
      store: this.#open,
    });
  }

  async close(): Promise<void> {
    await this.sandbox.close();
    await this.#store.drop();
  }

  #options(): Partial<SandboxOptions> {
    return {post: this.receiver.post, onDelivery: (entry) => this.log.push(entry), ...this.#more};
  }

  get clock(): ManualClock {
    return this.sandbox.clock;
  }

  get entityId(): string {
    return this.#entityId;
  }

  /** For changes that no call of the API makes. */
  get context(): SandboxContext {
    return {
      store: this.#open,
      clock: new SandboxClock(this.clock, {mode: 'real', aheadMs: 0}),
      ids: new IdMaker(seededRandom('other')),
      keyIndex: keyIndexFor(this.#open.dialect),
      random: seededRandom('other'),
      timing: TIMINGS.fast,
      rules: {strictIdempotency: false, idempotencyTtlMs: null, magicAmounts: true},
      timerAdded: () => undefined,
      deliveryAdded: () => undefined,
    };
  }

  async subscribe(
    event_types: readonly string[] = EVENT_TYPE_NAMES,
    url = HOOK,
    body: object = {},
    key?: string,
  ): Promise<{id: string; signing_secret: string}> {
    const options = key === undefined ? {} : {key};
    const made = await this.sandbox.post('/api/webhooks/endpoints', {url, event_types, ...body}, options);
    assert.equal(made.status, 201, JSON.stringify(made.body));
    return made.body as {id: string; signing_secret: string};
  }

  async ready(kind: 'payee' | 'payer'): Promise<{id: string}> {
    const id = this.#parties.get(kind) ?? (await this.sandbox.ready(kind)).id;
    this.#parties.set(kind, id);
    return {id};
  }

  /** An approved payout's id. */
  async payout(body: object = {}): Promise<string> {
    const {id} = await this.ready('payee');
    return (await this.sandbox.payout(id, {auto_approve: true, ...body})).body.id as string;
  }

  async payin(body: object = {}): Promise<string> {
    const {id} = await this.ready('payer');
    return (await this.sandbox.payin(id, {auto_approve: true, ...body})).body.id as string;
  }

  /** Lets everything happen that is planned for the next seconds. */
  async settle(ms = SETTLED_MS): Promise<void> {
    await this.sandbox.sandbox.advance({ms});
  }

  async deliveries(query = ''): Promise<ShownDelivery[]> {
    const {status, body} = await this.sandbox.control('GET', `/sandbox/deliveries${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data as ShownDelivery[];
  }

  async delivery(id: string): Promise<DeliveryRecord> {
    const {status, body} = await this.sandbox.control('GET', `/sandbox/deliveries/${id}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body as DeliveryRecord;
  }
}
