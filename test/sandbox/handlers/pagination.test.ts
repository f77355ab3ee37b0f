import assert from 'node:assert/strict';
import fc from 'fast-check';
import {TestSandbox, assertRefused} from '../harness.ts';
import {bankAccount} from '../payment-details.ts';

describe('sandbox: Pagination', () => {
  let at: TestSandbox;
  let payee: string;
  let ids: string[];
  before(async () => {
    at = await TestSandbox.open();
    payee = (await at.ready('payee')).id;
    ids = [];
    for (let n = 0; n < 25; n += 1) {
      at.clock.pass(n % 3); // some within one millisecond
      ids.push((await at.payout(payee)).body.id as string);
    }
  });
  after(() => at.close());

  const walk = async (
    path: string,
    between: () => Promise<unknown> = async () => undefined,
  ): Promise<string[]> => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const next: string = cursor === null ? '' : `&cursor=${cursor}`;
      const {status, body} = await at.get(`${path}${next}`);
      assert.equal(status, 200, JSON.stringify(body));
      seen.push(...(body.data as {id: string}[]).map(({id}) => id));
      cursor = body.next_cursor as string | null;
      await between();
    } while (cursor !== null);
    return seen;
  };

  it('returns 20 per page, newest first, with next_cursor null at the end (assumptions 39 to 41)', async () => {
    const first = await at.get('/api/payouts');
    assert.deepEqual(
      (first.body.data as {id: string}[]).map(({id}) => id),
      ids.toReversed().slice(0, 20),
    );
    const second = await at.get(`/api/payouts?cursor=${first.body.next_cursor}`);
    assert.equal(second.body.data.length, 5);
    assert.equal(second.body.next_cursor, null);
  });

  it('has no further page when the last is full', async () => {
    assert.equal((await at.get('/api/payouts?limit=25')).body.next_cursor, null);
  });

  it('walks every record once for any page size, in both orders', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({min: 1, max: 30}),
        fc.constantFrom('asc', 'desc'),
        async (limit, order) => {
          const seen = await walk(`/api/payouts?limit=${limit}&order=${order}`);
          assert.deepEqual(seen, order === 'asc' ? ids : ids.toReversed());
        },
      ),
      {numRuns: 20},
    );
  });

  it('visits each record once while others are inserted', async () => {
    for (const order of ['asc', 'desc']) {
      let inserted = 0;
      const seen = await walk(`/api/payins?limit=2&order=${order}`, async () => {
        if (inserted++ < 3) await at.payin((await at.ready('payer')).id);
      });
      assert.equal(new Set(seen).size, seen.length);
      const parties = await walk(`/api/payees?limit=1&order=${order}`, () => at.party('payer'));
      assert.deepEqual(parties, [payee]);
    }
  });

  it('keeps its place if the clock stands still or is set back', async () => {
    const before = await walk('/api/payouts?order=asc&limit=7');
    at.clock.pass(-3_600_000);
    const late = (await at.payout(payee)).body.id as string;
    assert.deepEqual(await walk('/api/payouts?order=asc&limit=7'), [...before, late]);
    at.clock.pass(3_600_000);
    ids.push(late);
  });

  it('filters by status, party and time', async () => {
    const other = (await at.ready('payee')).id;
    at.clock.pass(10);
    const from = new Date(at.clock.now()).toISOString();
    const {body} = await at.payout(other, {auto_approve: true});
    ids.push(body.id as string);
    assert.deepEqual(await walk(`/api/payouts?payee_id=${other}`), [body.id]);
    assert.deepEqual(await walk(`/api/payouts?status=initiated`), [body.id]);
    assert.deepEqual(await walk(`/api/payouts?created_from=${from}`), [body.id]);
    assert.equal((await walk(`/api/payouts?created_to=${from}`)).length, ids.length);
    assert.deepEqual(await walk(`/api/payouts?payee_id=${other}&status=settled`), []);
  });

  it('refuses a bad limit or order, and a cursor that this list did not give', async () => {
    for (const query of ['limit=0', 'limit=101', 'limit=-1', 'limit=ten', 'limit=', 'order=up', 'order='])
      assertRefused(await at.get(`/api/payouts?${query}`), 400, 'VALIDATION_ERROR', query.split('=')[0]);
    const {next_cursor: cursor} = (await at.get('/api/payouts?limit=1')).body as {next_cursor: string};
    for (const bad of ['x', '', cursor.slice(0, -4), `${cursor}x`, encodeURIComponent('{"after":1}')])
      assertRefused(await at.get(`/api/payouts?cursor=${bad}`), 400, 'VALIDATION_ERROR', 'cursor');
    assertRefused(await at.get(`/api/payins?cursor=${cursor}`), 400, 'VALIDATION_ERROR', 'cursor');
    assertRefused(await at.get(`/api/payouts?order=asc&cursor=${cursor}`), 400, 'VALIDATION_ERROR', 'order');
    assert.equal((await at.get(`/api/payouts?order=desc&cursor=${cursor}`)).status, 200);
  });

  it('pages payment methods of one owner, and refuses the cursor for another', async () => {
    const [one, other] = [await at.party('payee'), await at.party('payee')];
    const added: string[] = [];
    for (let n = 0; n < 3; n += 1)
      added.push((await at.post(`/api/payees/${one}/payment-methods`, bankAccount())).body.id as string);
    const path = `/api/payees/${one}/payment-methods`;
    assert.deepEqual(await walk(`${path}?limit=1&order=asc`), added);
    const {next_cursor: cursor} = (await at.get(`${path}?limit=1`)).body as {next_cursor: string};
    const foreign = `/api/payees/${other}/payment-methods?cursor=${cursor}`;
    assertRefused(await at.get(foreign), 400, 'VALIDATION_ERROR', 'cursor');
  });
});
