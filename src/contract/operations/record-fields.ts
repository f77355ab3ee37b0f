import type {Resource} from './operations.ts';

const transfer = [
  'id',
  'subaccount_id',
  'status',
  'amount_in_minor_units',
  'amount_in_cents',
  'currency_code',
  'country_code',
  'rail',
  'client_metadata',
  'created_at',
  'updated_at',
  'warning',
];
const party = ['id', 'name', 'email', 'type', 'metadata', 'created_at', 'updated_at'];
const method = [
  ...[
    'id',
    'payee_id',
    'payer_id',
    'type',
    'country_code',
    'currency_code',
    'verification_status',
    'is_default',
  ],
  ...['last4', 'bank_name', 'brand', 'supported_rails', 'created_at', 'updated_at', 'warning'],
];

/**
 * Fields of the records that a resource returns. The schemas have them too; this list is for code that must not load
 * zod, and a test compares the two.
 */
export const RECORD_FIELDS: Readonly<Record<Resource, readonly string[]>> = {
  payins: [...transfer, 'payer_id', 'payin_metadata', 'status_recorded_at'],
  payouts: [...transfer, 'payee_id', 'payout_metadata', 'transfer_details'],
  moves: [
    ...['id', 'source_subaccount_id', 'destination_subaccount_id', 'amount_in_minor_units', 'currency_code'],
    ...['status', 'created_at', 'settled_at', 'description'],
  ],
  subaccounts: ['id', 'name', 'currency_code', 'balance_in_minor_units', 'status', 'created_at'],
  payees: party,
  payers: party,
  payeePaymentMethods: method,
  payerPaymentMethods: method,
  treasury: [
    ...['id', 'label', 'currency_code', 'type', 'status', 'account_id', 'current_balance_in_minor_units'],
    ...['available_balance_in_minor_units', 'as_of', 'amount_in_minor_units', 'direction', 'description'],
    ...['bank_reference', 'posted_at', 'value_date'],
  ],
  accountTransfers: [
    ...[
      'id',
      'source_account_id',
      'destination_account_id',
      'amount_in_minor_units',
      'currency_code',
      'rail',
    ],
    ...['status', 'auto_approve', 'description', 'failure_reason', 'created_at', 'updated_at'],
  ],
  webhookEndpoints: [
    ...['id', 'url', 'event_types', 'is_active', 'description', 'created_at', 'updated_at', 'signing_secret'],
  ],
  eventTypes: [],
};

/** What a known field holds. Null and an empty text count as absent, except in a text that may be null; an empty id is an id. */
type FieldType = 'id' | 'text' | 'text or null' | 'flag' | 'object' | 'list';

/**
 * The types of known fields by name, which is the same for all records. Amounts are not among them: services send them as
 * numbers and as text, and `money` reads both. A test compares them with the schemas.
 */
export const FIELD_TYPES = {
  ...{id: 'id', payee_id: 'text', payer_id: 'text', account_id: 'text', subaccount_id: 'text or null'},
  ...{source_subaccount_id: 'text', destination_subaccount_id: 'text'},
  ...{source_account_id: 'text', destination_account_id: 'text'},
  ...{status: 'text', verification_status: 'text', currency_code: 'text', country_code: 'text', rail: 'text'},
  ...{name: 'text', email: 'text or null', label: 'text', type: 'text', url: 'text', direction: 'text'},
  ...{last4: 'text', bank_name: 'text', brand: 'text', description: 'text or null', warning: 'text'},
  ...{created_at: 'text', updated_at: 'text', as_of: 'text', status_recorded_at: 'text', value_date: 'text'},
  ...{settled_at: 'text or null', posted_at: 'text or null', bank_reference: 'text or null'},
  ...{signing_secret: 'text', is_default: 'flag', is_active: 'flag', auto_approve: 'flag'},
  ...{payin_metadata: 'object', payout_metadata: 'object', client_metadata: 'object', metadata: 'object'},
  ...{transfer_details: 'object', event_types: 'list', supported_rails: 'list'},
} as const satisfies Readonly<Record<string, FieldType>>;

const BY_RESOURCE = new Map<string, readonly string[]>(Object.entries(RECORD_FIELDS));

/** The fields of the records of a resource; none if it has no records. */
export const recordFieldsOf = (resource: string): readonly string[] => BY_RESOURCE.get(resource) ?? [];
