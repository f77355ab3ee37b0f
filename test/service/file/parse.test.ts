import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {RemitError} from '../../../src/errors.ts';
import {parseServiceFile} from '../../../src/service/file/parse.ts';

const refusal = (text: string): RemitError => {
  try {
    parseServiceFile(text, 'service.json');
  } catch (error) {
    if (error instanceof RemitError) return error;
    throw error;
  }
  return assert.fail(`was accepted: ${text}`);
};

/** A service file with every key. */
const WHOLE = {
  routes: {'payouts.create': 'POST /v1/payouts', 'payouts.get': 'GET /v1/payouts/{id}'},
  prefixes: {treasury: '/bank', api: '/v1'},
  bodies: {'payouts.approve': 'none', 'payeePaymentMethods.setDefault': {is_default: true}},
  fields: {payouts: {amount_in_minor_units: 'amount.value', currency_code: 'amount.currency'}},
  units: {'payouts.amount_in_minor_units': 'major', 'payouts.created_at': 'seconds'},
  envelopes: {record: 'data', list: 'items', next: 'page.next', more: 'has_more'},
  paging: {max: 25, order: {asc: 'oldest_first', desc: 'newest_first'}},
  errors: {code: 'error.code', message: 'error.message', codes: {PAYEE_NOT_FOUND: 'NOT_FOUND'}},
  statuses: {payouts: {RETURNED: 'failed'}},
  headers: {requestId: 'x-trace-id', send: {'x-tenant': 'acme'}},
  keys: {header: 'X-Idempotency-Key', format: 'uuid', horizon: '12h'},
  metadata: {reference: 'our_reference'},
  webhooks: {
    ...{signatureHeader: 'X-Sig', timestampPart: 't', timestamp: 'iso8601', signaturePrefix: 'v1='},
    ...{signatureEncoding: 'base64', signed: 'v1:{timestamp}:{payload}', secret: 'key', active: 'enabled'},
  },
  ids: {format: 'any'},
};

const AMOUNT_UNIT = {'payouts.amount_in_minor_units': 'minor'};

