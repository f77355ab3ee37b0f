import assert from 'node:assert/strict';
import {createSandbox, type SandboxOptions} from '../../src/sandbox/sandbox.ts';
import {TIMINGS} from '../../src/sandbox/time/timing.ts';
import {ManualClock} from './manual-clock.ts';
import {bankAccount} from './payment-details.ts';
import {testStore, type TestStore} from './test-store.ts';
import type {Sandbox} from '../../src/sandbox/control/sandbox-interface.ts';

export interface Answer {
  status: number;
  // Tests look into answers freely; what they may hold is what the tests say.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  body: any;
  headers: Headers;
}

export interface CallOptions {
  body?: unknown;
  /** As it is, instead of JSON. */
  text?: string;
  key?: string | null;
  idempotencyKey?: string;
  headers?: Record<string, string>;
}

/** 10:00 on a Monday in New York; no clock change near. */
export const MONDAY = '2026-03-02T15:00:00.000Z';

/** A sandbox on a throw-away store, with a clock that stands still, whose answers are checked against the contract. */
export class TestSandbox {
  sandbox!: Sandbox; // set by open
  readonly clock = new ManualClock(MONDAY);
  readonly bugs: unknown[] = [];
  readonly #store: TestStore;
  readonly #options: Partial<SandboxOptions>;

  private constructor(store: TestStore, options: Partial<SandboxOptions>) {
    this.#store = store;
    this.#options = options;
  }

  static async open(options: Partial<SandboxOptions> = {}): Promise<TestSandbox> {
    const at = new TestSandbox(await testStore(), options);
    at.sandbox = await at.#create();
    return at;
  }

  #create(): Promise<Sandbox> {
    return createSandbox({
      store: this.#store.place,
      clock: this.clock,
      seed: 'test',
      checkAnswers: true,
      onBug: (error) => this.bugs.push(error),
      ...this.#options,
    });
  }

  /** Closes the store and opens it again, as a restart does. */
  async reopen(): Promise<void> {
    await this.sandbox.close();
    this.sandbox = await this.#create();
  }

  /** Closes, and fails when anything was answered 500 by mistake. */
  async close(): Promise<void> {
    await this.sandbox.close();
    await this.#store.drop();
    assert.deepEqual(this.bugs, []);
  }

  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const {key = this.sandbox.testKey} = options;
    const headers: Record<string, string> = {...(key === null ? {} : {'x-api-key': key})};
    const text = options.text ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    if (text !== undefined) headers['content-type'] = 'application/json';
    if (options.idempotencyKey !== undefined) headers['idempotency-key'] = options.idempotencyKey;
    const init = {
      method,
      headers: {...headers, ...options.headers},
      ...(text === undefined ? {} : {body: text}),
    };
    const response = await this.sandbox.fetch(new Request(`http://localhost${path}`, init));
    const answered = await response.text();
    return {
      status: response.status,
      body: answered === '' ? undefined : JSON.parse(answered),
      headers: response.headers,
    };
  }

  get(path: string, options?: CallOptions): Promise<Answer> {
    return this.call('GET', path, options);
  }

  post(path: string, body: unknown = {}, options: CallOptions = {}): Promise<Answer> {
    return this.call('POST', path, {...options, body});
  }

  control(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return this.call(method, path, {
      key: null,
      ...(body === undefined ? {} : {body}),
      headers: {'x-sandbox-token': this.sandbox.controlToken, ...headers},
    });
  }

  /** Lets the time of one step of the fast profile pass. */
  passVerification(): void {
    this.clock.pass(TIMINGS.fast.verifyMs);
  }

  async party(kind: 'payee' | 'payer', key?: string): Promise<string> {
    const options = key === undefined ? {} : {key};
    const {body} = await this.post(`/api/${kind}s`, {name: 'Elm Works'}, options);
    return body.id as string;
  }

  /** A party with one verified default bank account. */
  async ready(kind: 'payee' | 'payer', key?: string): Promise<{id: string; methodId: string}> {
    const options = key === undefined ? {} : {key};
    const id = await this.party(kind, key);
    const added = await this.post(`/api/${kind}s/${id}/payment-methods`, bankAccount(), options);
    this.passVerification();
    await this.post(`/api/${kind}s/${id}/payment-methods/${added.body.id}/set-default`, {}, options);
    return {id, methodId: added.body.id as string};
  }

  payout(payeeId: string, body: object = {}, options: CallOptions = {}): Promise<Answer> {
    return this.post('/api/payouts', {payee_id: payeeId, amount_in_minor_units: 12_500, ...body}, options);
  }

  payin(payerId: string, body: object = {}, options: CallOptions = {}): Promise<Answer> {
    return this.post('/api/payins', {payer_id: payerId, amount_in_minor_units: 12_500, ...body}, options);
  }

  async statusOf(kind: 'payin' | 'payout', id: string): Promise<string> {
    return (await this.get(`/api/${kind}s/${id}`)).body.status as string;
  }
}

/** The documented shape: interface document, "Errors"; assumption 42. */
export function assertRefused(answer: Answer, status: number, code: string, field?: string): void {
  assert.equal(
    `${answer.status} ${answer.body?.error_code}`,
    `${status} ${code}`,
    JSON.stringify(answer.body).slice(0, 300),
  );
  assert.equal(typeof answer.body.message, 'string');
  if (field !== undefined)
    assert.ok(
      (answer.body.details as {field: string}[]).some((detail) => detail.field === field),
      `no detail names ${field}: ${JSON.stringify(answer.body)}`,
    );
}

export const UNKNOWN_ID = '018f0000-0000-7000-8000-000000000000';
