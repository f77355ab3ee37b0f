import type {Resource} from './operations.ts';

/** One line about each resource, for the sections of the reference pages and the tags of the OpenAPI document. */
export const RESOURCES: Readonly<Record<Resource, string>> = {
  payins: "Collect funds from a payer's bank account by ACH debit.",
  payouts: "Send funds to a payee's bank account or card.",
  moves: 'Internal transfers between subaccounts. They settle at once, and answers come in an envelope.',
  subaccounts: 'Virtual accounts of the entity.',
  payees: 'People and businesses that receive payouts.',
  payers: 'People and businesses that payins debit.',
  payeePaymentMethods: 'Bank accounts and cards of a payee; at most one is the default.',
  payerPaymentMethods: 'Bank accounts of a payer; at most one is the default.',
  treasury: "The entity's main operating accounts, provisioned through onboarding.",
  accountTransfers: 'Transfers between two treasury accounts that the entity controls.',
  webhookEndpoints: 'HTTPS addresses to which the service delivers signed event notifications.',
  eventTypes: 'Event types that a webhook endpoint can subscribe to.',
};
