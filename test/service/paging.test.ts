import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {Dialect} from '../../src/service/dialect.ts';
import {pagingFromWire} from '../../src/service/paging.ts';
import {withField} from '../../src/service/shortcuts.ts';
import type {JsonFields} from '../../src/narrow.ts';

describe('paging at a service', () => {
  const paging = {cursor: 'after', limit: 'size', order: {name: 'sort', asc: 'oldest', desc: 'newest'}};

  it('is read in its own words, and other words are kept', () => {
    for (const [name, value, canonical] of [
      ['sort', 'oldest', ['order', 'asc']],
      ['sort', 'newest', ['order', 'desc']],
      ['sort', 'random', ['order', 'random']],
      ['after', 'c', ['cursor', 'c']],
      ['size', '20', ['limit', '20']],
      ['order', 'asc', undefined],
    ] as const)
      assert.deepEqual(pagingFromWire(name, value, paging), canonical);
  });

  it('has a total in a place of its own, if there is one', () => {
    const dialect = new Dialect({envelopes: {total: 'meta.total'}});
    const written = (answer: JsonFields) => dialect.answerToWire('payouts.list', answer);
    assert.deepEqual(written({data: [], total: 3, next_cursor: null}), {
      ...{data: [], meta: {total: 3}, next_cursor: null},
    });
    assert.deepEqual(written({data: [], next_cursor: null}), {data: [], next_cursor: null});
  });
});

describe('another name for a field within an object', () => {
  it('stays in that object, unless it is a path', () => {
    const named = (name: string, wire: string) => withField({}, name, wire).fields;
    assert.deepEqual(named('payouts.create.metadata.note', 'memo'), {
      'payouts.create': {'metadata.note': 'metadata.memo'},
    });
    assert.deepEqual(named('payouts.create.metadata.note', 'extra.memo'), {
      'payouts.create': {'metadata.note': 'extra.memo'},
    });
  });
});
