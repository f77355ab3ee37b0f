import type {OperationId} from '../operations/operations.ts';

const LISTED = 'Follow `next_cursor` until it is null; `limit` is the size of a page.';
const CREATE_KEY =
  'Send an `Idempotency-Key`: repeating the request with the same key returns the existing record instead of creating a ' +
  'second one, so a lost answer (or a 503) is resolved by sending exactly the same request again. A key whose record has ' +
  'failed or was canceled is refused with 409.';
const CREATE_APPROVAL =
  'With `auto_approve` it is approved and initiated at once: 201 or 202 if that worked, 207 with a `warning` if the record ' +
  'was created but not approved. Repeating a create with `auto_approve` approves a record that is still `created`.';
const NO_KEY =
  'No idempotency key is documented: after a lost answer, read the records before you repeat the request.';
const approve = (noun: string) =>
  `Starts a ${noun} that is \`created\`. It is refused if the ${noun} is in another status. ${NO_KEY}`;
const cancel = (noun: string) =>
  `Cancels a ${noun} that is still \`created\`; afterwards its status is \`canceled\`, and its idempotency key cannot be used again.`;
const party = (noun: string) =>
  `Only the fields that are sent change. The ${noun} keeps its id and its payment methods.`;
const methodAdded = (noun: string) =>
  `The method is \`pending\` until it is verified. With \`is_default\` and a method that is not verified yet, it is added ` +
  `without being the default: 207 with a \`warning\`. Account and card numbers are stored in a vault; answers contain the last four digits. ` +
  `A ${noun} may have several methods. ${NO_KEY}`;
const DEFAULT_METHOD =
  'The default is used unless a request names another method. Only a verified method can become the default; the previous default stays a method.';
const METHOD_DELETED =
  'The current default cannot be deleted: make another verified method the default first. Repeating the request changes nothing; it is answered with 404.';

/** What each operation does beyond its summary, for readers of the OpenAPI document and of generated clients. */
export const DESCRIPTIONS: Readonly<Record<OperationId, string>> = {
  'payins.create': `Collects money from a payer's bank account by ACH debit. ${CREATE_KEY} ${CREATE_APPROVAL}`,
  'payins.get':
    'The payin with its current status. Poll it, or subscribe to webhooks, until the status is final.',
  'payins.list': `The payins of the entity, filtered by the query. ${LISTED}`,
  'payins.approve': approve('payin'),
  'payins.cancel': cancel('payin'),
  'payouts.create': `Sends money to a payee's bank account or card. ${CREATE_KEY} ${CREATE_APPROVAL}`,
  'payouts.get':
    'The payout with its current status. Poll it, or subscribe to webhooks, until the status is final.',
  'payouts.list': `The payouts of the entity, filtered by the query. ${LISTED}`,
  'payouts.approve': approve('payout'),
  'payouts.cancel': cancel('payout'),
  'moves.create': `Prepares an internal transfer between two subaccounts; no money moves until it is approved. ${NO_KEY}`,
  'moves.get': 'The move in its envelope; `CREATED` before its approval, `SETTLED` after it.',
  'moves.list': `The moves between subaccounts. ${LISTED}`,
  'moves.approve':
    'The move settles immediately, without bank processing. 207 with a `warning` if settlement had a recoverable issue; a move that is not `CREATED` is refused with 400.',
  'subaccounts.create': `Creates a virtual account of the entity. Payins and payouts can use it with test keys only. ${NO_KEY}`,
  'subaccounts.list': `The virtual accounts of the entity, with their balances. ${LISTED}`,
  'subaccounts.get': 'The virtual account with its current balance in minor units.',
  'payees.create': `Creates someone to pay. Add a payment method before you pay them. ${NO_KEY}`,
  'payees.get': 'The payee without its payment methods, which have a list of their own.',
  'payees.list': `The people and businesses that can be paid. ${LISTED}`,
  'payees.update': party('payee'),
  'payers.create': `Creates someone to collect from. Add a bank account before you collect from them. ${NO_KEY}`,
  'payers.get': 'The payer without its payment methods, which have a list of their own.',
  'payers.list': `The people and businesses that can be debited. ${LISTED}`,
  'payers.update': party('payer'),
  'payeePaymentMethods.add': `Adds a bank account or a card. ${methodAdded('payee')}`,
  'payeePaymentMethods.list': `The bank accounts and cards of a payee, with their verification status. ${LISTED}`,
  'payeePaymentMethods.setDefault': DEFAULT_METHOD,
  'payeePaymentMethods.update': `Another way to make it the default. ${DEFAULT_METHOD}`,
  'payeePaymentMethods.delete': METHOD_DELETED,
  'payerPaymentMethods.add': `Adds a bank account. ${methodAdded('payer')}`,
  'payerPaymentMethods.list': `The bank accounts of a payer, with their verification status. ${LISTED}`,
  'payerPaymentMethods.setDefault': DEFAULT_METHOD,
  'payerPaymentMethods.update': `Another way to make it the default. ${DEFAULT_METHOD}`,
  'payerPaymentMethods.delete': METHOD_DELETED,
  'treasury.accounts': `The main operating accounts. They are provisioned at onboarding and cannot be created here. ${LISTED}`,
  'treasury.balance': 'A snapshot as last reported by the bank, which may be older than the latest payment.',
  'treasury.transactions': `What the bank has reported for the account. ${LISTED}`,
  'treasury.updateLabel': 'Only the display label changes. Sending the same label again changes nothing.',
  'treasury.simulateInboundCredit': `Money seems to arrive from outside, for tests. Live accounts refuse it. ${NO_KEY}`,
  'accountTransfers.create':
    `Moves money between two accounts that the entity controls. With \`auto_approve\` it is approved and initiated at once; ` +
    `202 means that bank processing continues: poll the list. ${NO_KEY}`,
  'accountTransfers.approve': `Queues a transfer that is \`created\` for initiation. ${NO_KEY}`,
  'accountTransfers.list': `The transfers between treasury accounts; there is no operation that reads only one. ${LISTED}`,
  'webhookEndpoints.create':
    'Events of the given types are sent to the HTTPS URL, signed with the signing secret of this answer. The secret is not shown again: ' +
    'to replace it, create a second endpoint and delete the first.',
  'webhookEndpoints.list': `The endpoints of the entity, without their signing secrets. ${LISTED}`,
  'webhookEndpoints.get': 'The endpoint without its signing secret, which only the create returns.',
  'webhookEndpoints.update': 'Only the fields that are sent change; the signing secret stays the same.',
  'webhookEndpoints.delete':
    'Nothing more is delivered to it. Repeating the request changes nothing; it is answered with 404.',
  'webhookEndpoints.toggle':
    'An endpoint that is off gets no deliveries. With `is_active` the result is stated, so repeating the request is harmless; without a body the state is reversed.',
  'eventTypes.list':
    'The values that `event_types` of an endpoint accepts. The answer is complete; there are no pages.',
};
