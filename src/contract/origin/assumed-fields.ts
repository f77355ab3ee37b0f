import {assumed, type Origin} from './origin.ts';

const party = {name: assumed(10), email: assumed(10), type: assumed(10), metadata: assumed(10)};
const bankAccount = {
  bank_account: assumed(12),
  'bank_account.account_number': assumed(12),
  'bank_account.routing_number': assumed(12),
  'bank_account.account_type': assumed(12),
  'bank_account.holder_name': assumed(12),
  'bank_account.sort_code': assumed(86),
  'bank_account.institution_number': assumed(86),
  'bank_account.transit_number': assumed(86),
  'bank_account.bsb': assumed(86),
  'bank_account.clabe': assumed(86),
  'bank_account.iban': assumed(86),
};
const card = {
  card: assumed(12),
  'card.number': assumed(12),
  'card.exp_month': assumed(12),
  'card.exp_year': assumed(12),
};
const endpoint = {
  url: assumed(31),
  description: assumed(31),
  is_active: assumed(31),
};
const transferQuery = {status: assumed(5), created_from: assumed(5), created_to: assumed(5)};

/**
 * Body and query fields whose names the interface document does not specify, by operation: `payouts.create.metadata`.
 * A profile can rename these. All others are given and fixed. `field-origins.ts` lists them, and throws for a field
 * that is in neither list. A dot leads into an object.
 */
export const ASSUMED_FIELDS: Readonly<Record<string, Origin>> = {
  'payouts.create.metadata': assumed(51),
  ...of('payins.list', {...transferQuery, payer_id: assumed(5)}),
  ...of('payouts.list', {...transferQuery, payee_id: assumed(5)}),
  ...of('payees.create', party),
  ...of('payees.update', party),
  ...of('payers.create', party),
  ...of('payers.update', party),
  ...of('payeePaymentMethods.add', {type: assumed(12), ...bankAccount, ...card}),
  ...of('payerPaymentMethods.add', {type: assumed(12), ...bankAccount}),
  ...of('payeePaymentMethods.update', {is_default: assumed(14)}),
  ...of('payerPaymentMethods.update', {is_default: assumed(14)}),
  ...of('moves.create', {
    source_subaccount_id: assumed(7),
    destination_subaccount_id: assumed(7),
    amount_in_minor_units: assumed(7),
    currency_code: assumed(7),
    description: assumed(7),
  }),
  ...of('subaccounts.create', {name: assumed(11), currency_code: assumed(11)}),
  ...of('treasury.updateLabel', {label: assumed(22)}),
  ...of('treasury.simulateInboundCredit', {
    amount_in_minor_units: assumed(29),
    currency_code: assumed(29),
    description: assumed(29),
    counterparty_name: assumed(29),
  }),
  ...of('accountTransfers.create', {
    source_account_id: assumed(23),
    destination_account_id: assumed(23),
    amount_in_minor_units: assumed(23),
    currency_code: assumed(23),
    rail: assumed(23),
    description: assumed(23),
  }),
  ...of('accountTransfers.list', {status: assumed(27), account_id: assumed(27)}),
  ...of('webhookEndpoints.create', endpoint),
  ...of('webhookEndpoints.update', endpoint),
  ...of('webhookEndpoints.toggle', {is_active: assumed(32)}),
};

function of(operation: string, fields: Readonly<Record<string, Origin>>): Record<string, Origin> {
  return Object.fromEntries(
    Object.entries(fields).map(([field, origin]) => [`${operation}.${field}`, origin]),
  );
}
