import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import type {StoredProfile} from '../../src/profiles/profile.ts';
import {replacing, withoutSettings, withSettings} from '../../src/profiles/settings.ts';

const BARE: StoredProfile = {base_url: 'https://a.example.com', key: {stored: 'test_a'}, mode: 'test'};
const GUARDED: StoredProfile = {
  ...BARE,
  read_only: true,
  caps: {
    max_amount_minor: {USD: 500, EUR: 400},
    max_batch_total_minor: {USD: 9_000},
    max_batch_rows: 20,
    rails: ['wire'],
  },
  service: {
    routes: {'payees.list': 'GET /v2/payees', 'payers.list': 'GET /v2/payers'},
    fields: {'payees.create': {name: 'title'}},
  },
};
const FULL: StoredProfile = {...GUARDED, approve_by_id: true};

describe('the settings of a profile', () => {
  it('lose what is named and nothing else', () => {
    const {max_amount_minor, max_batch_total_minor, max_batch_rows, rails} = FULL.caps!;
    for (const [name, caps] of [
      ['max-amount', {max_batch_total_minor, max_batch_rows, rails}],
      ['max-batch-total', {max_amount_minor, max_batch_rows, rails}],
      ['max-batch-rows', {max_amount_minor, max_batch_total_minor, rails}],
      ['allow-rail', {max_amount_minor, max_batch_total_minor, max_batch_rows}],
    ] as const)
      assert.deepEqual(withoutSettings(FULL, {[name]: true}), {...FULL, caps}, name);
    assert.equal('read_only' in withoutSettings(FULL, {'read-only': true}), false);
    assert.deepEqual(withoutSettings(FULL, {'approve-by-id': true}), GUARDED);
    assert.deepEqual(withoutSettings(FULL, {route: ['payees.list'], field: ['payees.create.name']}), {
      ...FULL,
      service: {routes: {'payers.list': 'GET /v2/payers'}},
    });
    assert.deepEqual(withoutSettings(FULL, {}), FULL);
  });

  it('leave no empty parts behind', () => {
    const capped = withSettings(BARE, {caps: {max_amount_minor: {USD: 500}}});
    assert.deepEqual(capped, {...BARE, caps: {max_amount_minor: {USD: 500}}});
    assert.deepEqual(withoutSettings(capped, {'max-amount': true}), BARE);
  });

  it('change by currency and by name', () => {
    const {caps, service} = withSettings(FULL, {
      caps: {max_amount_minor: {USD: 1}, max_batch_rows: 3},
      service: {fields: {'payers.create': {name: 'title'}}},
    });
    assert.deepEqual(caps, {...FULL.caps, max_amount_minor: {USD: 1, EUR: 400}, max_batch_rows: 3});
    assert.deepEqual(service, {
      ...FULL.service,
      fields: {'payees.create': {name: 'title'}, 'payers.create': {name: 'title'}},
    });
  });

  it('apply to the profile that replaces another, except that it may not approve by id', () => {
    const next = {...BARE, base_url: 'https://b.example.com'};
    assert.deepEqual(replacing(FULL, next), {...GUARDED, base_url: next.base_url});
  });
});
