import {crc32} from 'node:zlib';
import {ownJson} from '../../narrow.ts';
import type {Delivery, ForwardResult} from '../delivery/delivery.ts';

/**
 * One entry of the record: a length and a checksum of four bytes each (little endian), followed by that many bytes of
 * content: the length of its JSON (four bytes), the JSON, and a body of raw bytes. A truncated entry is detected by
 * its length, a damaged one by its checksum.
 */
export interface Frame {
  meta: EntryMeta;
  body: Uint8Array;
}

/** The JSON of an entry. */
type EntryMeta = ({kind: 'delivery'} & Omit<Delivery, 'body'>) | ({kind: 'forward'} & ForwardResult);

const HEAD_BYTES = 8;
/** Larger than any written frame; a greater length is invalid. */
const MOST_BYTES = 64 * 1_048_576;

/** Provides space for a frame of the given size. */
export type Room = (bytes: number) => Buffer;

/** @param json the entry without its body */
export function encodeFrame(
  json: string,
  body: Uint8Array,
  room: Room = (bytes) => Buffer.allocUnsafe(bytes),
): Buffer {
  const jsonBytes = Buffer.byteLength(json);
  const contentBytes = 4 + jsonBytes + body.length;
  const frame = room(HEAD_BYTES + contentBytes);
  frame.writeUInt32LE(contentBytes, 0);
  frame.writeUInt32LE(jsonBytes, HEAD_BYTES);
  frame.write(json, HEAD_BYTES + 4, jsonBytes === json.length ? 'latin1' : 'utf8'); // ASCII is written faster as latin1
  frame.set(body, HEAD_BYTES + 4 + jsonBytes);
  frame.writeUInt32LE(crc32(frame.subarray(HEAD_BYTES)), 4);
  return frame;
}

export interface DecodedFrames {
  frames: Frame[];
  /** Bytes up to the end of the last complete frame. */
  read: number;
  /** Complete frames with a wrong checksum: skipped. */
  damaged: number;
  /** The bytes at `read` cannot be the start of a frame: nothing after them can be read. */
  stuck: boolean;
}

/** The complete frames at the start of `bytes`, up to a maximum number. Bodies are views of it. */
export function decodeFrames(bytes: Buffer, most = Number.POSITIVE_INFINITY): DecodedFrames {
  const decoded: DecodedFrames = {frames: [], read: 0, damaged: 0, stuck: false};
  for (;;) {
    if (decoded.frames.length === most) return decoded;
    const at = decoded.read;
    if (bytes.length - at < HEAD_BYTES) return decoded;
    const contentBytes = bytes.readUInt32LE(at);
    if (contentBytes < 4 || contentBytes > MOST_BYTES) return {...decoded, stuck: true};
    const end = at + HEAD_BYTES + contentBytes;
    if (end > bytes.length) return decoded;
    const content = bytes.subarray(at + HEAD_BYTES, end);
    const frame = crc32(content) === bytes.readUInt32LE(at + 4) ? readContent(content) : undefined;
    if (frame === undefined) decoded.damaged += 1;
    else decoded.frames.push(frame);
    decoded.read = end;
  }
}

function readContent(content: Buffer): Frame | undefined {
  const jsonBytes = content.readUInt32LE(0);
  if (4 + jsonBytes > content.length) return undefined;
  try {
    const meta = ownJson<EntryMeta>(content.toString('utf8', 4, 4 + jsonBytes)); // its checksum is right
    return {meta, body: content.subarray(4 + jsonBytes)};
  } catch {
    return undefined;
  }
}
