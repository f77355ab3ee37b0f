import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  checkOverrides,
  checkRequestPath,
  fillPath,
  renameFields,
  resolveRoute,
  type Overrides,
} from '../../src/client/routes.ts';
import {ASSUMED_FIELDS} from '../../src/contract/assumed-fields.ts';
import {allOperations, type OperationId} from '../../src/contract/operations.ts';
import {SCHEMAS} from '../../src/contract/schemas/registry.ts';
import {RemitError} from '../../src/errors.ts';

const failsWith = (code: string, act: () => unknown, words = /./) =>
  assert.throws(
    act,
    (error) => error instanceof RemitError && error.code === code && words.test(error.message),
  );

describe('a route', () => {
  it("is the contract's without an override", () => {
    for (const {id, operation} of allOperations()) {
      assert.deepEqual(resolveRoute(id), {method: operation.method, path: operation.path});
      assert.deepEqual(resolveRoute(id, {operations: {}, fields: {}}), {
        method: operation.method,
        path: operation.path,
      });
    }
  });

  it('can be overridden when it is assumed, and only then', () => {
    for (const {id, operation} of allOperations()) {
      const path = `/v2${operation.path}`;
      const overrides = {operations: {[id]: {method: 'put', path}}};
      if (operation.origin.kind === 'assumed')
        assert.deepEqual(resolveRoute(id, overrides), {method: 'PUT', path});
      else failsWith('USAGE', () => resolveRoute(id, overrides), /given|gives/);
    }
  });

  it('that is given relative to a prefix can have another prefix, and nothing else', () => {
    const id = 'treasury.updateLabel';
    const at = (override: {method?: string; path?: string}) =>
      resolveRoute(id, {operations: {[id]: override}});
    const path = '/v2/bank/accounts/{account_id}/update-label';
    assert.deepEqual(at({path}), {method: 'POST', path});
    assert.deepEqual(at({method: 'post'}), {
      method: 'POST',
      path: '/api/treasury/accounts/{account_id}/update-label',
    });
    failsWith('USAGE', () => at({path: '/v2/accounts/{account_id}/label'}), /update-label/);
    failsWith('USAGE', () => at({method: 'PUT', path}), /POST/);
    failsWith('GUARD_TARGET', () => at({path: `//evil.example${path}`}));
  });

  it('keeps what an override leaves out', () => {
    const overrides = {operations: {'payouts.approve': {path: '/api/payouts/{id}/ok'}}};
    assert.deepEqual(resolveRoute('payouts.approve', overrides), {
      method: 'POST',
      path: '/api/payouts/{id}/ok',
    });
  });

  const paths: [string, string, string][] = [
    ['loses its parameter', '/api/payouts/approve', 'USAGE'],
    ['has a parameter of another name', '/api/payouts/{payout_id}/approve', 'USAGE'],
    ['has one parameter twice', '/api/{id}/{id}', 'USAGE'],
    ['has an open brace', '/api/{id}/{', 'USAGE'],
    ['leaves the origin', '//evil.example/{id}', 'GUARD_TARGET'],
    ['is a URL', 'https://evil.example/{id}', 'GUARD_TARGET'],
    ['climbs up', '/api/../{id}', 'GUARD_TARGET'],
    ['climbs up in disguise', '/api/%2E%2e/{id}', 'GUARD_TARGET'],
    ['has a backslash', '/\\evil.example/{id}', 'GUARD_TARGET'],
    ['has a query', '/api/{id}?a=1', 'GUARD_TARGET'],
    ['has a space', '/api/{id} HTTP', 'GUARD_TARGET'],
  ];
  for (const [why, path, code] of paths) {
    it(`cannot be overridden by one that ${why}`, () =>
      failsWith(code, () => resolveRoute('payouts.approve', {operations: {'payouts.approve': {path}}})));
  }

  it('cannot be overridden by an unknown method', () =>
    failsWith('USAGE', () =>
      resolveRoute('payouts.approve', {operations: {'payouts.approve': {method: 'TRACE'}}}),
    ));

  it('of an unknown operation is refused when overrides are checked', () => {
    for (const id of ['payouts.pay', 'nothing', '__proto__.toString', 'payouts.toString']) {
      failsWith('USAGE', () => checkOverrides({operations: {[id]: {path: '/x'}}}), /no operation/);
    }
  });
});

