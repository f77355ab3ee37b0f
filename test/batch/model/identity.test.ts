import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import fc from 'fast-check';
import {anyCharacter} from '../../sanitize/any-character.ts';
import {
  checkReference,
  deriveBatchId,
  fingerprintOf,
  fingerprintOfValues,
  foldReference,
  idempotencyKey,
  isBatchId,
  isNamespace,
  normaliseReference,
  referenceOfContent,
  type ReferenceProblem,
} from '../../../src/batch/model/identity.ts';
import {strippedLine} from '../../../src/sanitize/harmful.ts';
import {FIELD_NAMES, ROW_FIELDS, type RowContent} from '../../../src/batch/model/row-fields.ts';
import {readText} from '../../repo/tree.ts';

type Identity = Parameters<typeof idempotencyKey>[0];

const identity = fc.record({
  kind: fc.constantFrom('payout' as const, 'payin' as const),
  mode: fc.constantFrom('test' as const, 'live' as const),
  namespace: fc.stringMatching(/^[a-z0-9-]{1,64}$/),
  reference: fc.string({minLength: 1, maxLength: 128, unit: anyCharacter}).map(normaliseReference),
  generation: fc.nat(9),
});

/** Rows of a table in the format page whose first cell is a JSON array: the array, and the second cell. */
function vectors(): {input: unknown[]; output: string}[] {
  const page = readText('docs/internals/batch-format.md');
  return [...page.matchAll(/^\| `(\[.*\])` \| `([^`]+)` \|$/gm)].map(([, input, output]) => ({
    input: JSON.parse(input!) as unknown[],
    output: output!,
  }));
}

describe('the idempotency key of a row', () => {
  const published = vectors().filter(({input}) => input.length === 6);

  it('is published with vectors', () => assert.ok(published.length >= 6, 'docs/internals/batch-format.md'));

  for (const {input, output} of published) {
    it(`of ${JSON.stringify(input)} is ${output}`, () => {
      const [version, kind, mode, namespace, reference, generation] = input;
      assert.equal(version, 1);
      assert.equal(idempotencyKey({kind, mode, namespace, reference, generation} as Identity), output);
    });
  }

  it('is 43 characters of base64url, the same for the same identity', () => {
    fc.assert(
      fc.property(identity, (one) => {
        assert.match(idempotencyKey(one), /^[A-Za-z0-9_-]{43}$/);
        assert.equal(idempotencyKey({...one}), idempotencyKey(one));
      }),
    );
  });

  it('is the SHA-256 of the JSON of its identity', () => {
    fc.assert(
      fc.property(identity, (one) => {
        const text = JSON.stringify([1, one.kind, one.mode, one.namespace, one.reference, one.generation]);
        assert.equal(idempotencyKey(one), createHash('sha256').update(text).digest('base64url'));
      }),
    );
  });

  it('differs as soon as one part of the identity does', () => {
    const parts = ['kind', 'mode', 'namespace', 'reference', 'generation'] as const;
    fc.assert(
      fc.property(identity, identity, fc.constantFrom(...parts), (one, other, part) => {
        fc.pre(one[part] !== other[part]);
        assert.notEqual(idempotencyKey({...one, [part]: other[part]}), idempotencyKey(one));
      }),
    );
  });

  it('does not depend on anything else in a row', () => {
    const row = {kind: 'payout', mode: 'test', namespace: 'default', reference: 'A', generation: 0} as const;
    const more = {...row, n: 7, line: 8, amount: 100, batchId: 'b', fingerprint: 'f'};
    assert.equal(idempotencyKey(more), idempotencyKey(row));
  });

  it('cannot be made equal by moving text from one part to the next', () => {
    const row = {kind: 'payout', mode: 'test', generation: 0} as const;
    assert.notEqual(
      idempotencyKey({...row, namespace: 'a', reference: 'b","c'}),
      idempotencyKey({...row, namespace: 'a","b', reference: 'c'}),
    );
  });
});

describe('a reference', () => {
  it('is the same however its accents are composed and with any surrounding spaces', () => {
    assert.equal(normaliseReference('\u00a0 Zu\u0308rich 7\t'), 'Z\u00fcrich 7');
    fc.assert(
      fc.property(fc.string({unit: anyCharacter}), (text) => {
        const once = normaliseReference(text);
        assert.equal(normaliseReference(once), once);
        assert.equal(normaliseReference(text.normalize('NFD')), once);
      }),
    );
  });

  const wrong: [string, ReferenceProblem['code'], string][] = [
    ['', 'missing', 'nothing'],
    ['x'.repeat(129), 'too-long', '129 characters'],
    ['a\u0000b', 'not-printable', 'a NUL'],
    ['a\tb', 'not-printable', 'a tab'],
    ['a\nb', 'not-printable', 'a line end'],
    ['a\u200bb', 'not-printable', 'a zero-width space'],
    ['a\u202eb', 'not-printable', 'a direction mark'],
    ['a\u2028b', 'not-printable', 'a line separator'],
    ['a\ufeffb', 'not-printable', 'a byte order mark'],
    ['a\ud800', 'not-printable', 'half a surrogate pair'],
    ['INV-7\ufe0f', 'not-printable', 'a variation selector'],
    ['INV-7\u034f', 'not-printable', 'a grapheme joiner'],
    ['INV-7\u3164', 'not-printable', 'a Hangul filler'],
    ['INV-7\uffa0', 'not-printable', 'a halfwidth Hangul filler'],
    ['INV-7\u115f', 'not-printable', 'a Hangul initial filler'],
    ['INV-7\u1160', 'not-printable', 'a Hangul medial filler'],
    ['INV-7\u2800', 'not-printable', 'a blank Braille pattern'],
    ['=1+1', 'formula', 'an equals sign'],
    ['+49', 'formula', 'a plus'],
    ['-7', 'formula', 'a minus'],
    ['@x', 'formula', 'an at sign'],
    ['1.91431E+18', 'excel-damaged', 'scientific notation'],
    ['1,91431E+18', 'excel-damaged', 'scientific notation with a comma'],
    ['2e+15', 'excel-damaged', 'scientific notation without decimals'],
    ['1914310000000000', 'excel-damaged', 'sixteen digits of which the last is lost'],
    ['1234567890123450000', 'excel-damaged', 'nineteen digits cut to fifteen'],
  ];
  for (const [text, code, what] of wrong) {
    it(`is refused with ${what}`, () => assert.equal(checkReference(text)?.code, code));
  }

  it('is refused by what the output strips, naming the character', () => {
    for (const text of ['INV-7\u{e0100}', 'INV\u00ad-7', 'INV-7\ufe0f']) {
      assert.notEqual(strippedLine(text), text);
      assert.equal(checkReference(text)?.code, 'not-printable');
    }
    assert.equal(
      checkReference('INV-7\ufe0f')?.message,
      'the reference contains the character U+FE0F, which cannot be seen',
    );
    fc.assert(
      fc.property(fc.string({unit: anyCharacter}), (text) => {
        const reference = normaliseReference(text);
        if (checkReference(reference) === undefined) assert.equal(strippedLine(reference), reference);
      }),
    );
  });

  it('keeps its key, even one that is refused now', () => {
    const key = idempotencyKey({
      ...{kind: 'payout', mode: 'test', namespace: 'default'},
      ...{reference: 'INV-7\ufe0f', generation: 0},
    });
    assert.equal(key, 'OUK34wGnon_6LKgXtjky4zoQtYtoMzmH8LOkA6WPuyA');
  });

  const right = [
    'A',
    'x'.repeat(128),
    '\u{1f4b6}'.repeat(128), // counted as people count, not as UTF-16 does
    'INV 2026/11 (b) #7',
    'Rechnung-Größe',
    '2026-11-01',
    '123456789012345',
    '1234567890123456',
    '123456789012345012', // digits after the fifteenth: no spreadsheet had it
    '1E5',
    'E+5',
    '000123',
    'a\'b"c,d;e',
  ];
  for (const text of right) {
    it(`may be ${text.length > 40 ? `${text.length} units long` : text}`, () =>
      assert.equal(checkReference(text), undefined));
  }

  it('ignores case and all kinds of spaces, and nothing else', () => {
    assert.equal(foldReference('Inv 7\u00a0A'), 'inv7a');
    assert.equal(foldReference('INV-7A'), 'inv-7a');
    assert.notEqual(foldReference('inv-7'), foldReference('inv7'));
  });
});

describe('the fingerprint of a row', () => {
  const text = fc.string({maxLength: 3});
  const values = {'text not null': text, 'integer not null': fc.nat(), text: fc.option(text)};
  const content = fc.record(
    Object.fromEntries(ROW_FIELDS.map(({name, sql}) => [name, values[sql]])),
  ) as unknown as fc.Arbitrary<RowContent>;

  for (const {input, output} of vectors().filter((vector) => vector.input.length >= 8)) {
    it(`of ${JSON.stringify(input)} is ${output}`, () => {
      const values = FIELD_NAMES.map((name, at) =>
        name === 'amount' ? Number(input[at]) : (input[at] ?? null),
      );
      const row = Object.fromEntries(FIELD_NAMES.map((name, at) => [name, values[at]]));
      assert.equal(fingerprintOf(row as unknown as RowContent), output);
    });
  }

  it('is the same without a later field as with that field and no value', () => {
    const first = ['018f', 1, 'USD', null, null, null, null, null];
    assert.equal(fingerprintOfValues([...first, null, null]), fingerprintOfValues(first));
    const all = [first, [...first, 'x'], [...first, null, 'x'], [...first, 'x', 'x'], first.slice(0, 7)];
    assert.equal(new Set(all.map(fingerprintOfValues)).size, all.length);
  });

  it('is equal exactly when the content is', () => {
    fc.assert(
      fc.property(content, content, fc.constantFrom(...FIELD_NAMES), (one, other, name) => {
        assert.equal(fingerprintOf({...one}), fingerprintOf(one));
        fc.pre(one[name] !== other[name]);
        assert.notEqual(fingerprintOf({...one, [name]: other[name]}), fingerprintOf(one));
      }),
    );
  });

  it('names the rows of a file without references, together with the occurrence', () => {
    assert.equal(referenceOfContent('abc', 2), 'content:abc:2');
    assert.equal(checkReference(referenceOfContent('abc', 2)), undefined);
  });
});

describe('the id of a batch', () => {
  const hash = '1f0c9a3b55aa';

  for (const [name, id] of [
    ['payouts-2026-11.csv', 'payouts-2026-11-1f0c9a3b'],
    ['Löhne März.csv', 'Lo-hne-Ma-rz-1f0c9a3b'],
    ['.csv', 'batch-1f0c9a3b'],
    ['支払い.csv', 'batch-1f0c9a3b'],
    ['--x--.csv', 'x-1f0c9a3b'],
    ['stdin', 'stdin-1f0c9a3b'],
  ] as const) {
    it(`of ${name} is ${id}`, () => assert.equal(deriveBatchId(name, hash), id));
  }

  it('is always one that can be typed, whatever the file is called', () => {
    fc.assert(
      fc.property(fc.string({maxLength: 300, unit: anyCharacter}), (name) => {
        const id = deriveBatchId(name, hash);
        assert.ok(isBatchId(id), id);
      }),
    );
  });

  for (const id of ['', '.', '..', '-a', '.a', 'a/b', 'a\\b', 'a b', 'a\0', 'x'.repeat(65), 'a.lock']) {
    it(`is refused as ${JSON.stringify(id.slice(0, 10))}`, () => assert.ok(!isBatchId(id)));
  }

  it('may contain letters, digits, dots, dashes and underscores', () =>
    assert.ok(isBatchId('November_2026.v2-a')));
});

describe('a namespace', () => {
  for (const [text, fits] of [
    ['default', true],
    ['payroll-2026', true],
    ['x'.repeat(64), true],
    ['x'.repeat(65), false],
    ['', false],
    ['Payroll', false],
    ['a_b', false],
    ['a b', false],
  ] as const) {
    it(`${fits ? 'may' : 'may not'} be ${JSON.stringify(text.slice(0, 16))}`, () =>
      assert.equal(isNamespace(text), fits));
  }
});
