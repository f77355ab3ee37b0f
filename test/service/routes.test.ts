import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {comparablePath} from '../../src/service/comparable-path.ts';
import {operationLike} from '../../src/service/routes.ts';

describe('paths that are compared', () => {
  it('have one spelling, whatever the case, slashes, encoding, dots, parameters and suffix', () => {
    for (const path of [
      '/api/payouts',
      '/API/Payouts',
      '/api/payouts/',
      '//api///payouts',
      '/api/./payouts',
      '/api/x/../payouts',
      '/api/%70ayouts',
      '/api/%2570ayouts',
      '/api%2Fpayouts',
      '/api/x%2f%2E%2e/payouts',
      '/api\\payouts',
      '/api;v=1/payouts;x',
      '/api/payouts.json',
    ])
      assert.equal(comparablePath(path), '/api/payouts', path);
    assert.notEqual(comparablePath('/api/payout'), '/api/payouts');
  });

  it('belong to the operation of the contract or of the service file, by method', () => {
    const file = {routes: {'payouts.create': 'POST /v1/Pay'}};
    assert.equal(operationLike('POST', '/api/payouts/?x=1', file), 'payouts.create');
    assert.equal(operationLike('POST', '/V1/%70ay', file), 'payouts.create');
    assert.equal(operationLike('POST', '/api/payouts/ID%2Fapprove', {}), 'payouts.approve');
    assert.equal(operationLike('GET', '/v1/pay', file), undefined);
    assert.equal(operationLike('POST', '/api/payouts/ID/x/approve', {}), undefined);
  });

  it('are read as the most lenient server would read them', () => {
    for (const path of [
      'approve.html',
      'approve.',
      'approve%2e',
      'approve%20',
      'approve%00.html',
      'approve%09',
      'appr%0Aove',
      'approve%3Fx',
      'approve%23x',
      'approve%253Fx',
      '%EF%BD%81pprove',
      '%u0061pprove',
      'APPROVE;a=b',
    ])
      assert.equal(operationLike('POST', `/api/payouts/ID/${path}`, {}), 'payouts.approve', path);
    for (const path of [
      'payouts%20',
      'payouts.csv',
      '.payouts',
      'payouts.tar.gz',
      'payouts%09/x',
      'payouts%20%2F',
    ])
      assert.equal(operationLike('POST', `/api/${path}`, {}), 'payouts.create', path);
    assert.equal(operationLike('POST', '/api/payouts-archive', {}), undefined);
  });
});