describe('a path', () => {
  it('carries any id as one segment, which decodes to the id', () => {
    fc.assert(
      fc.property(fc.string({unit: 'grapheme', minLength: 1}), (id) => {
        fc.pre(id !== '.' && id !== '..');
        const path = fillPath('/api/payouts/{id}/approve', {id});
        assert.equal(path.split('/').length, 5);
        assert.match(path, /^[\u0021-\u007e]+$/);
        const url = new URL(path, 'https://api.example.com');
        assert.equal(url.origin, 'https://api.example.com');
        assert.equal(decodeURIComponent(url.pathname.split('/')[3]!), id);
      }),
    );
  });

  it('encodes what would change the request', () => {
    assert.equal(fillPath('/a/{id}', {id: '../x?y#z%2F'}), '/a/..%2Fx%3Fy%23z%252F');
  });

  for (const id of ['', '.', '..', '\ud800']) {
    it(`takes no id ${JSON.stringify(id)}`, () => failsWith('USAGE', () => fillPath('/a/{id}', {id})));
  }

  it('wants exactly its parameters', () => {
    failsWith('USAGE', () => fillPath('/a/{id}', {}), /id is empty/);
    failsWith('USAGE', () => fillPath('/a/{id}', {id: 'x', other: 'y'}), /other/);
    failsWith('USAGE', () => fillPath('/a/{toString}', {}), /empty/);
  });

  it('typed by a person stays under the base URL', () => {
    for (const path of ['/api/payouts?limit=5&cursor=a%3D', '/', '/a/.b/..c'])
      assert.equal(checkRequestPath(path), path);
    for (const path of [
      '',
      'api',
      '//x',
      'https://x/',
      '/\\x',
      '/a/..',
      '/a/%2e%2e/b',
      '/./a',
      '/a b',
      '/a#b',
      '/ä',
      '/a\r\nb',
    ]) {
      failsWith('GUARD_TARGET', () => checkRequestPath(path));
    }
  });
});

describe('a field name', () => {
  const overrides: Overrides = {
    fields: {
      'payouts.create.metadata': 'payout_metadata',
      'payeePaymentMethods.add.bank_account.account_number': 'acct',
    },
  };

  it('is sent as the profile says, with the others as they are', () => {
    const body = {payee_id: 'p', metadata: {a: 'b'}, auto_approve: true};
    const renamed = renameFields('payouts.create', body, overrides);
    assert.deepEqual(renamed, {payee_id: 'p', payout_metadata: {a: 'b'}, auto_approve: true});
    assert.equal(JSON.stringify(renamed), '{"payee_id":"p","payout_metadata":{"a":"b"},"auto_approve":true}');
    assert.deepEqual(body, {payee_id: 'p', metadata: {a: 'b'}, auto_approve: true});
  });

  it('may lie within an object', () => {
    const body = {type: 'bank_account', bank_account: {account_number: '1', routing_number: '2'}};
    const renamed = renameFields('payeePaymentMethods.add', body, overrides);
    assert.deepEqual(renamed, {type: 'bank_account', bank_account: {acct: '1', routing_number: '2'}});
  });

  it('changes nothing where it does not occur, or elsewhere', () => {
    const body = {payee_id: 'p'};
    assert.equal(renameFields('payouts.create', body, overrides), body);
    assert.equal(renameFields('payins.create', body, overrides), body);
    assert.equal(renameFields('payouts.create', body), body);
  });

  it('is refused when both names are given', () =>
    failsWith(
      'USAGE',
      () => renameFields('payouts.create', {metadata: {}, payout_metadata: {}}, overrides),
      /both/,
    ));

  it('is refused when the document gives it, or the new one is no name', () => {
    failsWith(
      'USAGE',
      () => checkOverrides({fields: {'payouts.create.payee_id': 'recipient'}}),
      /not an assumed field/,
    );
    failsWith('USAGE', () => checkOverrides({fields: {toString: 'x'}}), /not an assumed field/);
    for (const name of ['', 'a b', '1a', 'a"b', '__proto__ ']) {
      failsWith(
        'USAGE',
        () => checkOverrides({fields: {'payouts.create.metadata': name}}),
        /not a field name/,
      );
    }
  });

  it("that is assumed is a field of the operation's body or query", () => {
    const json = JSON.stringify;
    for (const name of Object.keys(ASSUMED_FIELDS)) {
      const [resource, verb, field] = name.split('.');
      const declared = allOperations().find(({id}) => id === (`${resource}.${verb}` as OperationId));
      assert.ok(declared, name);
      const schema = SCHEMAS[(declared.operation.body ?? declared.operation.query)!];
      assert.ok(json(shapeOf(schema)).includes(json(field)), name);
    }
  });
});

/** The field names that a schema takes, through unions. */
function shapeOf(schema: unknown): string[] {
  const {shape, options} = schema as {shape?: Record<string, unknown>; options?: unknown[]};
  return [...Object.keys(shape ?? {}), ...(options ?? []).flatMap(shapeOf)];
}
