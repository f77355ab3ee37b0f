import {ASSUMED_FIELDS} from './assumed-fields.ts';
import {given, type Origin} from './origin.ts';

const transfer = [
  'amount_in_minor_units',
  'amount_in_cents',
  'currency_code',
  'rail',
  'subaccount_id',
  'auto_approve',
  'scheduled_date',
];
const method = ['country_code', 'currency_code', 'is_default'];

/** Request fields whose names the interface document gives, by section and operation. */
const GIVEN: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  Payin: {'payins.create': ['payer_id', 'payment_method_id', 'metadata', ...transfer]},
  Payout: {
    'payouts.create': ['payee_id', 'override_default_payment_method_id', 'payout_metadata', ...transfer],
  },
  'Payment method': {'payeePaymentMethods.add': method, 'payerPaymentMethods.add': method},
  'Treasury account and account transfer': {'accountTransfers.create': ['auto_approve']},
  'Webhook endpoint and event': {
    'webhookEndpoints.create': ['event_types'],
    'webhookEndpoints.update': ['event_types'],
  },
};

const GIVEN_FIELDS: Readonly<Record<string, Origin>> = Object.fromEntries(
  Object.entries(GIVEN).flatMap(([section, operations]) =>
    Object.entries(operations).flatMap(([id, fields]) =>
      fields.map((field) => [`${id}.${field}`, given(section)]),
    ),
  ),
);

/** Parameters of every paginated list. */
const PAGING = ['cursor', 'limit', 'order'];

/**
 * Where the name of a body or query field comes from. A field without an entry is an error and never counts as given:
 * otherwise the reference pages would claim that the service promises it.
 *
 * @param field dotted if it is inside an object: `bank_account.holder_name`
 */
export function fieldOrigin(id: string, field: string, {pages}: {pages?: 'cursor'} = {}): Origin {
  const name = `${id}.${field}`;
  const known = [
    ...(pages !== undefined && PAGING.includes(field) ? [given('Pagination')] : []),
    ...[GIVEN_FIELDS, ASSUMED_FIELDS].flatMap((fields) =>
      Object.hasOwn(fields, name) ? (fields[name] ?? []) : [],
    ),
  ];
  const [only] = known;
  if (only !== undefined && known.length === 1) return only;
  throw new Error(
    known.length === 0
      ? `the origin of ${name} is unknown: add it to assumed-fields.ts, or to field-origins.ts with its section`
      : `${name} is both given and assumed`,
  );
}

/** Body and query fields of an operation, without those of paging. */
export const requestFieldsOf = (id: string): string[] =>
  [...Object.keys(GIVEN_FIELDS), ...Object.keys(ASSUMED_FIELDS)]
    .filter((name) => name.startsWith(`${id}.`))
    .map((name) => name.slice(id.length + 1));
