import assert from 'node:assert/strict';
import {RemitError} from '../../../src/errors.ts';
import type {ServiceFile} from '../../../src/service/service-file.ts';
import {METHOD_ID, PAYEE_ID, PAYOUT_ID} from '../../commands/fixtures.ts';
import {readList} from './read-list.ts';
import {stringOf} from '../../../src/narrow.ts';

async function failureOf(work: Promise<unknown>): Promise<RemitError> {
  const error: unknown = await work.then(
    () => assert.fail('it did not fail'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof RemitError, String(error));
  return error;
}

const TIME = '2026-03-04T10:00:00Z';
const between = {source_account_id: PAYEE_ID, destination_account_id: METHOD_ID};

describe('a filter that is checked', () => {
  for (const [id, filter, wanted, item, isExcluded] of [
    ['payouts.list', 'payee_id', PAYEE_ID, {payee_id: METHOD_ID}, true],
    ['payouts.list', 'payee_id', PAYEE_ID, {payee_id: PAYEE_ID.toUpperCase()}, false],
    ['payouts.list', 'payee_id', PAYEE_ID, {payee_id: ''}, false],
    ['payouts.list', 'payee_id', PAYEE_ID, {}, true],
    ['payins.list', 'payer_id', PAYEE_ID, {payer_id: null}, true],
    ['payouts.list', 'created_to', TIME, {created: TIME}, true],
    ['accountTransfers.list', 'account_id', PAYEE_ID, {from: PAYEE_ID, to: METHOD_ID}, true],
    ['treasury.transactions', 'account_id', PAYEE_ID, {}, false], // the path, not a filter
    ['payins.list', 'payer_id', PAYEE_ID, {payer_id: METHOD_ID}, true],
    ['payins.list', 'status', 'settled', {status: 'failed'}, true],
    ['payins.list', 'status', 'settled', {status: 'SETTLED'}, false],
    ['payins.list', 'status', 'settled', {status: 'done'}, false], // the service's own word
    ['payins.list', 'status', 'settled', {status: null}, true],
    ['payouts.list', 'created_from', TIME, {created_at: '2026-03-04T09:59:58Z'}, true],
    ['payouts.list', 'created_from', TIME, {created_at: '2026-03-04T09:59:59Z'}, false], // a second of slack
    ['payouts.list', 'created_from', TIME, {created_at: '2026-03-04T09:00:00'}, false], // a time of no zone
    ['payouts.list', 'created_from', TIME, {created_at: '2026-03-04T11:30:00+02:00'}, true],
    ['payouts.list', 'created_from', TIME, {created_at: 5}, false],
    ['payouts.list', 'created_to', TIME, {created_at: '2026-03-04T10:00:02Z'}, true],
    ['payouts.list', 'created_to', TIME, {created_at: '2026-03-04T10:00:01Z'}, false],
    ['accountTransfers.list', 'account_id', PAYEE_ID, between, false],
    ['accountTransfers.list', 'account_id', METHOD_ID, between, false],
    ['accountTransfers.list', 'account_id', PAYOUT_ID, between, true],
    ['treasury.transactions', 'account_id', PAYEE_ID, {account_id: METHOD_ID}, true],
    ['treasury.transactions', 'account_id', PAYEE_ID, {account_id: PAYEE_ID}, false],
  ] as const)
    it(`${isExcluded ? 'refuses' : 'accepts'} ${JSON.stringify(item)} for ${filter} ${wanted}`, async () => {
      const items = [{id: 'a', ...item}];
      const query = {[filter]: wanted};
      if (isExcluded) {
        const error = await failureOf(readList(id, query, {items, checksFilters: true}));
        assert.deepEqual([error.code, error.details?.['filter']], ['FILTER_IGNORED', filter]);
      } else assert.deepEqual((await readList(id, query, {items, checksFilters: true})).ids, ['a']);
    });

  it('names the first record that it excludes, what was requested and what to set', async () => {
    const items = [null, {id: 'a', status: 'created'}, {id: 'b', status: 'failed'}];
    const {message, details} = await failureOf(
      readList('payouts.list', {status: 'created'}, {items, checksFilters: true}),
    );
    assert.match(
      message,
      /^the list was requested with status created, but record b has failed: the service ignores this filter \(.*set filters\.payouts\.status in the service file\)$/,
    );
    const {filter, requested, id, answered} = details ?? {};
    assert.deepEqual(
      {filter, requested, id, answered},
      {
        ...{filter: 'status', requested: 'created', id: 'b', answered: 'failed'},
      },
    );
  });

  it('has words for a record without an id or with other accounts', async () => {
    const items = [{...between}];
    const {message, details} = await failureOf(
      readList('accountTransfers.list', {account_id: PAYOUT_ID}, {items, checksFilters: true}),
    );
    assert.match(message, /record \(without an id\) has other accounts: the service ignores this filter/);
    assert.deepEqual([details?.['id'], details?.['answered']], [null, 'other accounts']);
  });

  it('is a parameter of the path too, whose route may be wrong', async () => {
    const items = [{id: 'a', payee_id: METHOD_ID}];
    const {message} = await failureOf(
      readList('payeePaymentMethods.list', {payee_id: PAYEE_ID}, {items, checksFilters: true}),
    );
    assert.match(
      message,
      /the path \/api\/payees\/\{payee_id\}\/payment-methods must select the records \(row \d+\).*set routes\.payeePaymentMethods\.list /,
    );
  });

  it('is not checked unless that was requested', async () => {
    const {ids} = await readList('payouts.list', {status: 'created'}, {items: [{id: 'b', status: 'failed'}]});
    assert.deepEqual(ids, ['b']);
  });
});

describe('a filter that the service does not have', () => {
  const service: ServiceFile = {
    filters: {
      payouts: {status: false, payee_id: false, created_from: false, created_to: false},
      accountTransfers: {account_id: false},
    },
  };

  for (const [id, filter, wanted, items, kept] of [
    ['payouts.list', 'status', 'Created', [{status: 'created'}, {status: 'failed'}, {status: 'held'}], '0'],
    ['payouts.list', 'payee_id', PAYEE_ID, [{payee_id: METHOD_ID}, {payee_id: PAYEE_ID}], '1'],
    [
      'payouts.list',
      'created_from',
      TIME,
      [{created_at: TIME}, {created_at: '2026-03-04T09:59:59.999Z'}, {created_at: '2026-03-05T00:00:00Z'}],
      '02',
    ],
    [
      'payouts.list',
      'created_to',
      TIME,
      [{created_at: TIME}, {created_at: '2026-03-04T10:00:00.001Z'}, {created_at: '2026-03-03T00:00:00Z'}],
      '02',
    ],
    [
      'accountTransfers.list',
      'account_id',
      PAYEE_ID,
      [between, {...between, source_account_id: PAYOUT_ID}],
      '0',
    ],
  ] as const)
    it(`is applied to the records instead of sent: ${filter}`, async () => {
      const numbered = items.map((item, at) => ({id: String(at), ...item}));
      const {ids, path} = await readList(id, {[filter]: wanted}, {items: numbered, service});
      assert.equal(ids.map(stringOf).join(''), kept);
      assert.ok(!path?.includes(filter), path);
    });

  for (const [filter, wanted, item] of [
    ['status', 'created', {}],
    ['payee_id', PAYEE_ID, {payee_id: ''}],
    ['created_from', TIME, {created_at: '2026-03-04T10:00:00'}],
    ['created_to', TIME, {}],
  ] as const)
    it(`stops at a record that does not state it: ${filter}`, async () => {
      const items = [{id: 'a', ...item}];
      const {code, message} = await failureOf(readList('payouts.list', {[filter]: wanted}, {items, service}));
      assert.equal(code, 'FILTER_IGNORED');
      assert.match(message, /record a does not state it, so remit cannot filter by it/);
    });

  it('does not deliver what is no record', async () => {
    const items = ['a', null, {id: 'b', status: 'created'}];
    assert.deepEqual((await readList('payouts.list', {status: 'created'}, {items, service})).ids, ['b']);
  });
});
