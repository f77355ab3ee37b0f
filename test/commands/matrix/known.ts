import type {RemitClient} from '../../../src/client/client.ts';
import {BANK_ACCOUNT} from '../../client/bank-account.ts';
import type {SandboxService} from '../sandbox-service.ts';
import type {Topic} from './difference.ts';

export type KnownRecord = Readonly<Record<string, unknown>> & {readonly id: string};

/** What the service contains, as it was created: more than one page of each kind that is read. */
export interface Known {
  readonly payee: string;
  readonly payouts: readonly KnownRecord[];
  readonly payins: readonly KnownRecord[];
  readonly payees: readonly KnownRecord[];
  readonly payers: readonly KnownRecord[];
  /** Payment methods of the first payee and of the first payer. */
  readonly methods: readonly KnownRecord[];
  readonly payerMethods: readonly KnownRecord[];
  readonly subaccounts: readonly KnownRecord[];
  readonly moves: readonly KnownRecord[];
  readonly accounts: readonly KnownRecord[];
  readonly transfers: readonly KnownRecord[];
  readonly endpoints: readonly KnownRecord[];
}

/** The size of the pages that are requested. */
export const PAGE = 2;
const money = (amount: number) => ({amount_in_minor_units: amount, currency_code: 'USD'});
const times = async <T>(count: number, make: (n: number) => Promise<T>): Promise<T[]> => {
  const made: T[] = [];
  for (let n = 0; n < count; n++) made.push(await make(n));
  return made;
};

/** Creates the records that the topics need. The values are those that were sent. */
export async function fill(
  service: SandboxService,
  client: RemitClient,
  topics: ReadonlySet<Topic>,
): Promise<Known> {
  const has = (topic: Topic, count: number) => (topics.has(topic) ? count : 0);
  const payees = await times(Math.max(1, has('parties', PAGE + 1)), async (n) => {
    const own = {name: `Payee ${n}`};
    return {...own, id: (await client.payees.create(own)).data.id};
  });
  const payers = await times(Math.max(has('parties', PAGE + 1), has('payins', 1)), async (n) => {
    const own = {name: `Payer ${n}`};
    return {...own, id: (await client.payers.create(own)).data.id};
  });
  const payee = payees[0]?.id ?? '';
  const added = await client.payeePaymentMethods.add({payee_id: payee}, BANK_ACCOUNT);
  const [payer] = payers;
  const collected =
    payer === undefined || !topics.has('payins')
      ? undefined
      : await client.payerPaymentMethods.add({payer_id: payer.id}, BANK_ACCOUNT);
  service.sandbox.passVerification();
  await client.payeePaymentMethods.setDefault({payee_id: payee, payment_method_id: added.data.id});
  const payouts = await times(has('payouts', 5), async (n) => {
    service.sandbox.clock.pass(1000);
    const own = {payee_id: payee, ...money(100 + n), rail: 'standard_ach' as const};
    return {...own, status: 'created', id: (await client.payouts.create(own)).data.id};
  });
  const payins = await times(has('payins', PAGE + 1), async (n) => {
    const own = {payer_id: payer?.id ?? '', ...money(200 + n)};
    const method = {payment_method_id: collected?.data.id ?? ''};
    return {...own, status: 'created', id: (await client.payins.create({...own, ...method})).data.id};
  });
  return {
    ...{payee, payees, payers, payouts, payins, methods: [{id: added.data.id}]},
    payerMethods: collected === undefined ? [] : [{id: collected.data.id}],
    ...(await fillSubaccounts(client, has('subaccounts', PAGE + 1))),
    ...(await fillTreasury(client, has('treasury', PAGE + 1))),
    endpoints: await times(has('webhooks', PAGE + 1), async (n) => {
      const own = {url: `https://example.com/hooks/${n}`, event_types: ['payout.settled' as const]};
      return {url: own.url, is_active: true, id: (await client.webhookEndpoints.create(own)).data.id};
    }),
  };
}

async function fillSubaccounts(client: RemitClient, count: number) {
  const subaccounts = await times(count, async (n) => {
    const own = {name: `Account ${n}`, currency_code: 'USD'};
    return {...own, id: (await client.subaccounts.create(own)).data.id};
  });
  const moves = await times(count, async (n) => {
    const [source_subaccount_id = '', destination_subaccount_id = ''] = subaccounts.map(({id}) => id);
    const own = {source_subaccount_id, destination_subaccount_id, ...money(5 + n)};
    const {data} = await client.moves.create(own);
    return {...own, id: 'data' in data ? data.data.id : ''};
  });
  return {subaccounts, moves};
}

async function fillTreasury(client: RemitClient, count: number) {
  if (count === 0) return {accounts: [], transfers: []};
  const listed = await client.treasury.accounts().toArray();
  const accounts = listed.map(({id, label, currency_code}) => ({id, label, currency_code}));
  const [source_account_id = '', destination_account_id = ''] = accounts.map(({id}) => id);
  const transfers = await times(count, async (n) => {
    const own = {source_account_id, destination_account_id, ...money(700 + n), rail: 'book' as const};
    return {...own, id: (await client.accountTransfers.create(own)).data.id};
  });
  return {accounts, transfers};
}
