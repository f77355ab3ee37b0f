import {EVENT_TYPE_NAMES} from '../../src/contract/events.ts';
import {bankAccount, card} from './payment-details.ts';

/** One request of a story: an operation of the service, or a control call. */
export interface StoryCall {
  method: string;
  path: string;
  body?: object;
  idempotencyKey?: string;
}

/** How a story reaches its sandbox: the status, the request id and the body as text. */
export type Ask = (call: StoryCall) => Promise<{status: number; requestId: string | null; text: string}>;

/** When a story's clock stands still: a Monday, 10:00 in New York. */
export const STORY_BEGINS = '2026-03-02T15:00:00Z';

/** A new signing secret is random on purpose: a seed that gave it away would let anyone sign. */
const withoutSecret = (text: string): string => text.replace(/whsec_[0-9a-f]{64}/, 'whsec_…');

/**
 * A day at one sandbox, as a list of lines: each request with its status and its whole answer. Everything that a script may
 * meet is part of it: transfers that end in different ways, replays, refusals, faults that strike by chance, webhooks that
 * nothing receives.
 * @param pause runs before each request
 */
export async function tellStory(ask: Ask, pause: () => Promise<void>): Promise<string[]> {
  const lines: string[] = [];
  const call = async (method: string, path: string, body?: object, idempotencyKey?: string) => {
    await pause();
    const {status, requestId, text} = await ask({
      method,
      path,
      ...(body === undefined ? {} : {body}),
      ...(idempotencyKey === undefined ? {} : {idempotencyKey}),
    });
    lines.push(`${method} ${path} ${status} ${requestId} ${withoutSecret(text)}`);
    return (text === '' ? {} : JSON.parse(text)) as {id: string; data: {id: string}[] & {id: string}};
  };
  const get = (path: string) => call('GET', path);
  const post = (path: string, body: object = {}, key?: string) => call('POST', path, body, key);
  const advance = (ms: number) => post('/sandbox/advance', {ms});

  await post('/api/webhooks/endpoints', {url: 'https://127.0.0.1:1/hook', event_types: EVENT_TYPE_NAMES});
  await post('/sandbox/faults', {probability: 0.3, effect: {kind: 'drop'}});
  const [payee, other, payer] = [
    (await post('/api/payees', {name: 'Elm Works'})).id,
    (await post('/api/payees', {name: 'Oak Works'})).id,
    (await post('/api/payers', {name: 'Birch Works'})).id,
  ];
  const methods: string[] = [];
  for (const [path, method] of [
    [`/api/payees/${payee}`, bankAccount()],
    [`/api/payees/${payee}`, card()],
    [`/api/payees/${other}`, bankAccount({account_number: '10003'})],
    [`/api/payees/${other}`, bankAccount({holder_name: 'Failed'})],
    [`/api/payers/${payer}`, bankAccount()],
  ] as const) {
    const {id} = await post(`${path}/payment-methods`, method);
    methods.push(`${path}/payment-methods/${id}`);
    await get(`${path}/payment-methods`);
  }
  await advance(30_000);
  for (const at of [0, 2, 4]) await post(`${methods[at]!}/set-default`);
  const payouts: string[] = [];
  for (const [n, extra] of [
    {},
    {rail: 'same_day_ach'},
    {rail: 'instant_bank'},
    {amount_in_minor_units: 5501},
    {metadata: {'sandbox.scenario': 'fails_after_initiated'}},
    {metadata: {'sandbox.scenario': 'async_202'}},
    {metadata: {'sandbox.scenario': 'transient_503'}},
    {payee_id: other},
  ].entries()) {
    const payout = {payee_id: payee, amount_in_minor_units: 1000 + n, auto_approve: true, ...extra};
    const {id} = await post('/api/payouts', payout, `payout-${n}`);
    if (id !== undefined) payouts.push(id);
  }
  for (const id of payouts) await get(`/api/payouts/${id}`);
  await post('/api/payouts', {payee_id: payee, amount_in_minor_units: 1006, auto_approve: true}, 'payout-6');
  for (const scenario of ['settle_slow', 'late_return', 'stuck_initiated'])
    await post('/api/payins', {
      payer_id: payer,
      amount_in_minor_units: 7000,
      auto_approve: true,
      metadata: {'sandbox.scenario': scenario},
    });
  const held = await post('/api/payouts', {payee_id: payee, amount_in_minor_units: 20});
  await post(`/api/payouts/${held.id}/approve`);
  await get(`/api/payouts/${held.id}`);
  const [from, to] = [
    (await post('/api/subaccounts', {name: 'From'})).id,
    (await post('/api/subaccounts', {name: 'To'})).id,
  ];
  await post('/sandbox/simulate', {
    kind: 'subaccount',
    id: from,
    outcome: 'credit',
    amount_in_minor_units: 900,
  });
  for (const amount of [500, 500]) {
    const {data} = await post('/api/subaccounts/move', {
      source_subaccount_id: from,
      destination_subaccount_id: to,
      amount_in_minor_units: amount,
    });
    await post(`/api/subaccounts/move/${data.id}/approve`);
  }
  const {data: accounts} = await get('/api/treasury/accounts');
  for (const [rail, amount] of [
    ['wire', 50_000],
    ['book', 60_000],
    ['standard_ach', 900_000_000_000],
  ])
    await post('/api/treasury/account-transfers', {
      source_account_id: accounts[0]!.id,
      destination_account_id: accounts[1]!.id,
      amount_in_minor_units: amount,
      currency_code: 'USD',
      rail,
      auto_approve: true,
    });
  for (const path of ['account-transfers', `accounts/${accounts[0]!.id}/transactions`])
    await get(`/api/treasury/${path}`);
  await post('/sandbox/faults', {probability: 0.5, effect: {kind: 'status', status: 503}});
  for (let n = 0; n < 6; n += 1) await get(`/api/payouts/${payouts[0]!}`);
  await call('DELETE', '/sandbox/faults');
  await advance(0);
  for (const ms of [60_000, 86_400_000, 7 * 86_400_000]) {
    await advance(ms);
    for (const path of ['payouts', 'payins', `treasury/accounts/${accounts[0]!.id}/balance`])
      await get(`/api/${path}`);
    await get('/sandbox/deliveries?limit=1000');
  }
  await get('/sandbox/audit');
  return lines;
}
