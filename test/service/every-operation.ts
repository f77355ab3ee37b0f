import assert from 'node:assert/strict';
import {RemitClient} from '../../src/client/client.ts';
import type {CallInput} from '../../src/client/requests/resource.ts';
import {allOperations, type OperationId} from '../../src/contract/operations/operations.ts';
import {RemitError} from '../../src/errors.ts';
import {isObject, stringOf, type JsonFields, type JsonValue} from '../../src/narrow.ts';
import type {ServiceFile} from '../../src/service/service-file.ts';
import {BASE_URL} from '../cli/run-cli.ts';
import {SandboxService} from '../commands/sandbox-service.ts';
import {bankAccount} from '../sandbox/payment-details.ts';

/** What a call of the client came to: its data, or the code and status of its error. */
export type Step = readonly [operation: OperationId, result: unknown];

/** Calls every operation of the contract at a sandbox that speaks the dialect of a service file. */
export async function everyOperation(file: ServiceFile): Promise<Step[]> {
  const service = await SandboxService.open({service: file});
  const client = new RemitClient({
    ...{baseUrl: BASE_URL, key: service.testKey, transport: service, clock: service.clock, service: file},
    retries: 0,
  });
  const steps: Step[] = [];
  const call = async (id: OperationId, input: CallInput = {}): Promise<Record<string, unknown>> => {
    try {
      const {data, warning} = await client.call(id, input);
      steps.push([id, {data, warning}]);
      const record = isObject(data) && isObject(data['data']) ? data['data'] : data;
      return isObject(record) ? record : {};
    } catch (error) {
      if (!(error instanceof RemitError)) throw error;
      steps.push([id, {code: error.code, status: error.httpStatus}]);
      return {};
    }
  };
  const list = async (id: OperationId, query: JsonFields = {}): Promise<JsonFields[]> => {
    const all: JsonValue[] = [];
    for await (const item of client.list(id, query, {pageSize: 2})) all.push(item);
    steps.push([id, all]);
    return all.filter(isObject);
  };
  try {
    await walk({call, list, verify: () => service.sandbox.passVerification()});
  } finally {
    await service.sandbox.close();
  }
  const called = new Set(steps.map(([id]) => id));
  const missing = allOperations().filter(({id}) => !called.has(id));
  assert.deepEqual(missing, [], 'every operation is called');
  return steps;
}

interface Walker {
  call: (id: OperationId, input?: CallInput) => Promise<Record<string, unknown>>;
  list: (id: OperationId, query?: JsonFields) => Promise<JsonFields[]>;
  verify: () => void;
}

const NOBODY = '018f0000-0000-7000-8000-000000000000';

async function walk(at: Walker): Promise<void> {
  const payee = await party(at, 'payee');
  const payer = await party(at, 'payer');
  await transfers(at, 'payouts', {payee_id: payee});
  await transfers(at, 'payins', {payer_id: payer});
  await moves(at);
  await treasury(at);
  await endpoints(at);
}

async function party({call, list, verify}: Walker, kind: 'payee' | 'payer'): Promise<string> {
  const [party, methods] = [`${kind}s`, `${kind}PaymentMethods`] as ['payees', 'payeePaymentMethods'];
  const {id} = await call(`${party}.create`, {
    body: {name: 'Acme', email: 'a@acme.example', metadata: {a: 'b'}},
  });
  await call(`${party}.get`, {params: {id: String(id)}});
  await call(`${party}.update`, {params: {id: String(id)}, body: {name: 'Acme Ltd'}});
  await list(`${party}.list`);
  const params = {[`${kind}_id`]: String(id)};
  const added: string[] = [];
  for (let n = 0; n < 3; n++) {
    const method = await call(`${methods}.add`, {params, body: {...bankAccount(), is_default: n === 0}});
    added.push(String(method['id']));
  }
  verify();
  const of = (n: number) => ({...params, payment_method_id: added[n] ?? ''});
  await call(`${methods}.setDefault`, {params: of(0)});
  await call(`${methods}.update`, {params: of(1), body: {is_default: true}});
  await call(`${methods}.delete`, {params: of(1)}); // the default: refused
  await call(`${methods}.delete`, {params: of(2)});
  await list(`${methods}.list`, params);
  return String(id);
}

