import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, it} from 'mocha';
import type * as z from 'zod';
import {LIMITS} from '../../../src/contract/limits.ts';
import {
  AmountMinor,
  CalendarDay,
  CurrencyCode,
  ErrorBody,
  Metadata,
  PageQuery,
  Uuid,
} from '../../../src/contract/schemas/fields.ts';

const accepts = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;
const metadataOf = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({length: count}, (_, index) => [`key${index}`, 'v']));

/** The limits of the interface document, counted in another way than the schema counts. */
function withinLimits(metadata: Record<string, string>): boolean {
  const length = (text: string): number => {
    let points = 0;
    for (let at = 0; at < text.length; at += text.codePointAt(at)! > 0xffff ? 2 : 1) points += 1;
    return points;
  };
  const entries = Object.entries(metadata);
  return (
    entries.length <= 50 &&
    entries.every(([key, value]) => key !== '' && length(key) <= 40 && length(value) <= 500) &&
    Buffer.byteLength(JSON.stringify(metadata), 'utf8') <= 16_384
  );
}

/** Metadata whose compact JSON has exactly `bytes` bytes: 33 keys are enough for 16 KB of the longest values. */
function metadataOfBytes(bytes: number): Record<string, string> {
  const metadata = Object.fromEntries(
    Array.from({length: 33}, (_, index) => [`k${String(index).padStart(2, '0')}`, '']),
  );
  let missing = bytes - JSON.stringify(metadata).length;
  for (const key of Object.keys(metadata)) {
    const part = Math.min(missing, 500);
    metadata[key] = 'x'.repeat(part);
    missing -= part;
  }
  assert.equal(missing, 0, 'the bytes do not fit into 33 values');
  return metadata;
}

describe('field schemas', () => {
  describe('metadata', () => {
    it('takes what the limits allow and not one more', () => {
      const {metadataKeys, metadataKeyLength, metadataValueLength, metadataBytes} = LIMITS;
      assert.deepEqual(
        [metadataKeys, metadataKeyLength, metadataValueLength, metadataBytes],
        [50, 40, 500, 16_384],
      );
      for (const [good, bad] of [
        [metadataOf(50), metadataOf(51)],
        [{['k'.repeat(40)]: 'v'}, {['k'.repeat(41)]: 'v'}],
        [{k: 'v'.repeat(500)}, {k: 'v'.repeat(501)}],
        [metadataOfBytes(16_384), metadataOfBytes(16_385)],
      ]) {
        assert.equal(accepts(Metadata, good), true);
        assert.equal(accepts(Metadata, bad), false);
      }
    });

    it('counts characters as code points, and the whole in bytes of UTF-8', () => {
      assert.equal(accepts(Metadata, {['😀'.repeat(40)]: '😀'.repeat(500)}), true);
      assert.equal(accepts(Metadata, {['😀'.repeat(41)]: 'v'}), false);
      assert.equal(accepts(Metadata, {k: '😀'.repeat(501)}), false);
      const nine = Object.fromEntries(Array.from({length: 9}, (_, index) => [`k${index}`, '😀'.repeat(500)]));
      assert.equal(accepts(Metadata, nine), false, '9 values of 500 characters are 18 kB');
    });

    it('refuses the key __proto__, which an object would lose', () => {
      const checked = Metadata.safeParse(JSON.parse('{"__proto__": "v", "k": "v"}'));
      assert.deepEqual(
        checked.error?.issues.map(({message}) => message),
        ['a metadata key cannot be __proto__'],
      );
    });

    it('agrees with another way of counting on any text', () => {
      const text = (maxLength: number) => fc.string({unit: 'grapheme', maxLength});
      const metadata = fc.oneof(
        fc.dictionary(text(45), text(40), {maxKeys: 60, noNullPrototype: true}),
        fc.dictionary(text(12), text(520), {maxKeys: 60, noNullPrototype: true, size: 'max'}),
      );
      fc.assert(
        fc.property(metadata, (value) => {
          fc.pre(!Object.hasOwn(value, '__proto__'));
          assert.equal(accepts(Metadata, value), withinLimits(value));
        }),
        {numRuns: 200},
      );
    });

    it('refuses an empty key and values that are no text', () => {
      for (const bad of [{'': 'v'}, {k: 1}, {k: null}, {k: true}, {k: {}}, {k: ['v']}, [], 'text', null])
        assert.equal(accepts(Metadata, bad), false, JSON.stringify(bad));
      assert.equal(accepts(Metadata, {}), true);
      assert.equal(accepts(Metadata, {k: ''}), true);
    });
  });

  it('take an amount as a positive whole number that JSON keeps exact', () => {
    for (const good of [1, 12_500, Number.MAX_SAFE_INTEGER]) assert.equal(accepts(AmountMinor, good), true);
    for (const bad of [0, -1, 0.5, Number.MAX_SAFE_INTEGER + 1, NaN, Infinity, '1', null, undefined, 1n])
      assert.equal(accepts(AmountMinor, bad), false, String(bad));
  });

  it('take a UUID of any version', () => {
    for (const good of ['5f0c6d3e-3b1a-4c2d-9e8f-0123456789ab', '019a9f3c-0000-7000-8000-000000000000'])
      assert.equal(accepts(Uuid, good), true, good);
    for (const bad of [
      '',
      '5f0c6d3e',
      '5f0c6d3e-3b1a-4c2d-9e8f-0123456789aZ',
      '5f0c6d3e3b1a4c2d9e8f0123456789ab',
    ])
      assert.equal(accepts(Uuid, bad), false, bad);
  });

  it('take a currency by its form', () => {
    assert.equal(accepts(CurrencyCode, 'USD'), true);
    for (const bad of ['usd', 'US', 'USDX', 'U5D', '']) assert.equal(accepts(CurrencyCode, bad), false, bad);
  });

  it('take a day that the calendar has', () => {
    for (const good of ['2026-01-31', '2028-02-29']) assert.equal(accepts(CalendarDay, good), true, good);
    for (const bad of ['2026-02-29', '2026-13-01', '2026-1-1', '2026-01-01T00:00:00Z', '01/02/2026', ''])
      assert.equal(accepts(CalendarDay, bad), false, bad);
  });

  it('take a page of 1 to 100 from the query string', () => {
    assert.deepEqual(PageQuery.parse({limit: '1'}), {limit: 1});
    assert.deepEqual(PageQuery.parse({limit: '100', order: 'asc', cursor: 'c'}), {
      limit: 100,
      order: 'asc',
      cursor: 'c',
    });
    for (const bad of [
      {limit: '0'},
      {limit: '101'},
      {limit: '1.5'},
      {limit: ''},
      {limit: '1e1'},
      {order: 'up'},
      {cursor: ''},
      {page: '1'},
    ])
      assert.equal(accepts(PageQuery, bad), false, JSON.stringify(bad));
  });

  it('read an error body and keep what else it says', () => {
    const body = {
      error_code: 'VALIDATION_ERROR',
      message: 'no',
      details: [{field: 'rail', issue: 'bad', hint: 'x'}],
      trace: 't',
    };
    assert.deepEqual(ErrorBody.parse(body), body);
    assert.equal(accepts(ErrorBody, {message: 'no'}), false);
  });
});
