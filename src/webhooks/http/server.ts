import {createServer as createTcpServer, type Server, type Socket} from 'node:net';
import {portOf} from '../../narrow.ts';
import type {Clock} from '../../clock.ts';
import {listenOn} from '../../network/listening.ts';
import type {HeaderPairs} from '../delivery/delivery.ts';
import type {RejectReason} from '../verify/signature.ts';
import {httpAnswerText, GoodAnswer, KEEP_ALIVE_MS} from './answer-text.ts';
import {Connection, type ConnectionLimits, type ConnectionOptions, type ReceivedBody} from './connection.ts';
import {IdleSockets} from './idle-sockets.ts';
import {LargeBodies} from './large-bodies.ts';
import type {RequestHead} from './request-head.ts';
import {Slots} from './slots.ts';

/** A request on the path. */
export interface ReceivedRequest {
  path: string;
  headers: HeaderPairs;
  /** Overwritten once the request is answered if it is larger than `SMALL_BYTES`: copy what is kept. */
  body: Buffer;
  /** Set if the body was not read to its end, with the reason. */
  refusal: ReceivedBody['refusal'];
}

export interface HttpAnswer {
  status: number;
  /** Run once the answer is on its way: work that a sender must not wait for. */
  after?: () => void;
}

export interface ReceiverOptions {
  host: string;
  port: number;
  path: string;
  tls?: {certificate: string; key: string} | undefined;
  maxBodyBytes: number;
  clock: Pick<Clock, 'now' | 'monotonic'>;
  /** Why the headers alone rule a request out; then a large body is not read. */
  refusal: (headers: HeaderPairs) => RejectReason | undefined;
  /** Calls `reply` once, now or later. */
  receive: (request: ReceivedRequest, reply: (answer: HttpAnswer) => void) => void;
  /** A POST to another path, which was answered with 404: possibly a delivery. */
  onOtherPath?: ((path: string) => void) | undefined;
  onBug: (error: unknown) => void;
  /** Shorter in tests. */
  limits?: Partial<ConnectionLimits> | undefined;
}

const LIMITS: ConnectionLimits = {headMs: 5000, requestMs: 10_000, idleMs: KEEP_ALIVE_MS + 1000};
/** How often slow clients are checked within the shortest limit. */
const CHECKS = 5;
/** Memory for large bodies; at least a few are held at the same time. */
const LARGE_BODIES_BYTES = 8 * 1_048_576;
const LEAST_LARGE_BODIES = 4;
/** The most connections: above it, the one that has been idle longest is closed for a new one. */
const MOST_CONNECTIONS = 1024;
/** Number of answers sent together. */
const READY = 16;
/** When the listener stops, answers in progress have this long. */
const CLOSE_MS = 5000;

/**
 * The listener's HTTP server: accepts POST on one path, complete bodies only, and limits what clients can hold. It
 * parses HTTP/1.1 itself (ADR 0021).
 */
export class Receiver {
  readonly #options: ReceiverOptions;
  readonly #server: Server;
  readonly #connections = new Slots<Connection>();
  readonly #checks: NodeJS.Timeout;
  /** Answers that are not sent yet, in order. */
  readonly #ready: {connection: Connection; answer: HttpAnswer}[] = [];
  #isSending = false;
  /** Work left for the end of this turn of the event loop. */
  readonly #after: (() => void)[] = [];
  #isEndPlanned = false;

  private constructor(options: ReceiverOptions, server: Server) {
    this.#options = options;
    this.#server = server;
    const limits = {...LIMITS, ...options.limits};
    const sockets = new IdleSockets(MOST_CONNECTIONS);
    const connectionOptions = this.#connectionOptions(limits);
    server.on('connection', (socket: Socket) => sockets.add(socket));
    server.on(options.tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
      const connection = new Connection(socket, connectionOptions);
      const at = this.#connections.add(connection);
      socket.on('close', () => this.#connections.remove(at, connection));
    });
    const checkMs = Math.min(...Object.values(limits)) / CHECKS;
    this.#checks = setInterval(() => this.#expire(), checkMs).unref();
  }

