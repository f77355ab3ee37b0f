import assert from 'node:assert/strict';
import fc from 'fast-check';
import {SERVICE_ERRORS, SHARED_ERRORS, type ServiceErrorCode} from '../../../src/contract/error-codes.ts';
import {allOperations} from '../../../src/contract/operations/operations.ts';
import {check} from '../../../src/contract/schemas/registry.ts';
import {Accounts} from '../accounts.ts';
import {TestSandbox, UNKNOWN_ID, type Answer} from '../harness.ts';
import {isIdOf, plans, type IdOf, type Plan} from './requests.ts';

/** What a run found: how often each operation answered what. */
export interface Findings {
  requests: number;
  answers: Map<string, Map<number, number>>;
}

/** Ids (and cursors) of earlier answers, by the resource that gave them. */
class Seen {
  readonly #ids = new Map<string, string[]>();
  readonly #all: string[] = [];

  add(resource: string, body: unknown): void {
    if (typeof body !== 'object' || body === null) return;
    const {data, next_cursor: cursor} = body as {data?: unknown; next_cursor?: unknown};
    if (typeof cursor === 'string') this.#put('next_cursor', cursor);
    const records = Array.isArray(data) ? data : [data ?? body];
    for (const record of records as Record<string, unknown>[]) {
      const isLine = record?.['bank_reference'] !== undefined;
      if (typeof record?.['id'] === 'string' && !isLine) this.#put(resource, record['id']);
      const owner = record?.['payee_id'] ?? record?.['payer_id'];
      if (
        typeof owner === 'string' &&
        typeof record['id'] === 'string' &&
        resource.endsWith('PaymentMethods')
      )
        this.#owners.set(record['id'], owner);
    }
  }

  readonly #owners = new Map<string, string>();

  #put(kind: string, id: string): void {
    const known = this.#ids.get(kind) ?? [];
    if (known.includes(id)) return;
    known.push(id);
    if (known.length > 60) known.splice(FIRST, 1); // the first ones can be paid
    this.#ids.set(kind, known);
    this.#all.push(id);
  }

  /** One that fits nine times of ten, and any other of the rest. */
  pick({field, pick}: IdOf): string {
    const kinds = KINDS[field.split('.').at(-1)!] ?? [field.split('.')[0]!];
    const fitting = pick % 10 === 0 ? this.#all : kinds.flatMap((kind) => this.#ids.get(kind) ?? []);
    const length = pick % 3 === 0 ? fitting.length : Math.min(FIRST, fitting.length);
    return fitting[Math.floor(pick / 30) % Math.max(1, length)] ?? UNKNOWN_ID;
  }

  ownerOf(method: string): string | undefined {
    return this.#owners.get(method);
  }
}

