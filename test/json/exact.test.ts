import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, it} from 'mocha';
import {exactJson, readJsonExactly} from '../../src/json/exact.ts';
import {hasLongNumber, isExact} from '../../src/json/losses.ts';
import {ExactNumber, isList} from '../../src/narrow.ts';

const LOST = ['9007199254740993', '-9007199254740993', '1e400', '12500.0000000000000001', '9007199254740992'];

/** What JSON.parse would have returned. */
function rounded(value: unknown): unknown {
  if (value instanceof ExactNumber) return Number(value.text);
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== 'object' || value === null) return value;
  const copy = {};
  for (const [name, inner] of Object.entries(value))
    Object.defineProperty(copy, name, {
      ...{value: rounded(inner), enumerable: true, configurable: true, writable: true},
    });
  return copy;
}

describe('JSON with numbers that a double does not hold', () => {
  it('keeps their digits, and reads all other values as JSON.parse does', () => {
    for (const literal of LOST) {
      const text = `{"a":[1.50,{"b":${literal}}],"c":12500}`;
      const read = readJsonExactly(text);
      assert.deepEqual(read, {a: [1.5, {b: new ExactNumber(literal)}], c: 12500}, literal);
      assert.equal(exactJson(read), `{"a":[1.5,{"b":${literal}}],"c":12500}`);
      assert.equal(
        exactJson(read, 2),
        JSON.stringify(JSON.parse(text), null, 2).replace(/"b": .*/, `"b": ${literal}`),
      );
    }
    for (const plain of ['0.1', '1e3', '1.0e-3', '9007199254740991', '-0', '1234567890.12345'])
      assert.equal(typeof readJsonExactly(plain), 'number', plain);
  });

  it('is read as JSON.parse reads it otherwise: random values, duplicate and special names, any spacing', () => {
    const literal = fc.oneof(
      ...[fc.constantFrom(...LOST), fc.double().filter(Number.isFinite).map(String)],
      fc.stringMatching(/^(0|[1-9]\d{0,40})(\.\d{1,30})?(e[+-]?\d{1,3})?$/),
    );
    const name = fc.constantFrom('a', 'b', '__proto__', 'toString', '\\u0061', 'é"'.replace('"', '\\"'));
    const {json} = fc.letrec<{json: string}>((tie) => ({
      json: fc.oneof(
        {maxDepth: 4, withCrossShrink: true},
        literal,
        fc.string({unit: 'binary'}).map((text) => JSON.stringify(text)),
        fc.constantFrom('true', 'false', 'null', '""', '"9007199254740993"', '"\\\\"'),
        fc.array(tie('json'), {maxLength: 4}).map((items) => `[${items.join(' ,\n')}]`),
        fc
          .array(fc.tuple(name, tie('json')), {maxLength: 4})
          .map((fields) => `{${fields.map(([key, value]) => `"${key}" :\t${value}`).join(',')}}`),
      ),
    }));
    fc.assert(
      fc.property(json, (text) => {
        const read = readJsonExactly(text);
        assert.deepStrictEqual(rounded(read), JSON.parse(text) as unknown);
        assert.deepEqual(JSON.stringify(read), JSON.stringify(JSON.parse(text))); // the order of names too
      }),
      {numRuns: 2000},
    );
  });

  it('that is nested too deeply for the exact parser is read as JSON.parse does', () => {
    const text = `${'['.repeat(50_000)}9007199254740993${']'.repeat(50_000)}`;
    let inner = readJsonExactly(text);
    while (isList(inner)) inner = inner[0] ?? null;
    assert.equal(inner, 9007199254740992);
  });

  it('that is broken is refused as by JSON.parse', () => {
    for (const text of ['', '{', '[9007199254740993', '01', '{"a":1,}'])
      assert.throws(() => readJsonExactly(text), SyntaxError, text);
  });

  it('is found by the scan whenever a number in it is not exact', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^-?(0|[1-9]\d{0,25})(\.\d{1,25})?([eE][+-]?\d{1,3})?$/), (literal) => {
        if (!isExact(literal)) assert.ok(hasLongNumber(`{"a\\\\":${literal}}`), literal);
      }),
      {numRuns: 3000},
    );
    const ids =
      '{"id":"0192c1de-5e81-7a3b-9c11-123456789012345678","n":[1,2.5,-3],"t":"a\\"1e5, 9007199254740993"}';
    assert.equal(hasLongNumber(ids), false);
  });

  it('is exact for BigInt() and String(), and the closest double for JSON.stringify', () => {
    const number = new ExactNumber('9007199254740993');
    assert.equal(Number(number), 9007199254740992);
    assert.equal(BigInt(number as unknown as number), 9007199254740993n);
    assert.equal(String(number), '9007199254740993');
    assert.equal(Number(new ExactNumber('1e400')), Infinity);
    assert.equal(JSON.stringify({number}), '{"number":9007199254740992}');
  });
});
