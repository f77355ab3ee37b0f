import assert from 'node:assert/strict';
import fc from 'fast-check';
import {ChunkedBody} from '../../../src/webhooks/http/chunked-body.ts';

/** Decodes pieces of a chunked body; what is left behind it. */
function decode(pieces: readonly Buffer[]) {
  const decoder = new ChunkedBody();
  const body: Buffer[] = [];
  const rest: Buffer[] = [];
  for (const piece of pieces) {
    const used = decoder.read(piece, (part) => {
      body.push(Buffer.from(part));
      return true;
    });
    if (!decoder.isBad) rest.push(piece.subarray(used));
  }
  const {isDone, isBad} = decoder;
  return {body: Buffer.concat(body).toString('latin1'), rest: Buffer.concat(rest).toString(), isDone, isBad};
}

/** The bytes in pieces that end at these places. */
const cut = (bytes: Buffer, places: readonly number[]): Buffer[] => {
  const ends = [...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
};

describe('a chunked body', () => {
  it('is the same however it is cut into chunks and packets', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({minLength: 1, maxLength: 40})),
        fc.constantFrom('', ';a=b', ' ;name="v"'),
        fc.constantFrom('', 'X-Trailer: 1\r\n'),
        fc.array(fc.nat({max: 2000}), {maxLength: 6}),
        (chunks, extension, trailer, places) => {
          const parts = chunks.map((chunk) =>
            Buffer.concat([
              Buffer.from(`${chunk.length.toString(16)}${extension}\r\n`),
              chunk,
              Buffer.from('\r\n'),
            ]),
          );
          const bytes = Buffer.concat([...parts, Buffer.from(`0\r\n${trailer}\r\nPOST`)]);
          assert.deepEqual(decode(cut(bytes, places)), {
            body: Buffer.concat(chunks).toString('latin1'),
            rest: 'POST',
            isDone: true,
            isBad: false,
          });
        },
      ),
    );
  });

  it('is invalid if it violates the grammar', () => {
    for (const text of [
      'zz\r\n',
      '\r\n',
      '-1\r\n',
      '0x1\r\n',
      '1 1\r\n',
      '123456789\r\n',
      '1\na\r\n0\r\n\r\n',
      '1\r\nab\r\n',
      '1\r\na\n0\r\n\r\n',
      '0\r\nX: 1\n\r\n',
      `1;${'x'.repeat(5000)}`,
      `0\r\n${'X: 1\r\n'.repeat(2000)}`,
    ])
      for (const pieces of [[Buffer.from(text)], Array.from(text, (one) => Buffer.from(one))]) {
        const {isBad, isDone} = decode(pieces);
        assert.deepEqual([isBad, isDone], [true, false], JSON.stringify(text.slice(0, 40)));
      }
  });

  it('stops when the reader wants no more', () => {
    const decoder = new ChunkedBody();
    assert.equal(
      decoder.read(Buffer.from('2\r\nab\r\n2\r\ncd\r\n'), () => false),
      5,
    );
  });
});
