import {checkOptions, mustBeNumber, mustBeObject} from '../../arguments.ts';
import {RemitError} from '../../errors.ts';

/** Deliveries of the service are below 1 KB. */
export const MAX_BODY_BYTES = 1_048_576;
const mustBeSize = mustBeNumber('a number of bytes', (bytes) => bytes >= 0);

/** The body is larger than allowed. Web frameworks that support `statusCode` answer 413. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
  readonly statusCode = 413;
}

const CLOSED_EARLY = 'the connection closed before the whole body had arrived';

/** The parts of a Node request that are used here. */
interface NodeRequest {
  readonly readableDidRead: boolean;
  /** Closed or aborted: no more events follow. */
  readonly destroyed?: boolean;
  on(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  removeListener(event: 'data', listener: (chunk: Uint8Array) => void): unknown;
  pause(): unknown;
}
/** The parts of a Fetch request that are used here. */
interface FetchRequest {
  readonly bodyUsed: boolean;
  readonly body: AsyncIterable<Uint8Array> | null;
}
/** A Node request (also from Express and similar), or a Fetch request. */
export type BodySource = NodeRequest | FetchRequest;

/**
 * The bytes of a request, exactly as they arrived. Call it before anything else reads the request, and only once.
 * @throws {BodyTooLargeError} beyond `maxBytes` (default 1 MiB); the rest is not read, and an answer can still be
 *   sent
 * @throws {RemitError} LOCAL_VALIDATION if a parser has already read the request; USAGE for an argument of the wrong type
 */
export async function readRawBody(
  source: BodySource,
  options: {maxBytes?: number} = {},
): Promise<Uint8Array> {
  const given: unknown = source;
  mustBeObject(given, 'the request');
  checkOptions(options, {maxBytes: mustBeSize}, 'the options of readRawBody');
  const {maxBytes = MAX_BODY_BYTES} = options;
  if ('readableDidRead' in source ? source.readableDidRead : source.bodyUsed)
    throw new RemitError('LOCAL_VALIDATION', 'the request body was read before: its raw bytes are gone', {
      hint: 'call readRawBody before any body parser, for this route',
    });
  const chunks: Uint8Array[] = [];
  let size = 0;
  const add = (chunk: Uint8Array): Error | undefined => {
    size += chunk.length;
    if (size > maxBytes) return new BodyTooLargeError(`the body is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
    return undefined;
  };
  if ('readableDidRead' in source) await readNode(source, add);
  else
    for await (const chunk of source.body ?? []) {
      const refusal = add(chunk);
      if (refusal !== undefined) throw refusal;
    }
  return Buffer.concat(chunks, size);
}

/** Reads without the stream's iterator: ending it early destroys the socket, and the sender would get no 413. */
function readNode(request: NodeRequest, add: (chunk: Uint8Array) => Error | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (request.destroyed === true) return reject(new Error(CLOSED_EARLY)); // its events are over
    const onData = (chunk: Uint8Array) => {
      const refusal = add(chunk);
      if (refusal === undefined) return;
      request.removeListener('data', onData);
      request.pause();
      reject(refusal);
    };
    request.on('data', onData);
    request.on('end', () => resolve());
    request.on('error', reject);
    request.on('close', () => reject(new Error(CLOSED_EARLY)));
  });
}
