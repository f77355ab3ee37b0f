import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import * as z from 'zod';
import {SERVICE_ERRORS, SHARED_ERRORS} from '../../../src/contract/error-codes.ts';
import {EVENT_TYPES} from '../../../src/contract/events.ts';
import {operation, type Operation} from '../../../src/contract/operations/operation.ts';
import {allOperations} from '../../../src/contract/operations/operations.ts';
import {SCHEMAS, type SchemaName} from '../../../src/contract/schemas/registry.ts';

const all = allOperations();
const none = (findings: readonly string[]): void => assert.equal(findings.join('\n'), '');
const paramsOf = (path: string): string[] => [...path.matchAll(/\{([^}]*)\}/g)].map((match) => match[1]!);
const fieldsOf = (name: SchemaName): string[] => {
  const schema: z.ZodType = SCHEMAS[name];
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
};

/** Headings of the interface document that the contract may name as a source. */
const SECTIONS = [
  'Move',
  'Payin',
  'Payout',
  'Payment method',
  'Treasury account and account transfer',
  'Webhook endpoint and event',
  'Payin and payout',
  'Account transfer',
  'Payment method verification',
  'Endpoints',
  'Moves, payins, payouts',
  'Idempotency on create payin and create payout',
  'Treasury',
  'Payment methods',
  'Webhooks',
  'Pagination',
  'Authentication',
  'Events',
  'Errors',
  'Limits',
];

/** What is wrong with a declaration, in words. */
function flaws(id: string, declared: Operation): string[] {
  const wrong: string[] = [];
  const complain = (when: boolean, what: string) => when && wrong.push(`${id}: ${what}`);
  const {method, path, ok, fails, body, query, pages, key, origin, prefix} = declared;
  const statuses = Object.keys(ok).map(Number);
  const writes = method === 'POST' || method === 'PATCH';

  complain(!/^(\/[a-z-]+|\/\{[a-z_]+\})+$/.test(path), `path ${path} is not made of words and parameters`);
  complain(new Set(paramsOf(path)).size !== paramsOf(path).length, 'a path parameter stands twice');
  complain(statuses.length === 0, 'no success status');
  complain(
    statuses.some((status) => status < 200 || status > 299),
    'a success status outside 2xx',
  );
  complain((ok[204] !== undefined || 204 in ok) && ok[204] !== null, '204 has no body');
  complain(
    statuses.some((status) => status !== 204 && ok[status] === null),
    'a success other than 204 has a body',
  );
  complain(
    Object.values(ok).some((name) => name !== null && !(name in SCHEMAS)),
    'an answer names no known schema',
  );
  complain(
    writes !== (body !== undefined),
    writes ? 'a POST or PATCH sends a body, {} at least' : 'only POST and PATCH send a body',
  );
  complain(body !== undefined && !(body in SCHEMAS), `body ${body} is no known schema`);
  complain(query !== undefined && method !== 'GET', 'only a GET takes a query');
  complain(query !== undefined && !(query in SCHEMAS), `query ${query} is no known schema`);
  complain((pages === 'cursor') !== (query !== undefined), 'a list takes a query, and only a list does');
  if (pages && query) {
    complain(
      !['cursor', 'limit', 'order'].every((field) => fieldsOf(query).includes(field)),
      'a list takes cursor, limit and order',
    );
    complain(!ok[200]?.endsWith('Page'), 'a list answers a page with 200');
  }
  complain(key !== undefined && method !== 'POST', 'only a POST takes an idempotency key');
  complain(key !== undefined && !fails.includes('IDEMPOTENCY_KEY_CONFLICT'), 'a key can conflict');
  complain(key === undefined && fails.includes('IDEMPOTENCY_KEY_CONFLICT'), 'no key, no key conflict');
  complain(new Set(fails).size !== fails.length, 'an error code stands twice');
  complain(
    fails.some((code) => !(code in SERVICE_ERRORS)),
    'an unknown error code',
  );
  complain(
    fails.some((code) => SHARED_ERRORS.includes(code as never)),
    'repeats an error code that every operation shares',
  );
  complain(
    paramsOf(path).length > 0 && !fails.some((code) => SERVICE_ERRORS[code].status === 404),
    'an id in the path may be unknown: a 404 code is missing',
  );
  complain(
    prefix !== undefined && !(origin.kind === 'given' && path.startsWith(`${prefix.path}/`)),
    'an assumed prefix begins a given path',
  );
  complain(
    origin.kind === 'given' && !SECTIONS.includes(origin.section),
    'its section is not one of the interface document',
  );
  return wrong;
}

