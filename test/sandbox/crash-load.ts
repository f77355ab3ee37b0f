import assert from 'node:assert/strict';
import {LIFECYCLES, canReach, type MoveStatus, type TransferStatus} from '../../src/contract/lifecycle.ts';

/** Where a sandbox under test is: the first line of `server-process.ts`. */
export interface Place {
  baseUrl: string;
  testKey: string;
  controlToken: string;
  payees: string[];
  payers: string[];
}

/** What a client was told, of payins and payouts by idempotency key: from then on it must be true. */
export type Told = Map<
  string,
  | {kind: 'payin' | 'payout'; id: string; status: TransferStatus}
  | {kind: 'move'; id: string; status: MoveStatus}
>;

/** Subaccounts between which money is moved to and fro: together they hold the same for ever. */
export interface Purses {
  ids: readonly string[];
  /** Minor units. */
  total: number;
}

interface Answer {
  status: number;
  body: {
    id: string;
    status: TransferStatus;
    problems: string[];
    balance_in_minor_units: number;
    data: {id: string; status: MoveStatus};
  };
}

/** Undefined once the server does not answer: killed. */
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

const PURSE_MINOR = 10_000_000;

/** Makes three subaccounts with money on them. */
export async function makePurses(place: Place): Promise<Purses> {
  const ids: string[] = [];
  for (let n = 0; n < 3; n += 1) {
    const made = await call(place, 'POST', '/api/subaccounts', {body: {name: `Purse ${n}`}});
    assert.equal(made?.status, 201, JSON.stringify(made?.body));
    ids.push(made.body.id);
    const body = {payer_id: place.payers[0], amount_in_minor_units: PURSE_MINOR, auto_approve: true};
    const filled = await call(place, 'POST', '/api/payins', {body: {...body, subaccount_id: made.body.id}});
    assert.equal(filled?.status, 201, JSON.stringify(filled?.body));
  }
  await call(place, 'POST', '/sandbox/advance', {body: {until: 'idle'}});
  return {ids, total: ids.length * PURSE_MINOR};
}

/** Creates a move and approves it, or leaves it unapproved. False once the server does not answer. */
async function move(place: Place, {ids}: Purses, key: string, n: number, told: Told): Promise<boolean> {
  const made = await call(place, 'POST', '/api/subaccounts/move', {
    body: {
      source_subaccount_id: ids[n % 3],
      destination_subaccount_id: ids[(n + 1 + (n % 2)) % 3],
      amount_in_minor_units: 1 + (n % 100),
    },
  });
  if (made === undefined) return false;
  assert.equal(made.status, 201, JSON.stringify(made.body));
  const {id, status} = made.body.data;
  told.set(key, {kind: 'move', id, status});
  if (n % 5 === 4) return true;
  const approved = await call(place, 'POST', `/api/subaccounts/move/${id}/approve`, {body: {}});
  if (approved === undefined) return false;
  assert.deepEqual([approved.status, approved.body.data.status], [201, 'SETTLED']);
  told.set(key, {kind: 'move', id, status: 'SETTLED'});
  return true;
}

/**
 * One client that works until the server dies: payouts and payins under keys of their own, by turns approved at once,
 * approved afterwards, canceled, and left alone, and between them moves.
 */
export async function workUntilDeath(
  place: Place,
  purses: Purses,
  round: number,
  worker: number,
  told: Told,
): Promise<void> {
  for (let n = 0; ; n += 1) {
    const key = `${round}-${worker}-${n}`;
    const kind = n % 3 === 2 ? 'payin' : 'payout';
    const created = await call(place, 'POST', `/api/${kind}s`, {
      key,
      body: createBody(place, kind, n, n % 2 === 0),
    });
    if (created === undefined) return;
    assert.equal(created.status, 201, JSON.stringify(created.body));
    told.set(key, {kind, id: created.body.id, status: created.body.status});
    if (!(await move(place, purses, `${key} move`, n + worker, told))) return;
    if (n % 2 === 0) continue;
    const verb = n % 4 === 1 ? 'approve' : 'cancel';
    const moved = await call(place, 'POST', `/api/${kind}s/${created.body.id}/${verb}`, {body: {}});
    if (moved === undefined) return;
    assert.equal(moved.status, 200, JSON.stringify(moved.body));
    told.set(key, {kind, id: created.body.id, status: moved.body.status});
  }
}

/** After a restart: the ledger balances, and everything that was told is there, under its key, and went forwards only. */
export async function checkTruth(place: Place, purses: Purses, told: Told): Promise<void> {
  const audit = await call(place, 'GET', '/sandbox/audit');
  assert.deepEqual(audit?.body.problems, []);
  await checkPurses(place, purses);
  for (const [key, entry] of told)
    if (entry.kind === 'move') await checkMove(place, entry);
    else await checkTransfer(place, key, entry);
  await checkPurses(place, purses); // moves were approved in between
}

/** No money came from a move, and none went with it. */
async function checkPurses(place: Place, {ids, total}: Purses): Promise<void> {
  let held = 0;
  for (const id of ids) {
    const found = await call(place, 'GET', `/api/subaccounts/${id}`);
    assert.equal(found?.status, 200);
    held += found.body.balance_in_minor_units;
  }
  assert.equal(held, total, 'the subaccounts hold another sum than before');
}

/** An approval that was cut off happened, or it can happen now; none happens twice. */
async function checkMove(place: Place, told: {id: string; status: MoveStatus}): Promise<void> {
  const path = `/api/subaccounts/move/${told.id}`;
  const found = await call(place, 'GET', path);
  assert.equal(found?.status, 200, `move ${told.id} was acknowledged and is lost`);
  const now = found.body.data.status;
  assert.ok(
    canReach(LIFECYCLES.move, told.status, now),
    `move ${told.id}: ${told.status} was told, ${now} is there`,
  );
  const approved = await call(place, 'POST', `${path}/approve`, {body: {}});
  assert.equal(approved?.status, now === 'CREATED' ? 201 : 400, JSON.stringify(approved?.body));
}

async function checkTransfer(
  place: Place,
  key: string,
  {kind, id, status}: {kind: 'payin' | 'payout'; id: string; status: TransferStatus},
): Promise<void> {
  const found = await call(place, 'GET', `/api/${kind}s/${id}`);
  assert.equal(found?.status, 200, `${kind} ${id} was acknowledged and is lost`);
  const now = found.body.status;
  assert.ok(canReach(LIFECYCLES[kind], status, now), `${kind} ${id}: ${status} was told, ${now} is there`);
  const body = createBody(place, kind, 0, false);
  const replayed = await call(place, 'POST', `/api/${kind}s`, {key, body});
  assert.ok(replayed, 'the server died without being killed');
  if (now === 'canceled') assert.equal(replayed.status, 409);
  else assert.deepEqual([replayed.status, replayed.body.id], [200, id], key);
}