const FIRST = 6;
const METHODS = ['payeePaymentMethods', 'payerPaymentMethods'];
/** Which resources' ids a field takes, where its name alone does not say so. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  payee_id: ['payees'],
  payer_id: ['payers'],
  payment_method_id: METHODS,
  override_default_payment_method_id: METHODS,
  subaccount_id: ['subaccounts'],
  source_subaccount_id: ['subaccounts'],
  destination_subaccount_id: ['subaccounts'],
  account_id: ['treasury'],
  source_account_id: ['treasury'],
  destination_account_id: ['treasury'],
  move_id: ['moves'],
  account_transfer_id: ['accountTransfers'],
  next_cursor: ['next_cursor'],
};

const resolved = (value: unknown, seen: Seen): unknown => {
  if (isIdOf(value)) return seen.pick(value);
  if (Array.isArray(value)) return value.map((one) => resolved(one, seen));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, resolved(one, seen)]));
};

/** Makes one request of a plan. */
async function ask(at: TestSandbox, keys: Record<string, string>, plan: Plan, seen: Seen): Promise<Answer> {
  const {operation, query, headers, body} = plan;
  const ids = plan.params.map((one) => (isIdOf(one) ? seen.pick(one) : one));
  const owner = ids.length === 2 ? seen.ownerOf(ids[1]!) : undefined;
  if (owner !== undefined) ids[0] = owner; // else two ids would hardly ever belong together
  const path = operation.path.replace(/\{\w+\}/g, () => ids.shift()!);
  const given = Object.entries(resolved(query, seen) as object).filter(([, value]) => value !== undefined);
  const search = given.map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`,
  );
  const text =
    body === undefined ? undefined : 'text' in body ? body.text : JSON.stringify(resolved(body.json, seen));
  const method = plan.method ?? operation.method;
  at.clock.pass(plan.pause);
  const bare = method === 'GET' || method === 'HEAD';
  return at.call(method, `${path}${search.length === 0 ? '' : `?${search.join('&')}`}`, {
    key: plan.key === 'none' ? null : (keys[plan.key] ?? 'test_sandbox_nobody'),
    ...(text === undefined || bare ? {} : {text}),
    headers: Object.fromEntries(
      Object.entries(headers).filter(([name]) => name !== 'content-type' || (text !== undefined && !bare)),
    ),
  });
}

const OPERATIONS = allOperations();

/** The operation that a request reached: another one than planned where the method was changed. */
const reached = (plan: Plan): Plan['operation'] | undefined =>
  plan.method === undefined || plan.method === plan.operation.method
    ? plan.operation
    : OPERATIONS.find(
        ({operation}) => operation.path === plan.operation.path && operation.method === plan.method,
      )?.operation;

/** The status is declared, and the body is what its schema says. */
export function checkAnswer(plan: Plan, {status, body}: Answer): void {
  const operation = reached(plan);
  const about = `${plan.id} answered ${status} ${JSON.stringify(body)?.slice(0, 400)}`;
  if (operation && status in operation.ok) {
    const schema = operation.ok[status]!;
    if (schema === null) assert.equal(body, undefined, about);
    else assert.deepEqual(check(schema, body).ok || check(schema, body), true, about);
    const warned = typeof (body as {warning?: unknown} | undefined)?.warning === 'string';
    assert.equal(warned, status === 207, about);
    return;
  }
  if (plan.method === 'HEAD') {
    assert.ok(status < 500, about);
    return;
  }
  assert.deepEqual(check('ErrorBody', body).ok, true, about);
  const code = body.error_code as ServiceErrorCode;
  assert.equal(SERVICE_ERRORS[code]?.status, status, about);
  const declared: readonly string[] = [...SHARED_ERRORS, ...(operation?.fails ?? ['NOT_FOUND'])];
  assert.ok(declared.includes(code), `${about}, which the contract does not declare`);
}

/** Some parties that can be paid, accounts with money, and their ids. */
async function begin(at: TestSandbox, seen: Seen): Promise<void> {
  const {payees, payers} = await at.sandbox.seed({payees: 3, payers: 3});
  for (const {id} of payees) seen.add('payees', {id});
  for (const {id} of payers) seen.add('payers', {id});
  const accounts = new Accounts(at);
  for (const held of [1_000_000, 0]) seen.add('subaccounts', {id: await accounts.subaccount(held)});
  seen.add('treasury', (await at.get('/api/treasury/accounts')).body);
}

/** So many random requests in a row against one sandbox, each built on what the others made. */
export async function fuzz(requests: number, seed: number): Promise<Findings> {
  const at = await TestSandbox.open({seed: `fuzz ${seed}`});
  const answers: Findings['answers'] = new Map();
  const seen = new Seen();
  try {
    const issued = await at.sandbox.issueKey({mode: 'test', scope: 'read'});
    const keys = {test: at.sandbox.testKey, live: at.sandbox.liveKey, read: issued.key};
    await begin(at, seen);
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        const answer = await ask(at, keys, plan, seen);
        checkAnswer(plan, answer);
        assert.deepEqual(at.bugs, []);
        if (answer.status < 300 && plan.key !== 'live') seen.add(plan.id.split('.')[0]!, answer.body);
        const counts = answers.get(plan.id) ?? new Map<number, number>();
        counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1);
        answers.set(plan.id, counts);
      }),
      {numRuns: requests, seed, endOnFailure: true}, // each request builds on those before: nothing to shrink
    );
    assert.deepEqual((await at.sandbox.audit()).problems, []);
  } finally {
    await at.close();
  }
  return {requests, answers};
}
