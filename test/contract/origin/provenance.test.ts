import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {ASSUMED_FIELDS} from '../../../src/contract/origin/assumed-fields.ts';
import {fieldOrigin} from '../../../src/contract/origin/field-origins.ts';
import {openApiDocument} from '../../../src/contract/openapi/openapi.ts';
import {allOperations} from '../../../src/contract/operations/operations.ts';

const TRANSFER =
  'amount_in_minor_units amount_in_cents currency_code rail subaccount_id auto_approve scheduled_date';

/** Request fields that the interface document names, copied from its tables: section, operations, fields. */
const DOCUMENT: readonly (readonly [section: string, operations: string, fields: string])[] = [
  ['Payin', 'payins.create', `payer_id payment_method_id metadata ${TRANSFER}`],
  [
    'Payout',
    'payouts.create',
    `payee_id override_default_payment_method_id payout_metadata ${TRANSFER}`, // `metadata` is a contradiction: row 51
  ],
  [
    'Payment method',
    'payeePaymentMethods.add payerPaymentMethods.add',
    'country_code currency_code is_default',
  ],
  ['Treasury account and account transfer', 'accountTransfers.create', 'auto_approve'],
  ['Webhook endpoint and event', 'webhookEndpoints.create webhookEndpoints.update', 'event_types'],
];

/** Methods and paths that the interface document gives, with its own parameter names; those of "Treasury" lack the prefix. */
const ROUTES: readonly (readonly [section: string, route: string, prefixed?: 'prefixed'])[] = [
  ['Endpoints', 'POST /api/subaccounts/move/{move_id}/approve'],
  ['Endpoints', 'GET /api/payins/{id}'],
  ['Endpoints', 'GET /api/payouts/{id}'],
  ['Treasury', 'POST /accounts/{account_id}/update-label', 'prefixed'],
  ['Treasury', 'POST /account-transfers/{account_transfer_id}/approve', 'prefixed'],
  ['Treasury', 'POST /accounts/{account_id}/simulate-inbound-credit', 'prefixed'],
  ['Payment methods', 'DELETE /api/payees/{payee_id}/payment-methods/{payment_method_id}'],
  ['Payment methods', 'DELETE /api/payers/{payer_id}/payment-methods/{payment_method_id}'],
  ['Webhooks', 'GET /api/webhooks/event-types'],
];

interface Marked {
  name?: string;
  $ref?: string;
  oneOf?: Marked[];
  anyOf?: Marked[];
  properties?: Record<string, Marked>;
  'x-origin'?: {kind: string; section?: string; row?: number};
}

/** Every body and query field of the OpenAPI document: `payouts.create.rail` and its origin. */
function describedFields(): Map<string, Marked['x-origin']> {
  const document = openApiDocument();
  const schemas = (document['components'] as {schemas: Record<string, Marked>}).schemas;
  const found = new Map<string, Marked['x-origin']>();
  const walk = (name: string, schema: Marked): void => {
    if (schema.$ref !== undefined && schema.properties === undefined) {
      const target = schemas[schema.$ref.split('/').at(-1)!]!;
      if (target.properties !== undefined || (target.oneOf ?? target.anyOf) !== undefined) walk(name, target);
    }
    for (const branch of schema.oneOf ?? schema.anyOf ?? []) walk(name, branch);
    for (const [field, inner] of Object.entries(schema.properties ?? {})) {
      found.set(`${name}.${field}`, inner['x-origin']);
      walk(`${name}.${field}`, inner);
    }
  };
  for (const {id, operation} of allOperations()) {
    if (operation.body !== undefined) walk(id, schemas[operation.body]!);
    const item = (document['paths'] as Record<string, Record<string, {parameters?: Marked[]}>>)[
      operation.path
    ]!;
    for (const one of item[operation.method.toLowerCase()]!.parameters ?? [])
      if (one.name !== undefined) found.set(`${id}.${one.name}`, one['x-origin']);
  }
  return found;
}

describe('where facts of the contract come from', () => {
  const fields = describedFields();

  it('is known of every field of every request', () => {
    assert.ok(fields.size > 90, `${fields.size} fields`);
    const unknown = [...fields].filter(([, origin]) => origin === undefined).map(([name]) => name);
    assert.deepEqual(unknown, []);
  });

  it('is an error for a field that has no entry, never "given"', () => {
    for (const [id, field] of [
      ['payouts.create', 'colour'],
      ['payouts.create', 'cursor'],
      ['payouts.create', 'toString'],
      ['payeePaymentMethods.add', 'bank_account.kontonummer'],
    ] as const)
      assert.throws(() => fieldOrigin(id, field), /the origin of \S+ is unknown/, field);
  });

  it('is the document exactly for the fields that its tables name', () => {
    const documented = DOCUMENT.flatMap(([section, operations, names]) =>
      operations.split(' ').flatMap((id) => names.split(' ').map((name) => `${id}.${name}: ${section}`)),
    );
    const marked = [...fields]
      .filter(([, origin]) => origin?.kind === 'given' && origin.section !== 'Pagination')
      .map(([name, origin]) => `${name}: ${origin!.section}`);
    assert.deepEqual(marked.sort(), documented.sort());
    const paged = allOperations().filter(({operation}) => operation.pages === 'cursor');
    const paging = [...fields].filter(([, origin]) => origin?.section === 'Pagination').map(([name]) => name);
    assert.deepEqual(
      paging.sort(),
      paged.flatMap(({id}) => [`${id}.cursor`, `${id}.limit`, `${id}.order`]).sort(),
    );
  });

  it('is an assumption for no field that does not exist', () => {
    assert.deepEqual(
      Object.keys(ASSUMED_FIELDS).filter((name) => !fields.has(name)),
      [],
    );
  });

  it('is the document exactly for the routes that it shows, parameters by its names', () => {
    const marked = allOperations().flatMap(({operation: {origin, method, path, prefix}}) =>
      origin.kind === 'given'
        ? [
            [
              origin.section,
              `${method} ${path.slice(prefix?.path.length ?? 0)}`,
              ...(prefix ? ['prefixed'] : []),
            ],
          ]
        : [],
    );
    assert.deepEqual(marked.sort(), ROUTES.map((route) => [...route]).sort());
  });

  it('names parameters of assumed routes as those of the document next to them', () => {
    const paths = allOperations().map(({operation}) => operation.path);
    for (const [part, name] of [
      [/\/api\/payees\/\{(\w+)\}\/payment-methods/, 'payee_id'],
      [/\/api\/payers\/\{(\w+)\}\/payment-methods/, 'payer_id'],
      [/\/payment-methods\/\{(\w+)\}/, 'payment_method_id'],
      [/\/accounts\/\{(\w+)\}/, 'account_id'],
      [/\/move\/\{(\w+)\}/, 'move_id'],
    ] as const) {
      const names = paths.flatMap((path) => part.exec(path)?.[1] ?? []);
      assert.ok(names.length > 1, String(part));
      assert.deepEqual([...new Set(names)], [name]);
    }
  });
});
