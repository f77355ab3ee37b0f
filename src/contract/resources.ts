import type {Resource} from './operations.ts';

/** What each resource is, in one line; sections of the reference pages and tags of the OpenAPI document. */
export const RESOURCES: Readonly<Record<Resource, string>> = {
  payins: "Collect funds from a payer's bank account by ACH debit.",
  payouts: "Send funds to a payee's bank account or card.",
  moves: 'Internal transfers between subaccounts; they settle at once. Answers come in an envelope.',
  subaccounts: 'Virtual accounts of the entity.',
  payees: 'Who is paid.',
  payers: 'Who is debited.',
  payeePaymentMethods: 'Bank accounts and cards of a payee; at most one is the default.',
  payerPaymentMethods: 'Bank accounts of a payer; at most one is the default.',
  treasury: "The entity's main operating accounts, provisioned through onboarding.",
  accountTransfers: 'Transfers between two treasury accounts that the entity controls.',
  webhookEndpoints: 'Where signed notifications of events are delivered, over HTTPS.',
  eventTypes: 'What a webhook endpoint can subscribe to.',
};
