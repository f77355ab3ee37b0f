// Names that other services use instead of those of the contract. Answers decide which of them is right.

/** Alternative names of fields, by canonical name. */
export const FIELD_WORDS: Readonly<Record<string, readonly string[]>> = {
  id: ['uuid', 'payout_id', 'payin_id', 'transfer_id', 'move_id', 'payee_id', 'payer_id', 'account_id'],
  status: ['state'],
  payee_id: ['recipient_id', 'beneficiary_id', 'counterparty_id', 'payee', 'payee.id', 'recipient.id'],
  payer_id: ['customer_id', 'debtor_id', 'counterparty_id', 'payer', 'payer.id', 'customer.id'],
  amount_in_minor_units: [
    'amount',
    'amount_minor',
    'amount_cents',
    'amount_in_cents',
    'value',
    'amount.value',
  ],
  balance_in_minor_units: ['balance', 'balance_minor', 'balance_cents', 'balance.value', 'available_balance'],
  current_balance_in_minor_units: ['current_balance', 'current', 'balance', 'current_balance_cents'],
  available_balance_in_minor_units: ['available_balance', 'available', 'available_balance_cents'],
  currency_code: ['currency', 'ccy', 'currency_iso', 'amount.currency', 'balance.currency'],
  rail: ['payment_rail', 'network', 'transfer_type', 'payment_type'],
  client_metadata: ['metadata', 'custom_metadata', 'tags', 'custom_fields'],
  metadata: ['tags', 'custom_fields', 'custom_metadata'],
  created_at: ['created', 'created_time', 'created_on', 'creation_date', 'date_created', 'inserted_at'],
  updated_at: ['updated', 'updated_time', 'modified_at', 'last_modified'],
  as_of: ['as_of_date', 'reported_at', 'as_of_time'],
  name: ['display_name', 'full_name', 'legal_name', 'title'],
  label: ['name', 'nickname', 'display_name', 'account_name'],
  type: ['kind', 'party_type', 'entity_type', 'method_type'],
  verification_status: ['status', 'state', 'verification_state', 'verification.status'],
  is_default: ['default', 'is_primary', 'primary'],
  last4: ['last_four', 'last_4', 'mask', 'account_last4', 'bank_account.last4'],
  source_subaccount_id: ['from_subaccount_id', 'from_id', 'source_id', 'source'],
  destination_subaccount_id: ['to_subaccount_id', 'to_id', 'destination_id', 'destination'],
  source_account_id: ['from_account_id', 'from_id', 'source_id', 'account_id'],
  destination_account_id: ['to_account_id', 'to_id', 'destination_id'],
  url: ['endpoint', 'target_url', 'callback_url', 'endpoint_url'],
  event_types: ['events', 'enabled_events', 'subscribed_events', 'filter_types'],
  is_active: ['active', 'enabled', 'is_enabled'],
};

/** The fields of each record that remit reads. */
export const READ_FIELDS: Readonly<Record<string, readonly string[]>> = {
  payouts: [...transferFields(), 'payee_id'],
  payins: [...transferFields(), 'payer_id'],
  moves: [
    ...['id', 'source_subaccount_id', 'destination_subaccount_id', 'amount_in_minor_units'],
    ...['currency_code', 'status', 'created_at'],
  ],
  subaccounts: ['id', 'name', 'currency_code', 'balance_in_minor_units', 'status'],
  payees: ['id', 'name', 'type', 'created_at'],
  payers: ['id', 'name', 'type', 'created_at'],
  payeePaymentMethods: ['id', 'type', 'verification_status', 'is_default', 'last4'],
  payerPaymentMethods: ['id', 'type', 'verification_status', 'is_default', 'last4'],
  treasury: ['id', 'label', 'currency_code'],
  'treasury.transactions': [
    ...['id', 'amount_in_minor_units', 'direction', 'currency_code', 'description', 'status', 'posted_at'],
  ],
  'treasury.balance': [
    ...['currency_code', 'current_balance_in_minor_units', 'available_balance_in_minor_units', 'as_of'],
  ],
  accountTransfers: [
    ...['id', 'source_account_id', 'destination_account_id', 'amount_in_minor_units', 'currency_code'],
    ...['rail', 'status', 'created_at'],
  ],
  webhookEndpoints: ['id', 'url', 'event_types', 'is_active'],
};

function transferFields(): string[] {
  return ['id', 'status', 'amount_in_minor_units', 'currency_code', 'rail', 'client_metadata', 'created_at'];
}

/** The assumption about the fields of each record. */
export const FIELD_ROWS: Readonly<Record<string, number>> = {
  payouts: 6,
  payins: 6,
  moves: 7,
  subaccounts: 11,
  payees: 10,
  payers: 10,
  payeePaymentMethods: 15,
  payerPaymentMethods: 15,
  treasury: 19,
  'treasury.transactions': 21,
  'treasury.balance': 20,
  accountTransfers: 24,
  webhookEndpoints: 31,
};

/** Path segments that other services use for a collection. */
export const COLLECTION_WORDS: Readonly<Record<string, readonly string[]>> = {
  payouts: ['payout', 'outgoing-payments', 'disbursements'],
  payins: ['payin', 'incoming-payments', 'collections'],
  moves: ['moves', 'subaccounts/moves', 'subaccount-moves'],
  subaccounts: ['sub-accounts', 'sub_accounts', 'virtual-accounts', 'virtual_accounts'],
  payees: ['payee', 'recipients', 'beneficiaries'],
  payers: ['payer', 'customers', 'debtors'],
  accountTransfers: ['account-transfers', 'account_transfers', 'transfers', 'treasury/transfers'],
  treasury: ['accounts', 'treasury/accounts', 'treasury-accounts', 'treasury_accounts', 'bank-accounts'],
  webhookEndpoints: ['webhooks', 'webhook-endpoints', 'webhook_endpoints', 'event-subscriptions'],
};

/** Statuses that differ only in spelling. */
export const STATUS_SPELLINGS: Readonly<Record<string, string>> = {cancelled: 'canceled'};

/** Statuses that probably mean the same. They are proposed, never written. */
export const STATUS_GUESSES: Readonly<Record<string, string>> = {
  pending: 'created',
  new: 'created',
  pending_approval: 'created',
  queued: 'approved',
  processing: 'initiated',
  submitted: 'initiated',
  in_transit: 'initiated',
  sent: 'initiated',
  paid: 'settled',
  completed: 'settled',
  succeeded: 'settled',
  rejected: 'failed',
  returned: 'failed',
  error: 'failed',
  voided: 'canceled',
};

/** Words for ascending and descending. */
export const ORDER_WORDS: readonly (readonly [asc: string, desc: string])[] = [
  ['ascending', 'descending'],
  ['ASC', 'DESC'],
  ['oldest_first', 'newest_first'],
  ['oldest', 'newest'],
  ['created_at', '-created_at'],
  ['created_at:asc', 'created_at:desc'],
];
export const ORDER_NAMES = ['sort', 'sort_order', 'order_by', 'sort_by', 'direction'] as const;
export const LIMIT_NAMES = ['page_size', 'per_page', 'pageSize', 'size', 'count', 'max_results'] as const;
export const CURSOR_NAMES = [
  ...['after', 'starting_after', 'page_token', 'pageToken', 'next_cursor', 'page'],
] as const;
export const PREFIXES = ['/api', '/v1', '/api/v1', '/v2', '/api/v2', ''] as const;
