import assert from 'node:assert/strict';
import {readList} from './read-list.ts';

describe('the order of a list', () => {
  const [OLD, NEW] = ['2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z'];
  const assumed = /^the oldest records come first in the list \(.*set paging\.order\.default /;
  const other = (order: string) =>
    new RegExp(
      `^the list was requested with order ${order}, but its records are in another order \\(.*set paging\\.order `,
    );
  for (const [id, order, times, warning, service] of [
    ['payouts.list', undefined, [OLD, NEW], assumed],
    ['payins.list', undefined, [OLD, NEW], assumed],
    ['moves.list', undefined, [OLD, NEW], assumed],
    ['payees.list', undefined, [OLD, NEW], assumed],
    ['payers.list', undefined, [OLD, NEW], assumed],
    ['accountTransfers.list', undefined, [OLD, NEW], assumed],
    ['payouts.list', undefined, [NEW, OLD], undefined],
    ['payouts.list', undefined, [OLD, OLD], undefined],
    ['payouts.list', undefined, [OLD], undefined],
    ['payouts.list', undefined, [], undefined],
    ['subaccounts.list', undefined, [OLD, NEW], undefined],
    ['payouts.list', 'desc', [OLD, NEW], other('desc')],
    ['payouts.list', 'desc', [NEW, OLD], undefined],
    ['payouts.list', 'asc', [NEW, OLD], other('asc')],
    ['payouts.list', 'asc', [OLD, NEW], undefined],
    ['payouts.list', 'asc', [OLD, OLD], undefined],
    ['payouts.list', 'asc', ['2026-02-01T00:00:00', OLD], undefined],
    ['payouts.list', undefined, [OLD, NEW], /the service file states that the service cannot sort/, false],
  ] as const)
    it(`${warning === undefined ? 'is accepted' : 'causes a warning'}: ${id} ${order ?? 'without order'}, ${times.join(' ')}`, async () => {
      const items = times.map((created_at, at) => ({id: String(at), created_at}));
      const paging = service === undefined ? {} : {service: {paging: {order: service}}};
      const {warnings, ids} = await readList(id, order === undefined ? {} : {order}, {items, ...paging});
      assert.equal(ids.length, times.length);
      assert.equal(warnings.length, warning === undefined ? 0 : 1, warnings.join());
      if (warning !== undefined) assert.match(warnings[0] ?? '', warning);
    });

  it('is not judged by items that are no records', async () => {
    const {warnings} = await readList('payouts.list', {}, {items: ['a', {id: 'b', created_at: NEW}]});
    assert.deepEqual(warnings, []);
  });
});
