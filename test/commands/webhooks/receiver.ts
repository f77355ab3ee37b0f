import {once} from 'node:events';
import {createServer, type IncomingMessage, type ServerResponse} from 'node:http';
import {createServer as createTlsServer} from 'node:https';
import type {AddressInfo} from 'node:net';

/** A request with its whole body. */
export interface Received {
  request: IncomingMessage;
  body: Buffer;
}

interface ServerTls {
  cert: string;
  key: string;
}

/** A server on this machine that receives webhooks and keeps them. */
export class Receiver {
  readonly got: Received[] = [];
  /** Answers a request, which is the last one of `got`. */
  answer: (response: ServerResponse, received: Received) => void;
  readonly #server: ReturnType<typeof createServer | typeof createTlsServer>;
  readonly #scheme: 'http' | 'https';

  private constructor(answer: Receiver['answer'], tls: ServerTls | undefined) {
    this.answer = answer;
    this.#scheme = tls === undefined ? 'http' : 'https';
    this.#server = tls === undefined ? createServer(this.#receive) : createTlsServer(tls, this.#receive);
  }

  readonly #receive = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const received = {request, body: Buffer.concat(chunks)};
      this.got.push(received);
      this.answer(response, received);
    });
  };

  static async open(
    answer: Receiver['answer'] = (response) => response.end(),
    tls?: ServerTls,
  ): Promise<Receiver> {
    const receiver = new Receiver(answer, tls);
    await once(receiver.#server.listen(0, '127.0.0.1'), 'listening');
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${this.port}/hook`;
  }

  /** From now on answers every request alike. */
  answerWith(status: number, text = `answered ${status}`): void {
    this.answer = (response) => response.writeHead(status).end(text);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
