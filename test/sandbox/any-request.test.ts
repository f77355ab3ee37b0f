import assert from 'node:assert/strict';
import fc from 'fast-check';
import {allOperations} from '../../src/contract/operations.ts';
import {SERVICE_ERRORS} from '../../src/contract/error-codes.ts';
import {check} from '../../src/contract/schemas/registry.ts';
import {Accounts} from './accounts.ts';
import {MONDAY, TestSandbox, UNKNOWN_ID, bankAccount, card} from './harness.ts';

const awkward = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    1e300,
    '',
    ' ',
    '\u0000',
    '\ud800',
    '__proto__',
    [],
    {},
    [[]],
    MONDAY,
  ),
  fc.string({unit: 'binary'}),
  fc.jsonValue(),
);

/** A valid body with one field changed, added or left out. */
const changed = (body: object): fc.Arbitrary<unknown> =>
  fc
    .tuple(
      fc.constantFrom(...Object.keys(body), 'unknown_field', 'constructor'),
      fc.option(awkward, {nil: undefined}),
    )
    .map(([field, value]) => ({...body, [field]: value}));

const REQUESTS = Number(process.env['REMIT_TEST_REQUESTS'] ?? 1500);

describe('sandbox: any request', function () {
  this.timeout(Math.max(20_000, REQUESTS * 20));
  let at: TestSandbox;
  before(async () => {
    at = await TestSandbox.open();
  });
  after(() => at.close());

  it('is answered as the contract declares, and never by 500', async () => {
    const [payee, payer] = [await at.ready('payee'), await at.ready('payer')];
    const payout = (await at.payout(payee.id)).body.id as string;
    const accounts = new Accounts(at);
    const [source, destination] = await accounts.treasury();
    const [from, to] = [await accounts.subaccount(50_000), await accounts.subaccount()];
    const move = {source_subaccount_id: from, destination_subaccount_id: to, amount_in_minor_units: 100};
    const transfer = {
      source_account_id: source,
      destination_account_id: destination,
      amount_in_minor_units: 100,
      currency_code: 'USD',
      rail: 'book',
    };
    const moveId = (await at.post('/api/subaccounts/move', move)).body.data.id as string;
    const transferId = (await at.post('/api/treasury/account-transfers', transfer)).body.id as string;
    const bodies: object[] = [
      {name: 'Elm', email: 'a@example.com', type: 'business', metadata: {k: 'v'}},
      {payee_id: payee.id, amount_in_minor_units: 100, rail: 'wire', metadata: {k: 'v'}, auto_approve: true},
      {
        payer_id: payer.id,
        amount_in_minor_units: 100,
        rail: null,
        metadata: null,
        scheduled_date: '2026-12-24',
      },
      bankAccount({}, {is_default: true}),
      card(),
      {is_default: true},
      {name: 'Rent', currency_code: 'USD'},
      {...move, currency_code: 'USD', description: 'move_207'},
      {...transfer, auto_approve: true, description: 'Sweep'},
      {amount_in_minor_units: 100, currency_code: 'USD', description: 'Invoice', counterparty_name: 'Elm'},
      {label: 'Operating'},
      {},
    ];
    const parameter = fc.constantFrom(
      payee.id,
      payer.id,
      payee.methodId,
      payer.methodId,
      payout,
      ...[source, from, moveId, transferId],
      UNKNOWN_ID,
      'x',
      '%00',
      '..%2f',
    );
    const query = fc.constantFrom(
      '',
      '?limit=5',
      '?limit=x',
      '?cursor=AAAA',
      '?order=asc&status=settled',
      '?a=%ff',
      '?=',
    );
    const key = fc.option(fc.constantFrom('one', 'two', 'a b', 'x'.repeat(300)), {nil: undefined});
    const request = fc.record({
      target: fc.constantFrom(...allOperations()),
      ids: fc.tuple(parameter, parameter),
      body: fc.constantFrom(...bodies).chain((body) => fc.oneof(fc.constant(body), changed(body), awkward)),
      query,
      key,
    });
    await fc.assert(
      fc.asyncProperty(
        request,
        async ({target: {id, operation}, ids, body, query: search, key: idempotencyKey}) => {
          const [first, second] = ids;
          let seen = 0;
          const path = operation.path.replace(/\{\w+\}/g, () => (seen++ === 0 ? first : second));
          const answer = await at.call(operation.method, `${path}${search}`, {
            ...(operation.method === 'GET' || operation.method === 'DELETE' ? {} : {body: body ?? null}),
            ...(idempotencyKey === undefined ? {} : {idempotencyKey}),
          });
          if (Object.keys(operation.ok).map(Number).includes(answer.status)) return;
          assert.ok(check('ErrorBody', answer.body).ok, `${id}: ${JSON.stringify(answer.body)}`);
          const code = answer.body.error_code as keyof typeof SERVICE_ERRORS;
          assert.equal(
            SERVICE_ERRORS[code]?.status,
            answer.status,
            `${id} answered ${answer.status} ${code}`,
          );
        },
      ),
      {numRuns: REQUESTS},
    );
    assert.deepEqual(at.bugs, []);
    assert.deepEqual((await at.sandbox.audit()).problems, []);
  });
});
