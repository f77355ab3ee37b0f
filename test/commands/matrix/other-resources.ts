import type {Difference, Topic} from './difference.ts';

/** A route at another path: the path of the contract is answered with 404 NOT_FOUND. */
const elsewhere = (topic: Topic, operation: string, route: string): Difference => ({
  ...{name: `${operation} elsewhere`, service: {routes: {[operation]: route}}, in: [topic]},
});

/** Differences of everything besides payouts. */
export const OTHER_RESOURCES: readonly Difference[] = [
  elsewhere('payins', 'payins.list', 'GET /api/incoming'),
  elsewhere('payins', 'payins.get', 'GET /api/incoming/{id}'),
  elsewhere('payins', 'payins.cancel', 'POST /api/payins/{id}/void'),
  elsewhere('parties', 'payees.create', 'POST /api/recipients'),
  elsewhere('parties', 'payees.list', 'GET /api/recipients'),
  elsewhere('parties', 'payees.get', 'GET /api/recipients/{id}'),
  elsewhere('parties', 'payers.list', 'GET /api/customers'),
  elsewhere('parties', 'payers.get', 'GET /api/customers/{id}'),
  elsewhere('parties', 'payeePaymentMethods.list', 'GET /api/payees/{payee_id}/accounts'),
  elsewhere('subaccounts', 'subaccounts.list', 'GET /api/wallets'),
  elsewhere('subaccounts', 'subaccounts.get', 'GET /api/wallets/{id}'),
  elsewhere('subaccounts', 'moves.list', 'GET /api/moves'),
  elsewhere('subaccounts', 'moves.get', 'GET /api/moves/{move_id}'),
  elsewhere('subaccounts', 'moves.approve', 'POST /api/moves/{move_id}/release'),
  elsewhere('treasury', 'treasury.accounts', 'GET /api/bank/accounts'),
  elsewhere('treasury', 'treasury.balance', 'GET /api/bank/accounts/{account_id}/balance'),
  elsewhere('treasury', 'treasury.transactions', 'GET /api/bank/accounts/{account_id}/entries'),
  elsewhere('treasury', 'treasury.updateLabel', 'POST /api/treasury/accounts/{account_id}/label'),
  elsewhere('treasury', 'accountTransfers.list', 'GET /api/bank/transfers'),
  elsewhere(
    'treasury',
    'accountTransfers.approve',
    'POST /api/treasury/transfers/{account_transfer_id}/release',
  ),
  elsewhere('treasury', 'accountTransfers.create', 'POST /api/treasury/transfers'),
  elsewhere('webhooks', 'webhookEndpoints.list', 'GET /api/hooks'),
  elsewhere('webhooks', 'webhookEndpoints.get', 'GET /api/hooks/{id}'),
  elsewhere('webhooks', 'webhookEndpoints.toggle', 'POST /api/webhooks/endpoints/{id}/switch'),
  elsewhere('webhooks', 'eventTypes.list', 'GET /api/event-types'),
  {
    name: 'name of a payee in another field',
    service: {fields: {payees: {name: 'legal_name'}}},
    in: ['parties'],
  },
  {
    name: 'payer of a payin in another field',
    service: {fields: {payins: {payer_id: 'customer_id'}}},
    in: ['payins'],
  },
  {
    name: 'label of an account in another field',
    service: {fields: {treasury: {label: 'nickname'}}},
    in: ['treasury'],
  },
  {
    name: 'accounts of a transfer in other fields',
    service: {
      fields: {
        accountTransfers: {source_account_id: 'from_account', destination_account_id: 'to_account'},
      },
    },
    in: ['treasury'],
  },
  {
    name: 'amount of a transfer in another field',
    service: {
      fields: {accountTransfers: {amount_in_minor_units: 'amount'}},
      units: {'accountTransfers.amount_in_minor_units': 'major'},
    },
    in: ['treasury'],
  },
  {
    name: 'active flag of an endpoint in another field',
    service: {webhooks: {active: 'enabled'}},
    in: ['webhooks'],
  },
  {
    name: 'active flag of an endpoint as a word',
    service: {webhooks: {active: {field: 'state', on: 'enabled', off: 'disabled'}}},
    in: ['webhooks'],
  },
];
