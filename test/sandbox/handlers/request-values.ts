import type {OperationId} from '../../../src/contract/operations/operations.ts';
import {Accounts} from '../accounts.ts';
import {type TestSandbox, UNKNOWN_ID, type Answer} from '../harness.ts';
import {ACCOUNTS} from '../market-accounts.ts';
import {bankAccount, card} from '../payment-details.ts';

export type Body = Record<string, unknown>;

/** How a field of a body is shown to have an effect: two bodies that the contract accepts, and that differ in it only. */
export interface Pair {
  bodies: readonly [Body, Body];
  /** What to read after the answer, if the answer alone does not show the field. */
  read?: (answer: Answer) => Promise<unknown>;
}

export interface Sent {
  path: string;
  fields: Readonly<Record<string, Pair>>;
}

/** `base` with each of the two values; undefined leaves the field out. */
const values = (base: Body, field: string, first: unknown, second: unknown): Pair => ({
  bodies: [
    {...base, [field]: first},
    {...base, [field]: second},
  ],
});

/** Two bodies for each field, with the records that they name; and the records whose lists are read, by path parameter. */
export async function everyPair(
  at: TestSandbox,
): Promise<{sent: Partial<Record<OperationId, Sent>>; owners: Record<string, string>}> {
  const money = new Accounts(at);
  const [main, reserve] = await money.treasury();
  const [subaccount, other, third] = [
    await money.subaccount(),
    await money.subaccount(),
    await money.subaccount(),
  ];
  const {data} = (await at.get('/api/treasury/accounts')).body as {data: {id: string; type: string}[]};
  const simulated = data.find(({type}) => type === 'SIM')!.id;
  const endpointBody = {url: 'https://example.com/hook', event_types: ['payout.settled']};
  const endpoint = `/api/webhooks/endpoints/${(await at.post('/api/webhooks/endpoints', endpointBody)).body.id}`;
  const parties = {payee: await twoMethods(at, 'payee'), payer: await twoMethods(at, 'payer')};
  const [payee, payer] = [parties.payee.id, parties.payer.id];

  const transfer = (base: Body, party: string, named: string, otherParty: string): Record<string, Pair> => ({
    [party]: values(base, party, base[party], otherParty),
    amount_in_minor_units: values(base, 'amount_in_minor_units', 100, 200),
    amount_in_cents: values({...base, amount_in_minor_units: undefined}, 'amount_in_cents', 100, 200),
    currency_code: values(base, 'currency_code', 'USD', 'EUR'),
    rail: values(base, 'rail', 'standard_ach', 'same_day_ach'),
    subaccount_id: values(base, 'subaccount_id', subaccount, other),
    [named]: values(base, named, ...(party === 'payee_id' ? parties.payee : parties.payer).methods),
    auto_approve: values(base, 'auto_approve', false, true),
    metadata: values(base, 'metadata', {order: '1'}, {order: '2'}),
    scheduled_date: values({...base, auto_approve: true}, 'scheduled_date', undefined, '2026-03-10'),
  });
  const payin = {payer_id: payer, amount_in_minor_units: 100};
  const payout = {payee_id: payee, amount_in_minor_units: 100};
  const party = {name: 'Elm Works', email: 'a@example.com', type: 'business', metadata: {a: '1'}};
  const partyFields = (base: Body): Record<string, Pair> => ({
    name: values(base, 'name', 'Elm Works', 'Oak Works'),
    email: values(base, 'email', 'a@example.com', 'b@example.com'),
    type: values(base, 'type', 'business', 'individual'),
    metadata: values(base, 'metadata', {a: '1'}, {a: '2'}),
  });
  const move = {
    ...{source_subaccount_id: subaccount, destination_subaccount_id: other},
    ...{amount_in_minor_units: 100, currency_code: 'USD', description: 'Rent'},
  };
  const credit = {amount_in_minor_units: 100};
  const treasury = {
    ...{source_account_id: main, destination_account_id: reserve, amount_in_minor_units: 100},
    ...{currency_code: 'USD', rail: 'book'},
  };
  const endpointFields = (base: Body): Record<string, Pair> => ({
    url: values(base, 'url', 'https://example.com/hook', 'https://example.com/other'),
    event_types: values(base, 'event_types', ['payout.settled'], ['payout.failed']),
    description: values(base, 'description', 'one', 'two'),
    is_active: values(base, 'is_active', true, false),
  });
  const sent: Partial<Record<OperationId, Sent>> = {
    'payins.create': {
      path: '/api/payins',
      fields: transfer(payin, 'payer_id', 'payment_method_id', parties.payer.another),
    },
    'payouts.create': {
      path: '/api/payouts',
      fields: {
        ...transfer(payout, 'payee_id', 'override_default_payment_method_id', parties.payee.another),
        payout_metadata: values(payout, 'payout_metadata', {order: '1'}, {order: '2'}),
      },
    },
    'moves.create': {
      path: '/api/subaccounts/move',
      fields: {
        source_subaccount_id: values(move, 'source_subaccount_id', subaccount, third),
        destination_subaccount_id: values(move, 'destination_subaccount_id', other, third),
        amount_in_minor_units: values(move, 'amount_in_minor_units', 100, 200),
        currency_code: values(move, 'currency_code', 'USD', 'EUR'),
        description: values(move, 'description', 'Rent', 'Fees'),
      },
    },
    'subaccounts.create': {
      path: '/api/subaccounts',
      fields: {
        name: values({}, 'name', 'One', 'Two'),
        currency_code: values({name: 'One'}, 'currency_code', 'USD', 'EUR'),
      },
    },
    'payees.create': {path: '/api/payees', fields: partyFields(party)},
    'payers.create': {path: '/api/payers', fields: partyFields(party)},
    'payees.update': {path: `/api/payees/${parties.payee.another}`, fields: partyFields({})},
    'payers.update': {path: `/api/payers/${parties.payer.another}`, fields: partyFields({})},
    'payeePaymentMethods.add': methodFields(at, `/api/payees/${payee}/payment-methods`),
    'payerPaymentMethods.add': methodFields(at, `/api/payers/${payer}/payment-methods`),
    'treasury.updateLabel': {
      path: `/api/treasury/accounts/${main}/update-label`,
      fields: {label: values({}, 'label', 'One', 'Two')},
    },
    'treasury.simulateInboundCredit': {
      path: `/api/treasury/accounts/${simulated}/simulate-inbound-credit`,
      fields: {
        amount_in_minor_units: values(credit, 'amount_in_minor_units', 100, 200),
        currency_code: values(credit, 'currency_code', 'USD', 'EUR'),
        description: values(credit, 'description', 'one', 'two'),
        counterparty_name: values(credit, 'counterparty_name', 'One', 'Two'),
      },
    },
    'accountTransfers.create': {
      path: '/api/treasury/account-transfers',
      fields: {
        source_account_id: {bodies: [treasury, {...treasury, source_account_id: UNKNOWN_ID}]},
        destination_account_id: {bodies: [treasury, {...treasury, destination_account_id: UNKNOWN_ID}]},
        amount_in_minor_units: values(treasury, 'amount_in_minor_units', 100, 200),
        currency_code: values(treasury, 'currency_code', 'USD', 'EUR'),
        rail: values(treasury, 'rail', 'book', 'wire'),
        auto_approve: values(treasury, 'auto_approve', false, true),
        description: values(treasury, 'description', 'one', 'two'),
      },
    },
    'webhookEndpoints.create': {path: '/api/webhooks/endpoints', fields: endpointFields(endpointBody)},
    'webhookEndpoints.update': {path: endpoint, fields: endpointFields({})},
    'webhookEndpoints.toggle': {
      path: `${endpoint}/toggle`,
      fields: {is_active: values({}, 'is_active', true, false)},
    },
  };
  return {sent, owners: {payee_id: payee, payer_id: payer, account_id: simulated}};
}

