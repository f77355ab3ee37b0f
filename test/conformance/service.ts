import assert from 'node:assert/strict';
import {setTimeout as wait} from 'node:timers/promises';
import {bankAccount, card as ordinaryCard} from '../sandbox/payment-details.ts';
import type {Target} from './target.ts';

export interface Answer {
  status: number;
  // Tests look into answers freely; what they may hold is what the tests say.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  body: any;
  headers: Headers;
  text: string;
}

export interface Call {
  body?: unknown;
  /** As it is, instead of JSON. */
  text?: string;
  /** Null sends none. */
  key?: string | null;
  idempotencyKey?: string;
  headers?: Record<string, string>;
}

export type Kind = 'payin' | 'payout';
export type PartyKind = 'payer' | 'payee';

export const partyOf = (kind: Kind): PartyKind => (kind === 'payin' ? 'payer' : 'payee');
export const UNKNOWN_ID = '018f0000-0000-7000-8000-000000000000';

/** How long a slow step of the service may take if its clock cannot be moved. */
const PATIENCE_MS = Number(process.env['REMIT_CONFORMANCE_PATIENCE_S'] ?? 60) * 1000;
const POLL_MS = 500;

/** The service as anybody sees it over HTTP. Everything beyond the document goes through `control`. */
export class Service {
  readonly target: Target;
  readonly #made = new Map<PartyKind, Promise<{id: string; methodId: string}>>();

  constructor(target: Target) {
    this.target = target;
  }

  get liveKey(): string {
    assert.ok(this.target.liveKey, 'a test that needs a live key did not say so');
    return this.target.liveKey;
  }

  async call(method: string, path: string, call: Call = {}): Promise<Answer> {
    const {key = this.target.key} = call;
    const text = call.text ?? (call.body === undefined ? undefined : JSON.stringify(call.body));
    const response = await fetch(`${this.target.baseUrl}${path}`, {
      method,
      headers: {
        ...(key === null ? {} : {'x-api-key': key}),
        ...(text === undefined ? {} : {'content-type': 'application/json'}),
        ...(call.idempotencyKey === undefined ? {} : {'idempotency-key': call.idempotencyKey}),
        ...call.headers,
      },
      ...(text === undefined ? {} : {body: text}),
    });
    const answered = await response.text();
    let body: unknown;
    try {
      body = answered === '' ? undefined : JSON.parse(answered);
    } catch {
      body = undefined; // a test that looks into it fails
    }
    return {status: response.status, body, headers: response.headers, text: answered};
  }

  get(path: string, call?: Call): Promise<Answer> {
    return this.call('GET', path, call);
  }

  post(path: string, body: unknown = {}, call: Call = {}): Promise<Answer> {
    return this.call('POST', path, {...call, body});
  }

  async control(method: string, path: string, body?: unknown): Promise<Answer> {
    const {control} = this.target;
    assert.ok(control, 'a test that needs control routes did not say so');
    const at = new Service({...this.target, baseUrl: control.url});
    const answer = await at.call(method, path, {
      key: null,
      headers: {'x-sandbox-token': control.token},
      ...(body === undefined ? {} : {body}),
    });
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
    return answer;
  }

  /** Reads until it is as wanted: the clock is moved where that can be done, and waited for otherwise. */
  async until(read: () => Promise<Answer>, wanted: (answer: Answer) => boolean): Promise<Answer> {
    const end = Date.now() + PATIENCE_MS;
    for (;;) {
      const answer = await read();
      if (wanted(answer)) return answer;
      assert.ok(Date.now() < end, `it never became so: ${answer.text.slice(0, 500)}`);
      if (this.target.control) await this.control('POST', '/advance', {ms: 500});
      else await wait(POLL_MS);
    }
  }

  /** Until the record has one of these statuses; the record. */
  async reaches(kind: Kind, id: string, ...statuses: string[]): Promise<Answer['body']> {
    const answer = await this.until(
      () => this.get(`/api/${kind}s/${id}`),
      ({body}) => statuses.includes(body.status as string),
    );
    return answer.body;
  }

  /** Today in New York, so many days later, by the service's clock. */
  async day(later: number): Promise<string> {
    const {body} = await this.post('/api/payees', {name: 'Clock Reader'});
    const ms = Date.parse(body.created_at as string) + later * 86_400_000;
    return new Intl.DateTimeFormat('sv-SE', {timeZone: 'America/New_York'}).format(ms);
  }

  async party(kind: PartyKind, call?: Call): Promise<string> {
    return (await expect(201, this.post(`/api/${kind}s`, {name: 'Elm Works'}, call))).body.id as string;
  }

