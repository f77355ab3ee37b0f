import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {keyLines} from '../../../src/service/file/lines.ts';

describe('the lines of keys in a JSON text', () => {
  it('are those of the last key of a path that exists', () => {
    const text = '{\n"a": {\n"b": [\n{"c": 1},\n{"c": 2, "d": {"e": 3}}\n]},\n"f": 4\n}';
    const lines = keyLines(text);
    assert.equal(lines.repeated, undefined, 'elements of a list may have the same keys');
    for (const [path, line] of [
      [[], 1],
      [['x'], 1],
      [['a'], 2],
      [['a', 'x', 'b'], 2],
      [['a', 'b'], 3],
      [['a', 'b', 'c'], 5],
      [['a', 'b', 'd', 'e', 'x'], 5],
      [['f'], 7],
    ] as const)
      assert.equal(lines.lineOf(path), line, path.join('.'));
  });

  it('show the first duplicate key with its path', () => {
    const lines = keyLines('{"a": {"b": 1,\n"c": {},\n"b": 2},\n"a": 3}');
    assert.deepEqual(lines.repeated, {path: ['a', 'b'], line: 3});
    assert.equal(lines.lineOf(['a']), 4);
    assert.equal(
      keyLines('{"a": {"x": 1}, "b": {"x": 1}, "c": [{"x": 1}], "__proto__": {}}').repeated,
      undefined,
    );
  });

  it('are found in a time that grows with the text, however long the keys are', () => {
    const many = Array.from({length: 40_000}, (_, n) => `"k${n}": 1`).join(',\n');
    const lines = keyLines(`{"${'a'.repeat(80_000)}": {${many}}}`);
    assert.equal(lines.lineOf(['a'.repeat(80_000), 'k39999']), 40_000);
  }).timeout(20_000);
});
