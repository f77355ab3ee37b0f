import assert from 'node:assert/strict';
import {allOperations, type OperationId} from '../../../src/contract/operations/operations.ts';
import {SCHEMAS} from '../../../src/contract/schemas/registry.ts';
import {TestSandbox, UNKNOWN_ID} from '../harness.ts';

/** Parameters that choose a page, not records. */
const PAGING = ['cursor', 'limit', 'order'];

/** Every filter of every list, as the contract declares it. */
const filters = allOperations().flatMap(({id, operation}) =>
  operation.pages === undefined || operation.query === undefined
    ? []
    : Object.keys((SCHEMAS[operation.query] as {shape?: object}).shape ?? {})
        .filter((name) => !PAGING.includes(name))
        .map((name) => `${id} ${name}`),
);

type Item = Record<string, unknown>;

describe('list filters', () => {
  let at: TestSandbox;
  let lists: Partial<Record<OperationId, {path: string; values: Record<string, string>}>>;

  before(async () => {
    at = await TestSandbox.open();
    const {payees, payers} = await at.sandbox.seed({payees: 2, payers: 2});
    for (const auto_approve of [false, true])
      for (const n of [0, 1]) {
        await at.payout(payees[n]!.id, {auto_approve});
        await at.payin(payers[n]!.id, {auto_approve});
        at.clock.pass(60_000);
      }
    const {body} = await at.get('/api/treasury/accounts?order=asc');
    const accounts = (body.data as {id: string}[]).map(({id}) => id);
    for (const auto_approve of [true, false])
      await at.post('/api/treasury/account-transfers', {
        ...{source_account_id: accounts[0]!, destination_account_id: accounts[1]!, auto_approve},
        ...{amount_in_minor_units: 100, currency_code: 'USD', rail: 'book'},
      });
    const middle = new Date(at.clock.now() - 150_000).toISOString();
    const transfer = {status: 'created', created_from: middle, created_to: middle};
    lists = {
      'payouts.list': {path: '/api/payouts', values: {...transfer, payee_id: payees[0]!.id}},
      'payins.list': {path: '/api/payins', values: {...transfer, payer_id: payers[0]!.id}},
      'accountTransfers.list': {
        path: '/api/treasury/account-transfers',
        values: {status: 'created', account_id: UNKNOWN_ID}, // the two accounts there are share every transfer,
      },
    };
  });
  after(() => at.close());

  const itemsAt = async (path: string) => {
    const {status, body} = await at.get(path);
    assert.equal(status, 200, JSON.stringify(body));
    return body.data as Item[];
  };

  /** Whether a record belongs in the list that the filter asks for. */
  const fits = (item: Item, name: string, value: string): boolean => {
    if (name === 'created_from') return (item['created_at'] as string) >= value;
    if (name === 'created_to') return (item['created_at'] as string) <= value;
    if (name === 'account_id')
      return [item['source_account_id'], item['destination_account_id']].includes(value);
    return item[name] === value;
  };

  it('are exactly those that this test knows', () => {
    assert.deepEqual(
      filters.sort(),
      Object.entries(lists)
        .flatMap(([id, {values}]) => Object.keys(values).map((name) => `${id} ${name}`))
        .sort(),
      'a filter was added or removed: add records that it divides to this test',
    );
  });

  for (const filter of filters) {
    const [id, name] = filter.split(' ') as [OperationId, string];
    it(`${id}: ${name} returns exactly the matching records`, async () => {
      const {path, values} = lists[id]!;
      const all = await itemsAt(path);
      const wanted = all.filter((item) => fits(item, name, values[name]!)).map((item) => item['id']);
      assert.ok(all.length > wanted.length, `${wanted.length} of ${all.length}`);
      assert.ok(wanted.length > 0 || values[name] === UNKNOWN_ID, 'no record fits');
      const search = new URLSearchParams({[name]: values[name]!});
      const shown = await itemsAt(`${path}?${search.toString()}`);
      assert.deepEqual(
        shown.map((item) => item['id']),
        wanted,
      );
    });
  }

  it('are refused if no list declares them', async () => {
    const {status} = await at.get('/api/payees?name=Elm');
    assert.equal(status, 400);
  });
});
