import assert from 'node:assert/strict';
import {allOperations, type OperationId} from '../../../src/contract/operations/operations.ts';
import {check} from '../../../src/contract/schemas/registry.ts';
import {requestFields} from '../../commands/contract-fields.ts';
import {TestSandbox, type Answer} from '../harness.ts';
import {everyPair, type Body, type Sent} from './request-values.ts';

const NOT_READ =
  'interface document, "Payment method": "Sensitive data is held in a vault", and no answer shows it';

/** Fields that have no effect, with the reason. */
const WITHOUT_EFFECT: Readonly<Record<string, string>> = {
  'bank_account.account_type': NOT_READ,
  'bank_account.sort_code': NOT_READ,
  'bank_account.institution_number': NOT_READ,
  'bank_account.transit_number': NOT_READ,
  'bank_account.bsb': NOT_READ,
  'payerPaymentMethods.add type': 'interface document, "Payment method": a payer has only bank accounts',
  'payeePaymentMethods.update is_default':
    'assumption 14: it has one value, and is all that the request does',
  'payerPaymentMethods.update is_default': 'assumption 14, as for payees',
};

const exceptionName = (id: OperationId, field: string): string =>
  field in WITHOUT_EFFECT ? field : `${id} ${field}`;

/** Every field of every body, as the contract declares it. Filters of lists have a test of their own. */
const declared = allOperations().flatMap(({id, operation}) =>
  operation.body === undefined ? [] : requestFields(id).map((field) => [id, field] as const),
);

/** What differs between two records made alike. */
const OWN = ['id', 'created_at', 'updated_at', 'signing_secret', 'bank_reference', 'trace_number'];
const alike = (body: Body | undefined): unknown =>
  JSON.parse(JSON.stringify(body ?? {}, (name, value: unknown) => (OWN.includes(name) ? undefined : value)));

describe('sandbox: the fields of a request', () => {
  let at: TestSandbox;
  let sent: Partial<Record<OperationId, Sent>>;
  let owners: Readonly<Record<string, string>>;

  before(async () => {
    at = await TestSandbox.open();
    ({sent, owners} = await everyPair(at));
  });
  after(() => at.close());

  for (const [id, field] of declared) {
    if (exceptionName(id, field) in WITHOUT_EFFECT) continue;
    it(`${id} reads ${field}`, async () => {
      const {operation} = allOperations().find((one) => one.id === id)!;
      const {path, fields} = sent[id] ?? assert.fail(`add ${id} to this test`);
      const pair = fields[field] ?? assert.fail(`add ${field} of ${id} to this test, with two values`);
      const effectOf = async (body: Body) => {
        const checked = check(operation.body!, body);
        assert.ok(checked.ok, `the contract refuses the value already: ${JSON.stringify(checked)}`);
        const answer = await at.call(operation.method, path, {body});
        return {status: answer.status, body: alike(answer.body as Body), read: await pair.read?.(answer)};
      };
      const [first, second] = pair.bodies;
      const effect = await effectOf(first);
      assert.deepEqual(await effectOf(first), effect, 'the same body twice has the same effect');
      assert.notDeepEqual(
        await effectOf(second),
        effect,
        `the sandbox ignores ${field}: read it, or add it to WITHOUT_EFFECT with the reason`,
      );
    });
  }

  it('that have no effect are all in the contract', () => {
    const names = new Set(declared.map(([id, field]) => exceptionName(id, field)));
    assert.deepEqual(
      Object.keys(WITHOUT_EFFECT).filter((name) => !names.has(name)),
      [],
    );
  });

  it('include cursor, limit and order, in every list', async () => {
    for (const {path, fields} of Object.values(sent))
      for (const {bodies} of Object.values(fields).slice(0, 1))
        for (const body of [bodies[0], bodies[0]]) await at.call('POST', path, {body});
    for (const {id, operation} of allOperations()) {
      if (operation.pages === undefined) continue;
      const path = operation.path.replace(/\{(\w+)\}/, (_, name: string) => owners[name] ?? name);
      const idsAt = async (query: string) => {
        const {status, body} = await at.get(`${path}?${query}`);
        assert.equal(status, 200, `${id} ${query}: ${JSON.stringify(body)}`);
        return {ids: (body.data as {id: string}[]).map((item) => item.id), next: body.next_cursor as string};
      };
      const {ids} = await idsAt('limit=100&order=asc');
      assert.ok(ids.length > 1, `${id} has too few records for this test`);
      const first = await idsAt('limit=1&order=asc');
      assert.deepEqual(first.ids, ids.slice(0, 1), id);
      assert.deepEqual((await idsAt(`limit=1&cursor=${first.next}`)).ids, ids.slice(1, 2), id);
      assert.deepEqual((await idsAt('limit=1&order=desc')).ids, ids.slice(-1), id);
    }
  });

  it('include the idempotency key, where the operation takes one', async () => {
    const {id} = await at.ready('payee');
    const payer = await at.ready('payer');
    const creates: Partial<Record<OperationId, () => Promise<Answer>>> = {
      'payouts.create': () => at.payout(id, {}, {idempotencyKey: 'key-1'}),
      'payins.create': () => at.payin(payer.id, {}, {idempotencyKey: 'key-1'}),
    };
    for (const {id: name, operation} of allOperations()) {
      if (operation.key === undefined) continue;
      const create = creates[name] ?? assert.fail(`add ${name} to this test`);
      assert.equal((await create()).body.id, (await create()).body.id, name);
    }
  });
});
