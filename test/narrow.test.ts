import assert from 'node:assert/strict';
import {byName, codeOf, isObject, keysOf, messageOf, must, ownJson} from '../src/narrow.ts';

describe('narrowing', () => {
  it('gives back what is there, and names what is missing', () => {
    assert.equal(must(0, 'count'), 0);
    assert.equal(must('', 'text'), '');
    assert.throws(() => must(undefined, 'row of the plan'), /internal error: there is no row of the plan/);
    assert.throws(() => must(null, 'row of the plan'), /there is no row of the plan/);
  });

  it('lists the names of a literal, and makes an object of names', () => {
    assert.deepEqual(keysOf({a: 1, b: 2}), ['a', 'b']);
    assert.deepEqual(
      byName(['a', 'b'] as const, (name) => name.toUpperCase()),
      {a: 'A', b: 'B'},
    );
  });

  it('reads the code and the message of anything that was thrown', () => {
    assert.equal(codeOf(Object.assign(new Error('no'), {code: 'ENOENT'})), 'ENOENT');
    for (const thrown of [undefined, null, 'ENOENT', {code: 20}, new Error('no')])
      assert.equal(codeOf(thrown), undefined);
    assert.equal(messageOf(new Error('no')), 'no');
    assert.equal(messageOf('no'), 'no');
  });

  it('tells an object from a list and from null', () => {
    assert.deepEqual([{}, {a: 1}, [], null, undefined, 'text', 1].map(isObject), [
      true,
      true,
      false,
      false,
      false,
      false,
      false,
    ]);
    assert.deepEqual(ownJson<number[]>('[1]'), [1]);
  });
});
