import assert from 'node:assert/strict';
import {routePathOf, queryOf, RouteTable} from '../../../src/sandbox/api/route-table.ts';

describe('a table of routes', () => {
  const table = new RouteTable([
    {method: 'GET', path: '/items/{item_id}', target: 'get'},
    {method: 'GET', path: '/items/types', target: 'types'},
    {method: 'POST', path: '/items/{item_id}/parts/{name}', target: 'add'},
  ]);

  it('finds a route by method and path, one without parameters first', () => {
    assert.deepEqual(table.find('GET', '/items/types'), {target: 'types', params: {}});
    assert.deepEqual(table.find('GET', '/items/7'), {target: 'get', params: {item_id: '7'}});
    assert.deepEqual(table.find('POST', '/items/7/parts/a'), {
      target: 'add',
      params: {item_id: '7', name: 'a'},
    });
  });

  it('finds the route of GET for HEAD', () => {
    assert.equal(table.find('HEAD', '/items/7')?.target, 'get');
  });

  it('finds nothing for another method, a slash more, or an empty parameter', () => {
    for (const [method, path] of [
      ['DELETE', '/items/7'],
      ['GET', '/items/7/'],
      ['GET', '/items/'],
      ['GET', '/ITEMS/7'],
    ] as const)
      assert.equal(table.find(method, path), undefined, `${method} ${path}`);
  });

  it('decodes parameters, and leaves a broken escape as it is', () => {
    assert.deepEqual(table.find('GET', '/items/a%2Fb')?.params, {item_id: 'a/b'});
    assert.deepEqual(table.find('GET', '/items/100%')?.params, {item_id: '100%'});
  });

  it('decodes a parameter of a URL once', () => {
    for (const id of ['a%41', '100%', '%', 'a/b', '%2F', '%25', 'ä €', 'a?b#c']) {
      const path = routePathOf(`http://localhost/items/${encodeURIComponent(id)}?x=%2541`);
      assert.deepEqual(table.find('GET', path)?.params, {item_id: id});
    }
  });

  it('lists the methods of a path', () => {
    assert.deepEqual(table.methodsAt('/items/7'), ['GET']);
    assert.deepEqual(table.methodsAt('/nothing'), []);
  });
});

describe('a URL', () => {
  it('has a path, decoded except for what has a meaning in it', () => {
    assert.equal(routePathOf('http://localhost:4010/api/payouts?limit=1'), '/api/payouts');
    assert.equal(routePathOf('http://localhost/api/p%61youts#x'), '/api/payouts');
    assert.equal(routePathOf('http://localhost/a%2Fb?c'), '/a%2Fb');
    assert.equal(routePathOf('http://localhost/100%'), '/100%');
  });

  it('has a query', () => {
    assert.equal(queryOf('http://localhost/a?b=c&d=%20e#f'), 'b=c&d=%20e');
    assert.equal(queryOf('http://localhost/a'), '');
  });
});