/** A party with two verified bank accounts, and another party. */
async function twoMethods(at: TestSandbox, kind: 'payee' | 'payer') {
  const {id, methodId} = await at.ready(kind);
  const path = `/api/${kind}s/${id}/payment-methods`;
  const added = await at.post(path, bankAccount({account_number: '000123450000'}));
  at.passVerification();
  const methods: [string, string] = [methodId, added.body.id as string];
  return {id, methods, another: (await at.ready(kind)).id};
}

/** The fields of an account of each country, or of a card. */
function methodFields(at: TestSandbox, path: string): Sent {
  const us = bankAccount() as Body;
  const inAccount = (
    field: string,
    first: unknown,
    second: unknown,
    country = 'US',
    currency = 'USD',
  ): Pair => {
    const method = {type: 'bank_account', country_code: country, currency_code: currency};
    const account = values(ACCOUNTS[country]!, field, first, second).bodies;
    return values(method, 'bank_account', ...account);
  };
  const inCard = (field: string, first: unknown, second: unknown): Pair => {
    const base = {number: '4000056655665556', exp_month: 12, exp_year: 2026};
    return values(card() as Body, 'card', ...values(base, field, first, second).bodies);
  };
  const verified = async ({body}: Answer) => {
    at.passVerification();
    const listed = (await at.get(`${path}?limit=100`)).body as {data: Body[]};
    return listed.data.find(({id}) => id === (body as Body)['id'])?.['verification_status'];
  };
  const fields: Record<string, Pair> = {
    type: {bodies: [us, card() as Body]},
    country_code: values(us, 'country_code', 'US', 'ZZ'),
    currency_code: values(us, 'currency_code', 'USD', 'EUR'),
    is_default: values(us, 'is_default', false, true),
    'bank_account.holder_name': {...inAccount('holder_name', 'Elm Works', 'Failed'), read: verified},
    'bank_account.account_number': inAccount('account_number', '000123456789', '000123450000'),
    'bank_account.routing_number': inAccount('routing_number', '110000000', '790000022'),
    'bank_account.clabe': inAccount('clabe', '032180000118359719', '032180000118359710', 'MX', 'MXN'),
    'bank_account.iban': inAccount('iban', 'DE89370400440532013000', 'DE89370400440532013001', 'DE', 'EUR'),
    'card.number': inCard('number', '4000056655665556', '4000020000000000'),
    'card.exp_month': inCard('exp_month', 12, 1),
    'card.exp_year': inCard('exp_year', 2030, 2020),
  };
  return {path, fields};
}