  /** @throws {RemitError} PORT_IN_USE, STATE */
  static async open(options: ReceiverOptions): Promise<Receiver> {
    const {tls} = options;
    const sockets = {allowHalfOpen: true, noDelay: true};
    const server =
      tls === undefined
        ? createTcpServer(sockets)
        : (await import('node:tls')).createServer({
            ...{...sockets, cert: tls.certificate, key: tls.key},
            handshakeTimeout: options.limits?.headMs ?? LIMITS.headMs,
          });
    const receiver = new Receiver(options, server);
    const {host, port} = options;
    const hint = 'choose another port; --port 0 picks a free one';
    await listenOn(server, {host, port, hint}).catch((error: unknown) => {
      clearInterval(receiver.#checks);
      throw error;
    });
    return receiver;
  }

  get port(): number {
    return portOf(this.#server);
  }

  /** Accepts no new connection, and resolves when the answers in progress are sent. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const [, connection] of this.#connections) connection.finish();
    const cut = setTimeout(() => this.#destroyAll(), CLOSE_MS);
    await closed;
    clearTimeout(cut);
    clearInterval(this.#checks);
  }

  /** Closes every connection immediately. */
  kill(): void {
    this.#server.close();
    this.#destroyAll();
    clearInterval(this.#checks);
  }

  #destroyAll(): void {
    for (const [, connection] of this.#connections) connection.destroy();
  }

  #expire(): void {
    const nowMs = this.#options.clock.monotonic();
    for (const [, connection] of this.#connections) connection.expire(nowMs);
  }

  #connectionOptions(limits: ConnectionLimits): ConnectionOptions {
    const {clock, maxBodyBytes, refusal} = this.#options;
    const places = Math.max(LEAST_LARGE_BODIES, Math.floor(LARGE_BODIES_BYTES / maxBodyBytes));
    const good = new GoodAnswer();
    return {
      large: new LargeBodies(clock, {places, maxBytes: maxBodyBytes}),
      ...{maxBodyBytes, limits, refusal},
      nowMs: () => clock.monotonic(),
      elsewhere: (head) => this.#elsewhere(head),
      onRequest: (connection, head, body) => this.#receive(connection, head, body),
      answerText: (answer, keepsAlive) =>
        answer.status === 200 && answer.text === undefined && keepsAlive
          ? good.at(clock.now())
          : httpAnswerText(answer, keepsAlive, clock.now()),
    };
  }

  #elsewhere({
    method,
    target,
    headers,
  }: RequestHead): {status: number; text?: string; headers?: string[]} | undefined {
    const {path: own} = this.#options;
    if (isOfOtherSite(headers)) return {status: 403, text: 'requests of web pages are not accepted\n'};
    if (method === 'POST' && target === own) return undefined;
    const [path = target] = target.split('?', 1);
    if (path === '/healthz' && path !== own) {
      if (method === 'GET') return {status: 200, text: 'ok\n'};
      return method === 'HEAD' ? {status: 200} : {status: 405, headers: ['Allow: GET, HEAD']};
    }
    if (path === own) return method === 'POST' ? undefined : {status: 405, headers: ['Allow: POST']};
    if (method === 'POST') this.#options.onOtherPath?.(path);
    return {status: 404};
  }

  #receive(connection: Connection, {target, headers}: RequestHead, {bytes, refusal}: ReceivedBody): void {
    try {
      this.#options.receive({path: target, headers, body: bytes, refusal}, (answer) =>
        this.#send(connection, answer),
      );
    } catch (error) {
      this.#options.onBug(error);
      connection.answer({status: 500});
    }
  }

  /**
   * Answers a few requests at a time. If each answer were sent alone, a waiting sender would be woken up for each,
   * which costs more than verifying its delivery; if all were sent at the end of the turn, senders and listener would
   * wait for each other.
   */
  #send(connection: Connection, answer: HttpAnswer): void {
    this.#ready.push({connection, answer});
    if (this.#ready.length >= READY && !this.#isSending) this.#sendReady();
    if (this.#isEndPlanned) return;
    this.#isEndPlanned = true;
    setImmediate(() => this.#endTurn());
  }

  #sendReady(): void {
    this.#isSending = true; // the next request of a connection is read as soon as the last one is answered
    for (const {connection, answer} of this.#ready.splice(0)) {
      connection.answer(answer);
      if (answer.after !== undefined) this.#after.push(answer.after);
    }
    this.#isSending = false;
  }

  #endTurn(): void {
    this.#isEndPlanned = false;
    this.#sendReady();
    for (const after of this.#after.splice(0)) {
      try {
        after();
      } catch (error) {
        this.#options.onBug(error);
      }
    }
  }
}

/**
 * Whether a browser says that a page of another site sends this. A service sends neither header; without a check, any page
 * that the operator visits could post deliveries to a listener that requires no signature.
 */
function isOfOtherSite(headers: HeaderPairs): boolean {
  return headers.some(([name, value]) => {
    if (name.length === 6 && name.toLowerCase() === 'origin') return true;
    return name.length === 14 && name.toLowerCase() === 'sec-fetch-site' && value !== 'none';
  });
}
