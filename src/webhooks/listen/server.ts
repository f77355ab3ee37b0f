import {
  createServer as createHttpServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type {AddressInfo, Socket} from 'node:net';
import {RemitError} from '../../errors.ts';
import type {Clock} from '../../clock.ts';
import type {ListenReason} from '../delivery.ts';
import type {RejectReason} from '../signature.ts';
import {BodyReader, type BodyStop} from './body-reader.ts';
import {IdleSockets} from './idle-sockets.ts';
import {LargeBodies} from './large-bodies.ts';

/** A request on the path. */
export interface ReceivedRequest {
  path: string;
  rawHeaders: readonly string[];
  /** Overwritten once the request is answered if it is larger than `SMALL_BYTES`: copy what is kept. */
  body: Buffer;
  /** Set when the body was not read to its end, and why. */
  refusal: {reason: ListenReason; bodyBytes: number} | null;
}

export interface Answer {
  status: number;
  /** Done once the answer is on its way: what a sender must not wait for. */
  after?: () => void;
}

interface Ready {
  response: ServerResponse;
  answer: Answer;
  done: () => void;
}

export interface ReceiverOptions {
  host: string;
  port: number;
  path: string;
  tls?: {certificate: string; key: string} | undefined;
  maxBodyBytes: number;
  clock: Pick<Clock, 'monotonic'>;
  /** Why the headers alone rule a request out: a large body is not read then. */
  refusal: (rawHeaders: readonly string[]) => RejectReason | undefined;
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
/** Large bodies that are held at the same time: as many as fit into this, but at least a few. */
const LARGE_BODIES_BYTES = 8 * 1_048_576;
const LEAST_LARGE_BODIES = 4;
/** Beyond this the connection that has been idle longest is closed for a new one. */
const MOST_CONNECTIONS = 1024;

/** The listener's HTTP server: takes POST on one path, whole bodies only, and bounds what clients can hold. */
export class Receiver {
  readonly #options: ReceiverOptions;
  readonly #server: Server;
  readonly #large: LargeBodies;
  /** Connections with a request that is not answered yet. */
  readonly #busy = new WeakSet<Socket>();
  /** Answers of this turn of the event loop, in order. */
  readonly #ready: Ready[] = [];

  private constructor(options: ReceiverOptions, server: Server) {
    this.#options = options;
    this.#server = server;
    const {clock, maxBodyBytes: maxBytes} = options;
    const places = Math.max(LEAST_LARGE_BODIES, Math.floor(LARGE_BODIES_BYTES / maxBytes));
    this.#large = new LargeBodies(clock, {places, maxBytes});
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
    const {method = '', url = '', socket} = request;
    // The service waits for each answer. One packet can hold a thousand requests, and each would be kept until it is answered.
    if (this.#busy.has(socket)) return void socket.destroy();
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

  /** Collects the body; a client that goes away, or whose body is refused, gets no further. */
  #read(request: IncomingMessage, response: ServerResponse): void {
    const {url = '', rawHeaders, socket} = request;
    const {maxBodyBytes} = this.#options;
    this.#busy.add(socket);
    let refused: RejectReason | undefined;
    let isReading = true;
    const stop = () => {
      isReading = false;
      request.removeAllListeners('data').removeAllListeners('end').pause(); // some of it may still be buffered
    };
    const refuse = () => {
      stop();
      body.release();
      finish(response, 503);
    };
    const body = new BodyReader({
      large: this.#large,
      maxBytes: maxBodyBytes,
      mayBeLarge: () => (refused = this.#options.refusal(rawHeaders)) === undefined,
      onCut: refuse,
    });
    const pass = (bytes: Buffer, refusal: ReceivedRequest['refusal']) => {
      isReading = false;
      this.#answer({path: url, rawHeaders, body: bytes, refusal}, response, () => {
        this.#busy.delete(socket);
        body.release();
      });
    };
    const announced = Number(request.headers['content-length'] ?? 0);
    const end = (why: BodyStop) => {
      if (why === 'crowded') return refuse();
      stop();
      const bodyBytes = Math.max(announced, body.size);
      if (why === 'unwanted')
        pass(body.bytes, {reason: refused!, bodyBytes}); // asked before
      else pass(NO_BYTES, {reason: 'body_too_large', bodyBytes});
    };
    if (announced > maxBodyBytes) return end('too_large');
    request.on('data', (chunk: Buffer) => {
      const why = body.add(chunk);
      if (why !== undefined) end(why);
    });
    request.on('end', () => {
      body.complete();
      pass(body.bytes, null);
    });
    response.on('close', () => {
      if (!isReading) return;
      stop();
      body.release();
    });
  }

  #answer(received: ReceivedRequest, response: ServerResponse, done: () => void): void {
    try {
      this.#options.receive(received, (answer) => this.#send({response, answer, done}));
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
  #send(ready: Ready): void {
    if (this.#ready.push(ready) === 1) setImmediate(() => this.#sendAll());
  }

  #sendAll(): void {
    const all = this.#ready.splice(0);
    for (const {response, answer, done} of all) {
      done();
      finish(response, answer.status);
    }
    for (const {answer} of all) {
      try {
        answer.after?.();
      } catch (error) {
        this.#options.onBug(error);
      }
    }
  }
}

const NO_BYTES = Buffer.alloc(0);
const NO_CONTENT = {'Content-Length': 0};
/** What was refused may go on for long: it is not read. */
const REFUSED = {...NO_CONTENT, Connection: 'close'};

function finish(response: ServerResponse, status: number, text = '', headers?: Record<string, string>): void {
  if (response.headersSent || response.destroyed) return;
  const length =
    status >= 400 ? REFUSED : text === '' ? NO_CONTENT : {'Content-Length': Buffer.byteLength(text)};
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