async function transfers(
  {call, list}: Walker,
  resource: 'payouts' | 'payins',
  named: Readonly<Record<string, string>>,
): Promise<void> {
  const body = {
    ...{amount_in_minor_units: 12_550, currency_code: 'USD', rail: 'standard_ach'},
    ...{...named, metadata: {note: 'n'}},
  };
  const create = (key: string, more: object = {}) =>
    call(`${resource}.create`, {body: {...body, ...more}, options: {idempotencyKey: key}});
  const first = await create('k-1');
  await create('k-1'); // a replay
  await create('k-2', {auto_approve: true, amount_in_minor_units: 99});
  const canceled = await create('k-3');
  const params = (record: Record<string, unknown>) => ({params: {id: String(record['id'])}});
  await call(`${resource}.cancel`, params(canceled));
  await create('k-3'); // the key of a canceled record
  await create('k-4', Object.fromEntries(Object.keys(named).map((name) => [name, NOBODY])));
  await create('k-5', {rail: 'pigeon'});
  await call(`${resource}.approve`, params(first));
  await call(`${resource}.approve`, params(first)); // a second time: refused
  await call(`${resource}.get`, params(first));
  await call(`${resource}.get`, {params: {id: NOBODY}});
  await list(`${resource}.list`, {order: 'asc'});
  await list(`${resource}.list`, {order: 'desc', status: 'canceled', ...named});
}

async function moves({call, list}: Walker): Promise<void> {
  const made = [];
  for (const name of ['a', 'b'])
    made.push(await call('subaccounts.create', {body: {name, currency_code: 'USD'}}));
  const [from, to] = made.map(({id}) => String(id));
  await call('subaccounts.get', {params: {id: from!}});
  await list('subaccounts.list');
  const body = {
    source_subaccount_id: from,
    destination_subaccount_id: to,
    amount_in_minor_units: 5,
    currency_code: 'USD',
  };
  const {id} = await call('moves.create', {body: {...body, description: 'd'}});
  await call('moves.approve', {params: {move_id: String(id)}});
  await call('moves.get', {params: {move_id: String(id)}});
  await list('moves.list');
}

async function treasury({call, list}: Walker): Promise<void> {
  const accounts = await list('treasury.accounts');
  const [source, destination] = accounts.map(({id}) => stringOf(id));
  const params = {account_id: source!};
  await call('treasury.balance', {params});
  await call('treasury.updateLabel', {params, body: {label: 'Main'}});
  await call('treasury.simulateInboundCredit', {
    params,
    body: {amount_in_minor_units: 700, currency_code: 'USD', description: 'x'},
  });
  await list('treasury.transactions', params);
  const body = {
    ...{source_account_id: source, destination_account_id: destination},
    ...{amount_in_minor_units: 300, currency_code: 'USD', rail: 'book'},
  };
  const {id} = await call('accountTransfers.create', {body});
  await call('accountTransfers.approve', {params: {account_transfer_id: String(id)}});
  await list('accountTransfers.list', {account_id: source});
}

async function endpoints({call, list}: Walker): Promise<void> {
  await call('eventTypes.list');
  const body = {url: 'https://hook.example/x', event_types: ['payout.settled']};
  const params = {id: String((await call('webhookEndpoints.create', {body}))['id'])};
  await call('webhookEndpoints.get', {params});
  await call('webhookEndpoints.update', {params, body: {description: 'd'}});
  await call('webhookEndpoints.toggle', {params, body: {is_active: false}});
  await list('webhookEndpoints.list');
  await call('webhookEndpoints.delete', {params});
  await call('webhookEndpoints.get', {params});
}