describe('a service file', () => {
  it('may contain every key, and the address of its schema', () => {
    assert.deepEqual(parseServiceFile(JSON.stringify({$schema: 's.json', ...WHOLE}), 'service.json'), WHOLE);
    assert.deepEqual(parseServiceFile('\ufeff{}', 'service.json'), {});
  });

  it('may name both aliases of a field alike, swap two fields, and put fields next to each other', () => {
    for (const file of [
      {fields: {'payouts.create': {metadata: 'payout_metadata'}}},
      {fields: {payouts: {amount_in_minor_units: 'amount_in_cents'}}, units: AMOUNT_UNIT},
      {fields: {'payouts.create': {payee_id: 'rail', rail: 'payee_id'}}},
      {fields: {'payouts.create': {metadata: 'meta.tags', auto_approve: 'meta.approve'}}},
      {fields: {'payeePaymentMethods.add': {country_code: 'bank_account.country'}}},
      {fields: {payouts: {client_metadata: 'metadata', 'metadata.order': 'metadata.order_no'}}},
    ])
      assert.deepEqual(parseServiceFile(JSON.stringify(file), 'service.json'), file);
  });

  it('may say of several filters that the service has none', () => {
    const file = {filters: {payouts: {status: false, payee_id: false}}};
    assert.deepEqual(parseServiceFile(JSON.stringify(file), 'service.json'), file);
  });

  for (const [title, file, key, says] of [
    ['an unknown key', {route: {}}, 'route', /is not a key here; known: routes, prefixes/],
    [
      'an unknown operation',
      {routes: {'payouts.pay': 'POST /x'}},
      'routes.payouts.pay',
      /is not an operation/,
    ],
    [
      'an active flag that fields name as well',
      {webhooks: {active: 'enabled'}, fields: {webhookEndpoints: {is_active: 'on'}}},
      'webhooks.active',
      /is also set by fields\.webhookEndpoints\.is_active/,
    ],
    [
      'a cursor that is read as the method',
      {paging: {cursor: '_method'}},
      'paging.cursor',
      /cannot be a name that many servers read as the method of the request/,
    ],
    [
      'an order that is read as the method',
      {paging: {order: {name: 'X-HTTP-Method-Override'}}},
      'paging.order.name',
      /read as the method/,
    ],
    [
      'a filter that is read as the method',
      {filters: {payouts: {status: '_Method'}}},
      'filters.payouts.status',
      /read as the method/,
    ],
    [
      'a field that is read as the method',
      {fields: {payouts: {rail: '_method'}}},
      'fields.payouts.rail',
      /read as the method/,
    ],
    [
      'two filters with one name',
      {filters: {payouts: {status: 'x', payee_id: 'x'}}},
      'filters.payouts.payee_id',
      /is the same as another parameter \(x\)/,
    ],
    [
      'a code that is none',
      {errors: {codes: {'9LIVES': 'NOT_FOUND'}}},
      'errors.codes.9LIVES',
      /does not look like a code/,
    ],
    [
      'a header with the name of a part of every object',
      {headers: {requestId: 'constructor'}},
      'headers.requestId',
      /must not be or contain the name constructor/,
    ],
    [
      'a flag whose field is no name',
      {webhooks: {active: {field: 7, on: 'yes', off: 'no'}}},
      'webhooks.active.field',
      /./,
    ],
    ['a misspelled resource', {fields: {payout: {}}}, 'fields.payout', /did you mean payouts/],
    [
      'a route without a slash',
      {routes: {'payouts.create': 'POST v1'}},
      'routes.payouts.create',
      /a method and a path/,
    ],
    [
      'a route to another host',
      {routes: {'payouts.create': '//evil.example'}},
      'routes.payouts.create',
      /one \//,
    ],
    ['a route with dots', {routes: {'payouts.create': '/a/../b'}}, 'routes.payouts.create', /segments/],
    [
      'an unknown parameter',
      {routes: {'payouts.get': 'GET /p/{key}'}},
      'routes.payouts.get',
      /may have \{id\}/,
    ],
    ['a parameter twice', {routes: {'payouts.get': 'GET /p/{id}/{id}'}}, 'routes.payouts.get', /each once/],
    [
      'two operations with one route',
      {routes: {'payins.create': 'POST /pay', 'payouts.create': 'POST /pay'}},
      'routes.payouts.create',
      /the same request/,
    ],
    [
      'an unknown field',
      {fields: {payouts: {amout: 'x'}}},
      'fields.payouts.amout',
      /not a field of payouts; known: amount_in/,
    ],
    [
      'a renamed amount without a unit',
      {fields: {payouts: {amount_in_minor_units: 'amount'}}},
      'fields.payouts.amount_in_minor_units',
      /its unit must be stated: add "units"/,
    ],
    [
      'two fields with one name',
      {fields: {payouts: {payee_id: 'to', rail: 'to'}}},
      'fields.payouts.rail',
      /same name on the wire as payee_id/,
    ],
    [
      'a field that is sent as auto_approve',
      {fields: {payouts: {auto_approve: 'approve_now', rail: 'auto_approve'}}},
      'fields.payouts.rail',
      /cannot be auto_approve: the service could read the value as an approval/,
    ],
    [
      'a field that is sent within auto_approve',
      {fields: {'moves.create': {currency_code: 'auto_approve.currency'}}},
      'fields.moves.create.currency_code',
      /cannot be auto_approve/,
    ],
    [
      'an approval within the metadata',
      {fields: {'payouts.create': {auto_approve: 'metadata.approve'}}},
      'fields.payouts.create.auto_approve',
      /shares its place with metadata \(metadata\)/,
    ],
    [
      'an approval within renamed metadata',
      {fields: {payins: {metadata: 'options'}, 'payins.create': {auto_approve: 'options.approve'}}},
      'fields.payins.metadata',
      /shares its place with auto_approve \(options\.approve\)/,
    ],
    [
      'metadata within the approval',
      {fields: {'payouts.create': {metadata: 'options.tags', auto_approve: 'options'}}},
      'fields.payouts.create.auto_approve',
      /shares its place with metadata \(options\.tags\)/,
    ],
    [
      'an approval with the name of another field',
      {fields: {'payouts.create': {auto_approve: 'rail'}}},
      'fields.payouts.create.auto_approve',
      /shares its place with rail/,
    ],
    [
      'a party within the metadata',
      {fields: {payouts: {payee_id: 'payout_metadata.payee'}}},
      'fields.payouts.payee_id',
      /shares its place with payout_metadata/,
    ],
    [
      'an unknown unit',
      {units: {'payouts.amount_in_minor_units': 'cents'}},
      'units.payouts.amount_in_minor_units',
      /minor/,
    ],
    [
      'the unit of a time for an amount',
      {units: {'payouts.amount_in_minor_units': 'seconds'}},
      'units.payouts.amount_in_minor_units',
      /amount/,
    ],
    ['a unit of a text', {units: {'payouts.rail': 'minor'}}, 'units.payouts.rail', /neither/],
    ['a page that is too large', {paging: {max: 100_000}}, 'paging.max', /1 to 10000/],
    ['an unknown status', {statuses: {payouts: {X: 'done'}}}, 'statuses.payouts.X', /one of created/],
    ['an undocumented code', {errors: {codes: {A: 'B'}}}, 'errors.codes.A', /documented/],
    ['a header of our own', {headers: {send: {'X-Api-Key': 'k'}}}, 'headers.send.X-Api-Key', /sets itself/],
    ...['X-Idempotency-Key', 'idempotent_id', 'IdempotencyKey'].map(
      (name) =>
        [
          `a fixed idempotency key: ${name}`,
          {headers: {send: {[name]: 'k'}}},
          `headers.send.${name}`,
          /each payment has its own: set keys\.header/,
        ] as const,
    ),
    ...['X-Auto-Approve', 'approval', 'x_autoapprove'].map(
      (name) =>
        [
          `a fixed approval: ${name}`,
          {headers: {send: {[name]: 'true'}}},
          `headers.send.${name}`,
          /could read as an approval/,
        ] as const,
    ),
    ['a key in a header of approvals', {keys: {header: 'X-Approve'}}, 'keys.header', /as an approval/],
    ['a header with a line break', {headers: {send: {a: 'b\r\nc: d'}}}, 'headers.send.a', /visible ASCII/],
    ['a key in a header of ours', {keys: {header: 'host'}}, 'keys.header', /something else/],
    ['a key that is too short to be unique', {keys: {maxLength: 8}}, 'keys.maxLength', /22 to 255/],
    [
      'a body for an operation with fields',
      {bodies: {'payouts.create': 'none'}},
      'bodies.payouts.create',
      /fields of its own/,
    ],
    ['an unknown form of ids', {ids: {format: 'ulid'}}, 'ids.format', /uuid or any/],
    [
      'two places of a timestamp',
      {webhooks: {timestampPart: 't', timestampHeader: 'x-t', signaturePrefix: 'v1='}},
      'webhooks.timestampPart',
      /together with timestampHeader/,
    ],
    [
      'parts without a prefix',
      {webhooks: {timestampPart: 't'}},
      'webhooks.timestampPart',
      /needs signaturePrefix/,
    ],
    [
      'an id that is not signed',
      {webhooks: {idHeader: 'x-id'}},
      'webhooks.idHeader',
      /what is not signed can be forged/,
    ],
    [
      'a signed id without its header',
      {webhooks: {signed: '{id}.{timestamp}.{payload}'}},
      'webhooks.signed',
      /idHeader must name/,
    ],
    [
      'an id in the header of the timestamp',
      {webhooks: {idHeader: 'x-webhook-Timestamp', signed: '{id}.{timestamp}.{payload}'}},
      'webhooks.idHeader',
      /is the header of the signature or of the timestamp/,
    ],
    [
      'an id in a header of every request',
      {webhooks: {idHeader: 'Host', signed: '{id}.{timestamp}.{payload}'}},
      'webhooks.idHeader',
      /has another meaning/,
    ],
    [
      'a timestamp among signatures that are separated by blanks',
      {webhooks: {timestampPart: 't', signaturePrefix: 'v1,'}},
      'webhooks.timestampPart',
      /ends with a comma/,
    ],
    ['a timestamp that is not signed', {webhooks: {signed: '{payload}'}}, 'webhooks.signed', /must be none/],
    ['a signed timestamp that is none', {webhooks: {timestamp: 'none'}}, 'webhooks.timestamp', /is signed/],
    ['a signed text without payload', {webhooks: {signed: '{timestamp}'}}, 'webhooks.signed', /signed text/],
    [
      'two names of the secret',
      {webhooks: {secret: 'key'}, fields: {webhookEndpoints: {signing_secret: 's'}}},
      'webhooks.secret',
      /also set by fields/,
    ],
    ['an empty path', {prefixes: {webhookEndpoints: ''}}, 'prefixes.webhookEndpoints', /must not be empty/],
    ['UUIDs that are too long', {keys: {format: 'uuid', maxLength: 35}}, 'keys.maxLength', /at least 36/],
    ['a prefix with dots', {prefixes: {api: '/a/../b'}}, 'prefixes.api', /no \. or \.\. segments/],
    [
      'a code that is not found without its place',
      {errors: {codes: {'1042': 'NOT_FOUND'}}},
      'errors.codes.1042',
      /set errors\.code/,
    ],
    ['a body of a GET', {bodies: {'payees.get': {}}}, 'bodies.payees.get', /a GET has no body/],
    [
      'a write that does not name its record in its path',
      {routes: {'payouts.approve': 'POST /v1/approve'}},
      'routes.payouts.approve',
      /must have \{id\}/,
    ],
    [
      'a write that names one of its two records',
      {routes: {'payeePaymentMethods.setDefault': 'PUT /api/payees/{payee_id}/default-method'}},
      'routes.payeePaymentMethods.setDefault',
      /must have \{payment_method_id\}/,
    ],
    [
      'a read by POST',
      {routes: {'payouts.list': 'POST /api/payouts/search'}},
      'routes.payouts.list',
      /must be a GET and a path, because the operation only reads/,
    ],
    [
      'a create on a record',
      {routes: {'payees.create': 'POST /api/payouts/019b76da-a800-7000-8235-80d251bba0e9/approve'}},
      'routes.payees.create',
      /constant segment 019b76da.*may be an id/,
    ],
    [
      'a create on a record with an id in letters',
      {routes: {'payees.create': 'POST /v1/payouts/abcdefghij/approve'}},
      'routes.payees.create',
      /constant segment abcdefghij/,
    ],
    [
      'another record in front of its own',
      {routes: {'payees.update': 'POST /v1/payouts/abcdefghij/approve/{id}'}},
      'routes.payees.update',
      /constant segment abcdefghij/,
    ],
    [
      'a tenant after the noun',
      {routes: {'payouts.create': 'POST /payouts/acme/v2'}},
      'routes.payouts.create',
      /constant segment acme/,
    ],
    [
      'a prefix with a record',
      {prefixes: {api: '/api/payouts/019b76da-a800-7000-8235-80d251bba0e9/approve'}},
      'prefixes',
      /constant segment 019b76da/,
    ],
    [
      'the approval of a payout as the change of a payee',
      {
        routes: {
          'payouts.approve': 'POST /api/payouts/{id}/release',
          'payees.update': 'POST /API/payouts/{id}/Approve/',
        },
      },
      'routes.payees.update',
      /is a path of payouts, which payees\.update does not change/,
    ],
    [
      'two operations with two spellings of one route',
      {routes: {'payins.create': 'POST /pay/', 'payouts.create': 'POST /Pay'}},
      'routes.payouts.create',
      /the same request/,
    ],
    [
      'a prototype',
      JSON.parse('{"fields":{"__proto__":{"a":"b"}}}') as object,
      'fields.__proto__',
      /not a resource/,
    ],
    [
      'a parameter that is not closed',
      {routes: {'payouts.get': 'GET /p/{id'}},
      'routes.payouts.get',
      /a \{ or \} that is not closed/,
    ],
    ['an empty parameter', {routes: {'payouts.get': 'GET /p/{}'}}, 'routes.payouts.get', /not closed/],
    [
      'two parameters in a row',
      {routes: {'payeePaymentMethods.delete': 'DELETE /p/{payee_id}{payment_method_id}'}},
      'routes.payeePaymentMethods.delete',
      /nothing between them/,
    ],
    [
      'a read that deletes',
      {routes: {'payouts.get': 'DELETE /api/payouts/{id}'}},
      'routes.payouts.get',
      /must be a GET and a path, because the operation only reads/,
    ],
    [
      'a write that is a GET',
      {routes: {'payouts.approve': 'GET /api/payouts/{id}/approve'}},
      'routes.payouts.approve',
      /and not a GET, because the operation changes data/,
    ],
    [
      'a field the wrong way round',
      {fields: {payouts: {recipient_id: 'payee_id'}}},
      'fields.payouts.recipient_id',
      /wrong way round: the name in remit comes first.*write "payee_id": "recipient_id"$/,
    ],
    [
      'a status the wrong way round',
      {statuses: {payouts: {failed: 'RETURNED'}}},
      'statuses.payouts.failed',
      /wrong way round: the status at the service comes first.*write "RETURNED": "failed"$/,
    ],
    [
      'an unknown status of an account',
      {statuses: {payeePaymentMethods: {ok: 'fine'}}},
      'statuses.payeePaymentMethods.ok',
      /one of pending, verified, failed: the status at the service comes first/,
    ],
    [
      'statuses in a circle',
      {statuses: {payouts: {settled: 'failed', failed: 'settled'}}},
      'statuses.payouts.settled',
      /cannot be failed: settled is a documented status/,
    ],
    [
      'another meaning of a documented status in capitals',
      {statuses: {payouts: {SETTLED: 'failed'}}},
      'statuses.payouts.SETTLED',
      /cannot be failed/,
    ],
    [
      'one status with two meanings',
      {statuses: {payouts: {Done: 'settled', DONE: 'failed'}}},
      'statuses.payouts.DONE',
      /is failed, but the same word in another case is settled/,
    ],
    ['statuses of a payee', {statuses: {payees: {a: 'b'}}}, 'statuses.payees', /payees have no status/],
    [
      'another meaning of a documented code',
      {errors: {codes: {NOT_FOUND: 'VALIDATION_ERROR'}}},
      'errors.codes.NOT_FOUND',
      /keeps its meaning/,
    ],
    [
      'a message within the code',
      {errors: {code: 'error', message: 'error.text'}},
      'errors.message',
      /overlaps with errors\.code \(error\)/,
    ],
    [
      'a cursor within the items',
      {envelopes: {list: 'items', next: 'items.next'}},
      'envelopes.next',
      /overlaps with envelopes\.list \(items\)/,
    ],
    [
      'a cursor within the items of one list',
      {envelopes: {list: {payouts: 'items', payees: 'page'}, next: 'page.next'}},
      'envelopes.next',
      /overlaps with envelopes\.list\.payees \(page\)/,
    ],
    [
      'the items of a record',
      {envelopes: {list: {'payouts.get': 'items'}}},
      'envelopes.list.payouts.get',
      /is not a list/,
    ],
    [
      'a cursor in place of the items',
      {envelopes: {next: 'data'}},
      'envelopes.next',
      /same as envelopes\.list/,
    ],
    [
      'two paging parameters of one name',
      {paging: {cursor: 'page', limit: 'page'}},
      'paging.limit',
      /same as paging\.cursor \(page\)/,
    ],
    [
      'the name of another paging parameter',
      {paging: {cursor: 'limit'}},
      'paging.cursor',
      /same as paging\.limit/,
    ],
    [
      'one word for both orders',
      {paging: {order: {asc: 'desc'}}},
      'paging.order.asc',
      /cannot be desc in both/,
    ],
    [
      'a name that every object has',
      {fields: {payouts: {payee_id: 'to.__proto__'}}},
      'fields.payouts.payee_id',
      /the name __proto__/,
    ],
    [
      'the constructor as a code',
      {errors: {codes: {constructor: 'NOT_FOUND'}}},
      'errors.codes.constructor',
      /name/,
    ],
    [
      'a prototype in a body',
      JSON.parse('{"bodies":{"payouts.approve":{"a":[{"__proto__":1}]}}}') as object,
      'bodies.payouts.approve.a.__proto__',
      /the name __proto__/,
    ],
    [
      'the name of a header with a space',
      {keys: {header: 'my key'}},
      'keys.header',
      /name of an HTTP header/,
    ],
    ['a header twice', {headers: {send: {'X-A': '1', 'x-a': '2'}}}, 'headers.send.x-a', /occurs twice/],
    ...['X_HTTP_METHOD_OVERRIDE', 'Http-Method-Override', 'x_original_url'].map(
      (name) =>
        [
          `${name}, which some servers read as another header`,
          {headers: {send: {[name]: 'POST'}}},
          `headers.send.${name}`,
          /sets itself/,
        ] as const,
    ),
    [
      'a header that changes the method',
      {headers: {send: {'X-HTTP-Method-Override': 'DELETE'}}},
      'headers.send.X-HTTP-Method-Override',
      /sets itself/,
    ],
    ...['authorization', 'Host', 'content-length', 'Idempotency-Key', 'x-own-key'].map(
      (name) =>
        [
          `${name} among the headers to send`,
          {headers: {send: {[name]: 'a'}}, keys: {header: 'X-Own-Key'}},
          `headers.send.${name}`,
          /is a header that remit sets itself/,
        ] as const,
    ),
    [
      'a request id that is a cookie',
      {headers: {requestId: 'Set-Cookie'}},
      'headers.requestId',
      /another meaning/,
    ],
    [
      'one header for signature and timestamp',
      {webhooks: {signatureHeader: 'x-webhook-timestamp'}},
      'webhooks.signatureHeader',
      /both the signature and the timestamp/,
    ],
    [
      'a timestamp that is named like a signature',
      {webhooks: {timestampPart: 'v1', signaturePrefix: 'v1='}},
      'webhooks.timestampPart',
      /precedes a signature/,
    ],
    [
      'one word for active and inactive',
      {webhooks: {active: {field: 'state', on: 'a', off: 'a'}}},
      'webhooks.active.off',
      /same as on/,
    ],
  ] as const)
    it(`is refused with ${title}, naming the key and what is allowed`, () => {
      const error = refusal(JSON.stringify(file));
      assert.equal(error.code, 'SERVICE_FILE');
      assert.equal(error.details?.['key'], key, error.message);
      assert.match(error.message, says);
    });

  it('names the line of the key', () => {
    const error = refusal('{\n  "keys": {\n    "header": "k",\n    "format": "ulid"\n  }\n}');
    assert.equal(error.message, 'service.json:4: keys.format must be any or uuid');
    assert.deepEqual(error.details, {file: 'service.json', line: 4, key: 'keys.format'});
  });

  it('names the line of a contradiction, and accepts names that are swapped', () => {
    const error = refusal(
      '{\n  "paging": {\n    "cursor": "page",\n    "limit": "page"\n  },\n  "statuses": {"payouts": {"failed": "RETURNED"}}\n}',
    );
    assert.match(error.message, /^service\.json:6: statuses\.payouts\.failed is the wrong way round/);
    const paging = {paging: {cursor: 'limit', limit: 'cursor', order: {asc: 'desc', desc: 'asc'}}};
    assert.deepEqual(parseServiceFile(JSON.stringify(paging), 'service.json'), paging);
    const same = {statuses: {payouts: {SETTLED: 'settled', PAID: 'settled', failed: 'failed'}}};
    assert.deepEqual(parseServiceFile(JSON.stringify(same), 'service.json'), same);
  });

  it('is refused if it is not JSON or has a duplicate key', () => {
    assert.match(refusal('{"keys":').message, /^service\.json: the file is not JSON/);
    assert.match(refusal('[]').message, /must be/);
    assert.equal(refusal('{\n"keys": {},\n"keys": {}}').message, 'service.json:3: keys occurs twice');
  });

  it('is refused if it is nested deeper than a file can be meant', () => {
    for (const levels of [100, 100_000]) {
      const text = `{"bodies": {"payouts.approve": ${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}}}`;
      assert.match(
        refusal(text).message,
        /^service\.json: the file has more than 32 levels of objects and lists$/,
      );
    }
  });
});
