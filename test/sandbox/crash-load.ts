import assert from 'node:assert/strict';
import {LIFECYCLES, canReach, type TransferStatus} from '../../src/contract/lifecycle.ts';

/** Where a sandbox under test is: the first line of `server-process.ts`. */
export interface Place {
  baseUrl: string;
  testKey: string;
  controlToken: string;
  payees: string[];
  payers: string[];
}

/** What a client was told, by idempotency key: from then on it must be true. */
export type Told = Map<string, {kind: 'payin' | 'payout'; id: string; status: TransferStatus}>;

interface Answer {
  status: number;
  body: {id: string; status: TransferStatus; problems: string[]};
}

/** Undefined once nobody answers: killed. */
async function call(place: Place, method: string, path: string, send?: {key?: string; body: object}) {
  try {
    const response = await fetch(place.baseUrl + path, {
      method,
      headers: {
        'x-api-key': place.testKey,
        'x-sandbox-token': place.controlToken,
        ...(send === undefined ? {} : {'content-type': 'application/json'}),
        ...(send?.key === undefined ? {} : {'idempotency-key': send.key}),
      },
      ...(send === undefined ? {} : {body: JSON.stringify(send.body)}),
    });
    return {status: response.status, body: await response.json()} as Answer;
  } catch {
    return undefined;
  }
}

const createBody = (place: Place, kind: 'payin' | 'payout', n: number, approve: boolean) => ({
  ...(kind === 'payout' ? {payee_id: place.payees[n % 20]} : {payer_id: place.payers[n % 20]}),
  amount_in_minor_units: 100,
  auto_approve: approve,
});

/**
 * One client that works until the server dies: payouts and payins under keys of their own, by turns approved at once,
 * approved afterwards, canceled, and left alone.
 */
export async function workUntilDeath(place: Place, worker: string, told: Told): Promise<void> {
  for (let n = 0; ; n += 1) {
    const key = `${worker}-${n}`;
    const kind = n % 3 === 2 ? 'payin' : 'payout';
    const created = await call(place, 'POST', `/api/${kind}s`, {
      key,
      body: createBody(place, kind, n, n % 2 === 0),
    });
    if (created === undefined) return;
    assert.equal(created.status, 201, JSON.stringify(created.body));
    told.set(key, {kind, id: created.body.id, status: created.body.status});
    if (n % 2 === 0) continue;
    const verb = n % 4 === 1 ? 'approve' : 'cancel';
    const moved = await call(place, 'POST', `/api/${kind}s/${created.body.id}/${verb}`, {body: {}});
    if (moved === undefined) return;
    assert.equal(moved.status, 200, JSON.stringify(moved.body));
    told.set(key, {kind, id: created.body.id, status: moved.body.status});
  }
}

/** After a restart: the ledger balances, and everything that was told is there, under its key, and went forwards only. */
export async function checkTruth(place: Place, told: Told): Promise<void> {
  const audit = await call(place, 'GET', '/sandbox/audit');
  assert.deepEqual(audit?.body.problems, []);
  for (const [key, {kind, id, status}] of told) {
    const found = await call(place, 'GET', `/api/${kind}s/${id}`);
    assert.equal(found?.status, 200, `${kind} ${id} was acknowledged and is lost`);
    const now = found.body.status;
    assert.ok(canReach(LIFECYCLES[kind], status, now), `${kind} ${id}: ${status} was told, ${now} is there`);
    const body = createBody(place, kind, 0, false);
    const replayed = await call(place, 'POST', `/api/${kind}s`, {key, body});
    assert.ok(replayed, 'the server died while nobody killed it');
    if (now === 'canceled') assert.equal(replayed.status, 409);
    else assert.deepEqual([replayed.status, replayed.body.id], [200, id], key);
  }
}
