import {
  TransportFailure,
  type FailureKind,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
} from '../../../src/client/transport/transport.ts';

export type Reply = TransportAnswer | TransportFailure;
export type Script = (request: TransportRequest, nth: number) => Reply | Promise<Reply>;

/** A transport that answers from a script and keeps what it was sent. Needs no socket. */
export class FakeTransport implements Transport {
  readonly requests: TransportRequest[] = [];
  closed = false;
  readonly #script: Script;

  /** @param script one reply per request in order, the last one for all that follow; or a function */
  constructor(script: readonly Reply[] | Script) {
    this.#script =
      typeof script === 'function' ? script : (_, nth) => script[Math.min(nth, script.length - 1)]!;
  }

  async send(request: TransportRequest): Promise<TransportAnswer> {
    if (request.signal?.aborted) throw lost('aborted', {sent: false});
    this.requests.push(request);
    const reply = await this.#script(request, this.requests.length - 1);
    if (reply instanceof TransportFailure) throw reply;
    return reply;
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}

/** An answer; anything but text becomes JSON, undefined no body at all. */
export function answer(
  status: number,
  body?: unknown,
  headers: Record<string, string> = {},
): TransportAnswer {
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  return {status, headers, body: Buffer.from(text)};
}

/** No answer; the request is taken to have left unless `sent` is false. */
export function lost(
  kind: FailureKind = 'reset',
  facts: {sent?: boolean; status?: number; cause?: unknown} = {},
): TransportFailure {
  return new TransportFailure(kind, `it was a ${kind}`, {sent: true, ...facts});
}
