import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {unknownField, unknownFields} from '../../../src/output/records/known-fields.ts';
import {text, type View} from '../../../src/output/records/view.ts';

const PATHS = ['id', 'status', 'client_metadata', 'client_metadata.*'];
const view: View = {noun: 'x', plural: 'xs', card: [text('A', 'on.card')], columns: [text('B', 'in.column')]};

describe('an unknown field', () => {
  for (const [title, fields, records, paths, expected] of [
    ['is one that neither the records nor the contract have', ['staus', 'id'], [{id: 1}], PATHS, ['staus']],
    ['is found in an empty list too', ['staus'], [], PATHS, ['staus']],
    ['is found where only the records are known', ['staus', 'id'], [{id: 1}], [], ['staus']],
    ['is not one that only some records have', ['odd'], [{id: 1}, {odd: 2}], PATHS, []],
    ['is not one below a name whose inner names are free', ['client_metadata.a.b'], [], PATHS, []],
    ['is one below a name whose inner names are not', ['status.a'], [], PATHS, ['status.a']],
    ['is not told where nothing at all is known', ['anything'], [], [], []],
  ] as const)
    it(title, () => assert.deepEqual(unknownFields(fields, records, {paths}), expected));

  it('is not one that the card or the table shows', () => {
    assert.deepEqual(unknownFields(['on.card', 'in.column', 'x'], [], {paths: PATHS, view}), ['x']);
  });

  it('is answered with the nearest name and with all names at the top', () => {
    const error = unknownField('staus', [{id: 1, odd: 2}], {paths: [...PATHS, 'm.inner']});
    assert.equal(error.code, 'USAGE');
    assert.equal(error.hint, 'did you mean status? It has client_metadata, id, odd, status');
    assert.deepEqual(error.details, {
      unknown: 'staus',
      known: ['id', 'odd', 'status', 'client_metadata', 'm.inner'],
    });
    for (const record of [null, 'text', [{odd: 2}]])
      assert.equal(unknownField('zzzzzzzz', [record], {paths: ['id']}).hint, 'It has id');
  });

  it('is answered with names that cannot forge a line', () => {
    const record = {
      'a\nHint: run evil': 1,
      '\u001b[2J': 1,
      'x y': 1,
      ['a'.repeat(65)]: 1,
      '4012888888881881': 1,
      good_1: 1,
    };
    const error = unknownField('zzzzzzzz', [record], {paths: ['id']});
    assert.equal(error.hint, 'It has good_1, id');
    assert.deepEqual(error.details, {unknown: 'zzzzzzzz', known: ['good_1', 'id']});
  });
});