  /** Adds a method and waits for the end of its verification. */
  async method(
    kind: PartyKind,
    owner: string,
    body: object = bankAccount(),
    call: Call = {},
  ): Promise<string> {
    const path = `/api/${kind}s/${owner}/payment-methods`;
    const {id} = (await expect(201, this.post(path, body, call))).body as {id: string};
    await this.until(
      () => this.methodOf(kind, owner, id, call),
      ({body: method}) => method.verification_status !== 'pending',
    );
    return id;
  }

  /** One method as the list shows it. */
  async methodOf(kind: PartyKind, owner: string, id: string, call: Call = {}): Promise<Answer> {
    const answer = await this.get(`/api/${kind}s/${owner}/payment-methods?limit=100`, call);
    return {...answer, body: (answer.body.data as {id: string}[]).find((one) => one.id === id)};
  }

  /** A party with a verified default bank account, made once: tests do not change it. */
  ready(kind: PartyKind): Promise<{id: string; methodId: string}> {
    const made = this.#made.get(kind) ?? this.freshReady(kind);
    this.#made.set(kind, made);
    return made;
  }

  async freshReady(kind: PartyKind, body?: object, call?: Call): Promise<{id: string; methodId: string}> {
    const id = await this.party(kind, call);
    const methodId = await this.method(kind, id, body, call);
    await expect(200, this.post(`/api/${kind}s/${id}/payment-methods/${methodId}/set-default`, {}, call));
    return {id, methodId};
  }

  /** Asks for a transfer of the ready party; fields of the body win. */
  async transfer(kind: Kind, body: object = {}, call: Call = {}): Promise<Answer> {
    const named = `${partyOf(kind)}_id` in body || call.key !== undefined;
    const party = named ? {} : {[`${partyOf(kind)}_id`]: (await this.ready(partyOf(kind))).id};
    return this.post(`/api/${kind}s`, {...party, amount_in_minor_units: 1250, ...body}, call);
  }

  async subaccount(call?: Call): Promise<string> {
    return (await expect(201, this.post('/api/subaccounts', {name: 'Till'}, call))).body.id as string;
  }

  async balanceOf(subaccount: string): Promise<number> {
    return (await this.get(`/api/subaccounts/${subaccount}`)).body.balance_in_minor_units as number;
  }

  /** A subaccount with money that came by a payin. */
  async fundedSubaccount(amount = 5000): Promise<string> {
    const subaccount_id = await this.subaccount();
    const payin = await this.transfer('payin', {
      subaccount_id,
      amount_in_minor_units: amount,
      auto_approve: true,
    });
    await this.reaches('payin', payin.body.id as string, 'settled');
    return subaccount_id;
  }

  /** Two treasury accounts. */
  async accounts(call?: Call): Promise<[string, string]> {
    const {body} = await this.get('/api/treasury/accounts', call);
    const ids = (body.data as {id: string}[]).map(({id}) => id);
    assert.ok(ids.length >= 2, 'the entity has fewer than two treasury accounts');
    return [ids[0]!, ids[1]!];
  }

  async accountTransfer(body: object = {}): Promise<Answer> {
    const [source, destination] = await this.accounts();
    return this.post('/api/treasury/account-transfers', {
      source_account_id: source,
      destination_account_id: destination,
      amount_in_minor_units: 100,
      currency_code: 'USD',
      rail: 'book',
      ...body,
    });
  }

  /** No read of one is documented: lists are polled. */
  async accountTransferReaches(id: string, ...statuses: string[]): Promise<Answer['body']> {
    const answer = await this.until(
      async () => {
        const page = await this.get('/api/treasury/account-transfers?limit=100');
        return {...page, body: (page.body.data as {id: string}[]).find((one) => one.id === id)};
      },
      ({body}) => statuses.includes(body?.status as string),
    );
    return answer.body;
  }
}

/** Valid for as long as a sandbox may have been moved ahead. */
export const card = (details: object = {}, method: object = {}): object =>
  ordinaryCard({exp_year: 2090, ...details}, method);

/** The answer, when it has this status. */
export async function expect(status: number, asked: Promise<Answer> | Answer): Promise<Answer> {
  const answer = await asked;
  assert.equal(answer.status, status, answer.text.slice(0, 500));
  return answer;
}

/** A refusal in the documented shape. */
export async function refused(
  status: number,
  code: string,
  asked: Promise<Answer> | Answer,
): Promise<Answer> {
  const answer = await asked;
  assert.equal(`${answer.status} ${answer.body?.error_code}`, `${status} ${code}`, answer.text.slice(0, 500));
  assert.equal(typeof answer.body.message, 'string');
  return answer;
}