describe('operations', () => {
  it('are declared without contradiction', () =>
    none(all.flatMap(({id, operation: declared}) => flaws(id, declared))));

  it('are caught when they contradict themselves', () => {
    const good = operation({
      summary: 'Show a thing',
      method: 'GET',
      path: '/api/things/{id}',
      origin: {kind: 'given', section: 'Endpoints'},
      ok: {200: 'Payout'},
      fails: ['NOT_FOUND'],
    } satisfies Operation);
    assert.deepEqual(flaws('a', good), []);
    const bad: Partial<Operation>[] = [
      {path: '/api/things/{id}/{id}'},
      {path: '/api/things/{id'},
      {ok: {}},
      {ok: {400: 'Payout'}},
      {ok: {204: 'Payout'}},
      {ok: {200: null}},
      {ok: {200: 'Nothing' as SchemaName}},
      {method: 'POST'},
      {body: 'Empty'},
      {pages: 'cursor'},
      {query: 'PageQuery'},
      {pages: 'cursor', query: 'PageQuery'},
      {key: 'optional'},
      {fails: ['NOT_FOUND', 'NOT_FOUND']},
      {fails: ['NOT_FOUND', 'VALIDATION_ERROR']},
      {fails: ['NOT_FOUND', 'IDEMPOTENCY_KEY_CONFLICT']},
      {fails: []},
      {origin: {kind: 'given', section: 'Elsewhere'}},
      {prefix: {path: '/elsewhere', origin: {kind: 'assumed', row: 18}}},
    ];
    for (const change of bad)
      assert.notDeepEqual(flaws('a', {...good, ...change}), [], JSON.stringify(change));
  });

  it('have a method and path each to themselves', () => {
    const routes = all.map(({operation: {method, path}}) => `${method} ${path.replace(/\{[^}]*\}/g, '{}')}`);
    none(routes.filter((route, index) => routes.indexOf(route) !== index));
  });

  it('give as documented exactly the routes that the interface document shows', () => {
    const given = all
      .filter(({operation: {origin}}) => origin.kind === 'given')
      .map(({operation: {method, path}}) => `${method} ${path.replace(/\{[^}]*\}/g, '{}')}`);
    assert.deepEqual(given.sort(), [
      'DELETE /api/payees/{}/payment-methods/{}',
      'DELETE /api/payers/{}/payment-methods/{}',
      'GET /api/payins/{}',
      'GET /api/payouts/{}',
      'GET /api/webhooks/event-types',
      'POST /api/subaccounts/move/{}/approve',
      'POST /api/treasury/account-transfers/{}/approve',
      'POST /api/treasury/accounts/{}/simulate-inbound-credit',
      'POST /api/treasury/accounts/{}/update-label',
    ]);
  });

  it('take an idempotency key on create payin and create payout only', () => {
    assert.deepEqual(
      all.filter(({operation: {key}}) => key !== undefined).map(({id}) => id),
      ['payins.create', 'payouts.create'],
    );
  });

  it('use every schema, apart from parts of others, the error body and events', () => {
    const used = new Set(
      all.flatMap(({operation: {ok, body, query}}) => [...Object.values(ok), body, query]),
    );
    const parts = [
      'ErrorBody',
      ...['Party', 'Payin', 'Payout', 'PaymentMethod', 'Move', 'WebhookEvent'],
      ...Object.values(EVENT_TYPES).map(({data}) => data),
    ];
    none(Object.keys(SCHEMAS).filter((name) => !used.has(name as SchemaName) && !parts.includes(name)));
  });

  it('refuse unknown fields in requests and keep them in answers', () => {
    const requests = new Set(
      all.flatMap(({operation: {body, query}}) => [body, query]).filter((name) => name !== undefined),
    );
    const answers = new Set(
      all.flatMap(({operation: {ok}}) => Object.values(ok)).filter((name) => name !== null),
    );
    const unknownIsRefused = (name: SchemaName): boolean => {
      const result = SCHEMAS[name].safeParse({type: 'bank_account', surprise: 1});
      return !result.success && result.error.issues.some((issue) => issue.code === 'unrecognized_keys');
    };
    none(
      [...requests].filter((name) => !unknownIsRefused(name)).map((name) => `${name} takes unknown fields`),
    );
    none([...answers].filter(unknownIsRefused).map((name) => `${name} refuses unknown fields`));
  });
});
