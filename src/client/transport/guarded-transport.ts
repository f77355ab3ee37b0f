import type {Transport, TransportAnswer, TransportRequest} from './transport.ts';

/** A request that cannot change anything. Every other one is a write, whatever its operation is called. */
export const isRead = ({method, body}: Pick<TransportRequest, 'method' | 'body'>): boolean =>
  method === 'GET' && body === undefined;

/**
 * The one place where writes are permitted: what is sent, after a service file has mapped it, is checked here and not
 * where it was asked for.
 */
export class GuardedTransport implements Transport {
  readonly #inner: Transport;
  readonly #permit: (write: TransportRequest) => void;

  /** @param permit throws a RemitError for a write that must not be sent; reads are not passed to it */
  constructor(inner: Transport, permit: (write: TransportRequest) => void) {
    this.#inner = inner;
    this.#permit = permit;
  }

  /** @throws {RemitError} what `permit` throws; nothing was sent */
  async send(request: TransportRequest): Promise<TransportAnswer> {
    if (!isRead(request)) this.#permit(request);
    return this.#inner.send(request);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}
