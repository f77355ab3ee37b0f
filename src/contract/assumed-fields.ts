import {assumed, type Origin} from './operation.ts';

const party = {name: assumed(10), email: assumed(10), type: assumed(10), metadata: assumed(10)};
const bankAccount = {
  bank_account: assumed(12),
  'bank_account.account_number': assumed(12),
  'bank_account.routing_number': assumed(12),
  'bank_account.account_type': assumed(12),
  'bank_account.holder_name': assumed(12),
};
const card = {
  card: assumed(12),
  'card.number': assumed(12),
  'card.exp_month': assumed(12),
  'card.exp_year': assumed(12),
};
const transferQuery = {status: assumed(5), created_from: assumed(5), created_to: assumed(5)};

/**
 * Body and query fields whose names the interface document does not settle, by operation: `payouts.create.metadata`.
 * A profile can give another name for these; every other field name is given and fixed. A dot leads into an object.
 */
export const ASSUMED_FIELDS: Readonly<Record<string, Origin>> = {
  'payouts.create.metadata': assumed(51),
  ...of('payins.list', {...transferQuery, payer_id: assumed(5)}),
  ...of('payouts.list', {...transferQuery, payee_id: assumed(5)}),
  ...of('payees.create', party),
  ...of('payees.update', party),
  ...of('payers.create', party),
  ...of('payers.update', party),
  ...of('payeePaymentMethods.add', {...bankAccount, ...card}),
  ...of('payerPaymentMethods.add', bankAccount),
};

function of(operation: string, fields: Readonly<Record<string, Origin>>): Record<string, Origin> {
  return Object.fromEntries(
    Object.entries(fields).map(([field, origin]) => [`${operation}.${field}`, origin]),
  );
}
