import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, it} from 'mocha';
import {anyCharacter} from '../sanitize/any-character.ts';
import {cleanLine, strippedLines} from '../../src/sanitize/harmful.ts';
import {safeJson} from '../../src/sanitize/sanitizer.ts';
import {makeOutput} from './make-output.ts';

const HOSTILE = 'a\u001b[2Jb\u0007c\u202ed\u2066e\u200ff\u009bg\u007fh';

/** Anything on which a terminal acts. */
const ACTIVE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

describe('text of the service', () => {
  it('loses what a terminal would act on', () => {
    assert.equal(strippedLines(HOSTILE), 'a[2Jbcdefgh');
    assert.equal(cleanLine('one\ntwo\tthree '), 'one two three');
  });

  it('never acts on a terminal, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({unit: anyCharacter, maxLength: 200}), (text) => {
        assert.doesNotMatch(strippedLines(text), ACTIVE);
        assert.doesNotMatch(safeJson({[text]: text}), ACTIVE);
      }),
    );
  });

  it('stays the same value in JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({unit: anyCharacter}), (value, text) => {
        // -0 is the one value that JSON itself does not keep.
        const expected: unknown = JSON.parse(JSON.stringify({value, text}));
        assert.deepEqual(JSON.parse(safeJson({value, text})), expected);
      }),
    );
  });

  it('is clean in every format and every message', async () => {
    for (const format of ['table', 'json', 'ndjson', 'csv', 'yaml', 'id'] as const) {
      const {out, stdout, stderr} = makeOutput({format, colour: 'never'}, {columns: 80});
      await out.list([{id: HOSTILE, [HOSTILE]: {[HOSTILE]: HOSTILE}}]);
      out.record({id: HOSTILE, nested: {[HOSTILE]: HOSTILE}});
      out.warn(HOSTILE);
      out.note(HOSTILE);
      assert.doesNotMatch(stdout.text, ACTIVE, format);
      assert.doesNotMatch(stderr.text, ACTIVE, format);
    }
  });
});
