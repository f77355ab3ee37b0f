import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {WireSide} from '../../src/service/wire-side.ts';
import type {ServiceFile} from '../../src/service/service-file.ts';
import type {JsonFields} from '../../src/narrow.ts';

const LABEL = '/api/treasury/accounts/018f0000-0000-7000-8000-000000000001/update-label';

describe('a service in another dialect', () => {
  const read = (file: ServiceFile, body: JsonFields) =>
    new WireSide(file).read({method: 'POST', path: LABEL, headers: {}, body});

  it('refuses the documented name of a field that it names otherwise', () => {
    const other: ServiceFile = {fields: {treasury: {label: 'name'}}};
    assert.ok('refused' in read(other, {label: 'Main'}));
    assert.ok('request' in read(other, {name: 'Main'}));
  });

  it('accepts it where it holds the field', () => {
    const within: ServiceFile = {fields: {treasury: {label: 'label.text'}}};
    const found = read(within, {label: {text: 'Main'}});
    assert.deepEqual('request' in found && found.request.body, {label: 'Main'});
  });
});
