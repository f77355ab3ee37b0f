import type * as zlibModule from 'node:zlib';
import {codeOf} from '../../narrow.ts';
import type {TransportAnswer} from './transport.ts';

type Zlib = typeof zlibModule;
type Decoder = (zlib: Zlib, body: Buffer, maxOutputLength: number) => Buffer;

const gunzip: Decoder = (zlib, body, maxOutputLength) => zlib.gunzipSync(body, {maxOutputLength});

/** Content codings of RFC 9110, 8.4.1; in practice `deflate` is sent in two formats. */
const DECODERS = new Map<string, Decoder>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['br', (zlib, body, maxOutputLength) => zlib.brotliDecompressSync(body, {maxOutputLength})],
  [
    'deflate',
    (zlib, body, maxOutputLength) => {
      const hasHeader = (body.readUInt8(0) & 0x0f) === 8;
      return hasHeader
        ? zlib.inflateSync(body, {maxOutputLength})
        : zlib.inflateRawSync(body, {maxOutputLength});
    },
  ],
]);

/** More than one coding is rare; a long list is an attack. */
const MOST_CODINGS = 3;

/**
 * The answer with its body decoded. A body that cannot be decoded, or that would exceed the limit, stays as received,
 * with the reason; its status is still known.
 */
export function decoded(answer: TransportAnswer, maxBytes: number): TransportAnswer {
  const coding = answer.headers['content-encoding'];
  if (coding === undefined || answer.body.length === 0) return answer;
  const codings = coding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  const shown = codings
    .join(', ')
    .replace(/[^\w, -]/g, '?')
    .slice(0, 40);
  const decoders = codings.flatMap((name) => DECODERS.get(name) ?? []).reverse();
  if (decoders.length !== codings.length || decoders.length > MOST_CODINGS)
    return {...answer, undecoded: `a body in the unsupported encoding ${shown}`};
  try {
    const zlib = process.getBuiltinModule('node:zlib'); // few services compress without being asked to
    const body = decoders.reduce((bytes, decode) => decode(zlib, bytes, maxBytes), answer.body);
    return {...answer, body};
  } catch (error) {
    const isTooLarge = codeOf(error) === 'ERR_BUFFER_TOO_LARGE';
    const why = isTooLarge ? `that decodes to more than ${maxBytes} bytes` : 'that cannot be decoded';
    return {...answer, undecoded: `a ${shown} body ${why}`};
  }
}
