import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type {AddressInfo, Socket} from 'node:net';
import {RemitError} from '../../errors.ts';
import {BodyBudget} from './body-budget.ts';
import {IdleSockets} from './idle-sockets.ts';

/** A request on the path, with all of its bytes. */
export interface ReceivedRequest {
  path: string;
  rawHeaders: readonly string[];
  body: Buffer;
  /** True when the body was larger than allowed: `body` is empty then. */
  cut: boolean;
}

export interface Answer {
  status: number;
  /** Done once the answer is on its way: what a sender must not wait for. */
  after?: () => void;
}

export interface ReceiverOptions {
  host: string;
  port: number;
  path: string;
  tls?: {certificate: string; key: string} | undefined;
  maxBodyBytes: number;
  /** Calls `reply` once, now or later. */
  receive: (request: ReceivedRequest, reply: (answer: Answer) => void) => void;
  onBug: (error: unknown) => void;
  /** Shorter in tests. */
  limits?: Partial<typeof LIMITS> | undefined;
}

/** A client must have sent its headers, and its whole request, within these times. */
const LIMITS = {
  headersTimeout: 5000,
  requestTimeout: 10_000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 1000,
};
/** Bodies that are under way, of all clients together: this much, or a few of the largest that are allowed. */
const BUFFERED_BYTES = 8 * 1_048_576;
const LARGEST_AT_ONCE = 4;
/** Beyond this the connection that has been idle longest is closed for a new one. */
const MOST_CONNECTIONS = 1024;

/** The listener's HTTP server: takes POST on one path, whole bodies only, and bounds what clients can hold. */
export class Receiver {
  readonly #options: ReceiverOptions;
  readonly #server: Server;
  readonly #budget: BodyBudget;
  /** Answers of this turn of the event loop, in order. */
  readonly #ready: {response: ServerResponse; answer: Answer}[] = [];

  private constructor(options: ReceiverOptions, server: Server) {
    this.#options = options;
    this.#server = server;
    this.#budget = new BodyBudget(Math.max(BUFFERED_BYTES, LARGEST_AT_ONCE * options.maxBodyBytes));
  }

  /** @throws {RemitError} PORT_IN_USE, STATE */
  static async open(options: ReceiverOptions): Promise<Receiver> {
    const limits = {...LIMITS, ...options.limits};
    const {tls} = options;
    const server =
      tls === undefined
        ? createHttpServer(limits)
        : ((await import('node:https')).createServer({
            ...limits,
            cert: tls.certificate,
            key: tls.key,
          }) as Server);
    const receiver = new Receiver(options, server);
    const sockets = new IdleSockets(MOST_CONNECTIONS);
    server.on('connection', (socket: Socket) => sockets.add(socket));
    server.on('request', (request, response) => receiver.#handle(request, response));
    await listen(server, options);
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Takes no new connection, and resolves when the answers under way are sent. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    const cut = setTimeout(() => this.#server.closeAllConnections(), LIMITS.keepAliveTimeout);
    await closed;
    clearTimeout(cut);
  }

  /** Closes every connection at once. */
  kill(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const {method = '', url = ''} = request;
    if (method === 'POST' && url === this.#options.path) return this.#read(request, response);
    const path = url.split('?', 1)[0];
    if (path === '/healthz' && path !== this.#options.path) {
      if (method === 'GET' || method === 'HEAD') return finish(response, 200, 'ok\n');
      return finish(response, 405, '', {Allow: 'GET, HEAD'});
    }
    if (path !== this.#options.path) return finish(response, 404);
    if (method !== 'POST') return finish(response, 405, '', {Allow: 'POST'});
    this.#read(request, response);
  }

  /** Collects the body; a client that goes away, or is cut for room, gets no further. */
  #read(request: IncomingMessage, response: ServerResponse): void {
    const {maxBodyBytes} = this.#options;
    const chunks: Buffer[] = [];
    const body = this.#budget.open(() => {
      request.removeAllListeners('data').removeAllListeners('end'); // some of it may still be buffered
      chunks.length = 0;
      finish(response, 503, '', {Connection: 'close'});
      request.destroy();
    });
    const answer = (bytes: Buffer, cut: boolean) => {
      body.complete();
      const {url = '', rawHeaders} = request;
      this.#answer({path: url, rawHeaders, body: bytes, cut}, response, () => body.close());
    };
    const tooLarge = () => {
      if (response.headersSent) return; // it was cut for room at the same moment
      request.removeAllListeners('data').removeAllListeners('end').resume();
      chunks.length = 0;
      response.setHeader('Connection', 'close');
      answer(Buffer.alloc(0), true);
    };
    if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) return tooLarge();
    request.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (body.grow(chunk.length) > maxBodyBytes) tooLarge();
    });
    request.on('end', () => answer(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks), false));
    response.on('close', () => body.close());
  }

  #answer(received: ReceivedRequest, response: ServerResponse, done: () => void): void {
    try {
      this.#options.receive(received, (answer) => {
        done();
        this.#send(response, answer);
      });
    } catch (error) {
      done();
      this.#options.onBug(error);
      finish(response, 500);
    }
  }

  /**
   * Answers at the end of the turn, all at once: when each answer goes out alone, a sender that waits for it is woken up for each,
   * and waking it costs more than verifying its delivery.
   */
  #send(response: ServerResponse, answer: Answer): void {
    if (this.#ready.push({response, answer}) === 1) setImmediate(() => this.#sendAll());
  }

  #sendAll(): void {
    const all = this.#ready.splice(0);
    for (const {response, answer} of all) finish(response, answer.status);
    for (const {answer} of all) {
      try {
        answer.after?.();
      } catch (error) {
        this.#options.onBug(error);
      }
    }
  }
}

const NO_CONTENT = {'Content-Length': 0};

function finish(response: ServerResponse, status: number, text = '', headers?: Record<string, string>): void {
  if (response.headersSent || response.destroyed) return;
  const length = text === '' ? NO_CONTENT : {'Content-Length': Buffer.byteLength(text)};
  response.writeHead(status, headers === undefined ? length : {...length, ...headers}).end(text);
}

function listen(server: Server, {host, port}: ReceiverOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      reject(
        new RemitError(
          taken ? 'PORT_IN_USE' : 'STATE',
          taken ? `port ${port} of ${host} is in use` : `cannot listen on ${host}:${port}: ${error.message}`,
          {hint: 'choose another port: --port 0 takes a free one', cause: error},
        ),
      );
    });
    server.listen(port, host, () => {
      server.removeAllListeners('error').on('error', () => undefined);
      resolve();
    });
  });
}
