import assert from 'node:assert/strict';
import {FieldCheck} from '../../src/output/field-check.ts';
import {DEFAULT_SETTINGS} from '../../src/output/formats.ts';

describe('the check of --fields', () => {
  const check = (fields: string[], pieces: readonly (readonly object[])[]) => {
    const read: number[] = [];
    function* reading() {
      for (const [at, piece] of pieces.entries()) {
        read.push(at);
        yield piece;
      }
    }
    const settings = {...DEFAULT_SETTINGS, fields};
    const known = {paths: ['id'], onUnknown: 'refuse' as const};
    new FieldCheck(settings, known, () => assert.fail()).ofPieces(reading(), undefined);
    return read;
  };

  it('accepts a name that only a record far down the list has', () => {
    assert.deepEqual(check(['id', 'b'], [[{a: 1}], [{a: 1}], [{b: 1}], [{c: 1}]]), [0, 1, 2]);
    assert.deepEqual(check(['b', 'a'], [[{a: 1}], [{b: 1}]]), [0, 1]);
  });

  it('reads no more than it needs', () => {
    assert.deepEqual(check(['id'], [[{a: 1}], [{b: 1}]]), [0]);
  });

  it('refuses a name that no record has, and names the fields of the first one', () => {
    assert.throws(() => check(['x'], [[{a: 1}], [{b: 1}]]), {
      message: /"x", which is not a field/,
      hint: /It has a, id/,
    });
  });
});
