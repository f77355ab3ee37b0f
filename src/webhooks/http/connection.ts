import type {Socket} from 'node:net';
import {must} from '../../narrow.ts';
import type {ListenReason} from '../delivery/delivery.ts';
import type {RejectReason} from '../verify/signature.ts';
import {BodyReader, SMALL_BYTES, type BodyStop} from './body-reader.ts';
import {ChunkedBody} from './chunked-body.ts';
import type {LargeBodies} from './large-bodies.ts';
import {parseHead, type RequestHead} from './request-head.ts';

/** How a connection handles the requests that arrive on it. */
export interface ConnectionOptions {
  large: LargeBodies;
  maxBodyBytes: number;
  limits: ConnectionLimits;
  nowMs: () => number;
  /** The answer to a request for another path. */
  elsewhere: (head: RequestHead) => {status: number; text?: string; headers?: string[]} | undefined;
  /** Why the headers alone rule a request out; then a large body is not read. */
  refusal: (headers: RequestHead['headers']) => RejectReason | undefined;
  /** Handles a request; `answer` is called once for it. */
  onRequest: (connection: Connection, head: RequestHead, body: ReceivedBody) => void;
  answerText: (answer: {status: number; text?: string; headers?: string[]}, keepsAlive: boolean) => string;
}

/** Time limits for a client to send its headers, and its whole request. */
export interface ConnectionLimits {
  headMs: number;
  requestMs: number;
  /** The time between two requests. */
  idleMs: number;
}

export interface ReceivedBody {
  /** Overwritten once the request is answered if it is larger than `SMALL_BYTES`: copy what is kept. */
  bytes: Buffer;
  /** Set if the body was not read to its end, with the reason. */
  refusal: {reason: ListenReason; bodyBytes: number} | null;
}

const HEAD_BYTES = 16_384;
/** Maximum number of bytes behind a request that is not answered yet: webhook clients send one request at a time. */
const MOST_WAITING_BYTES = 16_384;
/** Maximum size of answers that a client does not read. */
const MOST_UNREAD_BYTES = 16_384;
const END_OF_HEAD = Buffer.from('\r\n\r\n');
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const NO_BYTES = Buffer.alloc(0);

/** One client. Reads one request after the other, the next one only once the last one is answered. */
export class Connection {
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  #state: 'idle' | 'head' | 'body' | 'answering' | 'closing' = 'idle';
  /** When this state, or the request that it belongs to, began. */
  #sinceMs: number;
  #hasAnswered = false;
  /** The start of a head that arrived in several pieces. */
  #partial: Buffer | undefined;
  #partialBytes = 0;
  #head: RequestHead | undefined;
  #body: BodyReader | undefined;
  #chunked: ChunkedBody | undefined;
  #refused: RejectReason | undefined;
  /** Bytes received behind the request that is being answered. */
  #waiting: Buffer | undefined;
  #hasEnded = false;

  constructor(socket: Socket, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#sinceMs = options.nowMs();
    socket.on('data', (bytes) => this.#onData(bytes));
    socket.on('end', () => this.#onEnd());
    socket.on('error', () => undefined); // 'close' follows
    socket.on('close', () => {
      if (this.#state === 'body') this.#body?.release();
      this.#state = this.#state === 'answering' ? 'answering' : 'closing';
    });
  }

  get #requested(): RequestHead {
    return must(this.#head, 'request in progress');
  }

  get #reading(): BodyReader {
    return must(this.#body, 'body in progress');
  }

  /** Disconnects a client that is too slow. */
  expire(nowMs: number): void {
    const {headMs, requestMs, idleMs} = this.#options.limits;
    const waitedMs = nowMs - this.#sinceMs;
    if (this.#state === 'idle' && this.#hasAnswered) {
      if (waitedMs > idleMs) this.#socket.destroy();
    } else if (this.#state === 'idle' || this.#state === 'head') {
      if (waitedMs > headMs) this.#refuse(408);
    } else if (this.#state === 'body' && waitedMs > requestMs) this.#refuse(408);
  }

  /** Accepts no further request. */
  finish(): void {
    this.#hasEnded = true;
    if (this.#state === 'idle') this.#socket.destroy();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Sends the answer to the request in progress. */
  answer(answer: {status: number; text?: string; headers?: string[]}): void {
    this.#body?.release();
    this.#body = undefined;
    const keepsAlive = this.#requested.keepsAlive && answer.status < 400 && !this.#hasEnded;
    if (this.#socket.destroyed) return;
    this.#socket.write(this.#options.answerText(answer, keepsAlive), 'latin1');
    if (!keepsAlive) return this.#close();
    if (this.#socket.writableLength > MOST_UNREAD_BYTES) return void this.#socket.destroy();
    this.#hasAnswered = true;
    this.#state = 'idle';
    this.#sinceMs = this.#options.nowMs();
    this.#readNext();
  }

  #readNext(): void {
    if (this.#socket.isPaused()) this.#socket.resume();
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#waiting = undefined;
    this.#read(waiting);
  }

  #onData(bytes: Buffer): void {
    if (this.#state === 'closing') return;
    if (this.#state === 'answering') this.#keep(bytes);
    else this.#read(bytes);
  }

  #onEnd(): void {
    this.#hasEnded = true;
    if (this.#state !== 'answering' && this.#state !== 'closing') this.#socket.destroy();
  }

  #read(bytes: Buffer): void {
    let rest = bytes;
    while (rest.length > 0 && (this.#state === 'idle' || this.#state === 'head' || this.#state === 'body'))
      rest = this.#state === 'body' ? this.#readBody(rest) : this.#readHead(rest);
    if (rest.length > 0 && this.#state === 'answering') this.#keep(rest);
  }

  #keep(bytes: Buffer): void {
    const waiting = this.#waiting === undefined ? Buffer.from(bytes) : Buffer.concat([this.#waiting, bytes]);
    if (waiting.length > MOST_WAITING_BYTES) return void this.#socket.destroy();
    this.#waiting = waiting;
    this.#socket.pause();
  }

  /** Returns what comes after the head. */
  #readHead(bytes: Buffer): Buffer {
    if (this.#state === 'idle') {
      // Clients that add a newline to a body are tolerated, as in other servers.
      let start = 0;
      while (bytes[start] === 0x0d || bytes[start] === 0x0a) start += 1;
      if (start > 0) return start > 4 ? this.#refuse(400) : bytes.subarray(start);
      this.#state = 'head';
      if (this.#hasAnswered) this.#sinceMs = this.#options.nowMs();
    }
    const [text, used] = this.#partial === undefined ? this.#wholeHead(bytes) : this.#pieceOfHead(bytes);
    if (text === undefined) {
      if (this.#partialBytes >= HEAD_BYTES) this.#refuse(431);
      return NO_BYTES;
    }
    const head = parseHead(text);
    if (head === undefined) return this.#refuse(400);
    return this.#begin(head, bytes.subarray(used));
  }

  /** The usual case: the whole head in one piece. */
  #wholeHead(bytes: Buffer): [text: string | undefined, used: number] {
    const end = bytes.indexOf(END_OF_HEAD);
    if (end !== -1 && end <= HEAD_BYTES) return [bytes.toString('latin1', 0, end), end + END_OF_HEAD.length];
    this.#partial = Buffer.allocUnsafeSlow(HEAD_BYTES);
    this.#partialBytes = bytes.copy(this.#partial);
    return [undefined, bytes.length];
  }

  #pieceOfHead(bytes: Buffer): [text: string | undefined, used: number] {
    const partial = must(this.#partial, 'start of a head');
    const before = this.#partialBytes;
    this.#partialBytes += bytes.copy(partial, before);
    const end = partial.subarray(0, this.#partialBytes).indexOf(END_OF_HEAD, Math.max(0, before - 3));
    if (end === -1) return [undefined, bytes.length];
    const text = partial.toString('latin1', 0, end);
    this.#partial = undefined;
    this.#partialBytes = 0;
    return [text, end + END_OF_HEAD.length - before];
  }

  /** The head is complete. Returns the unread rest. */
  #begin(head: RequestHead, rest: Buffer): Buffer {
    this.#head = head;
    const {elsewhere, maxBodyBytes} = this.#options;
    const direct = elsewhere(head);
    if (direct !== undefined) {
      if (head.body !== 0) this.#hasEnded = true; // its body is not read
      this.answer(direct);
      return rest;
    }
    if (head.body === 'chunked') this.#chunked = new ChunkedBody();
    else if (head.body > maxBodyBytes) return this.#stop('too_large');
    else if (head.body <= Math.min(rest.length, SMALL_BYTES)) {
      this.#pass(rest.subarray(0, head.body), null);
      return rest.subarray(head.body);
    }
    this.#state = 'body';
    this.#body = this.#bodyReader(head);
    if (head.waits) this.#socket.write(CONTINUE, 'latin1');
    return rest;
  }

  #bodyReader({headers}: RequestHead): BodyReader {
    const {large, maxBodyBytes, refusal} = this.#options;
    return new BodyReader({
      large,
      maxBytes: maxBodyBytes,
      mayBeLarge: () => (this.#refused = refusal(headers)) === undefined,
      onCut: () => this.#refuse(503),
    });
  }

  /** Returns what comes after the body. */
  #readBody(bytes: Buffer): Buffer {
    const {body} = this.#requested;
    if (body === 'chunked') return this.#readChunks(bytes);
    const piece = bytes.subarray(0, body - this.#reading.size);
    if (this.#add(piece) && this.#reading.size === body) this.#complete();
    return bytes.subarray(piece.length);
  }

  #readChunks(bytes: Buffer): Buffer {
    const chunked = must(this.#chunked, 'chunked body');
    const used = chunked.read(bytes, (piece) => this.#add(piece));
    if (this.#state !== 'body') return NO_BYTES;
    if (chunked.isBad) return this.#refuse(400);
    if (chunked.isDone) this.#complete();
    return bytes.subarray(used);
  }

  /** False if no more of the body is wanted. */
  #add(piece: Buffer): boolean {
    const why = this.#reading.add(piece);
    if (why === undefined) return true;
    this.#stop(why);
    return false;
  }

  #complete(): void {
    this.#reading.complete();
    this.#pass(this.#reading.bytes, null);
  }

  /** Stops reading the body. */
  #stop(why: BodyStop): Buffer {
    if (why === 'crowded') return this.#refuse(503);
    const {body: announced} = this.#requested;
    const bodyBytes = announced === 'chunked' ? this.#reading.size : announced;
    this.#hasEnded = true;
    this.#socket.pause();
    if (why === 'too_large') this.#pass(NO_BYTES, {reason: 'body_too_large', bodyBytes});
    else this.#pass(this.#reading.bytes, {reason: must(this.#refused, 'reason'), bodyBytes});
    return NO_BYTES;
  }

  #pass(bytes: Buffer, refusal: ReceivedBody['refusal']): void {
    this.#state = 'answering';
    this.#chunked = undefined;
    this.#options.onRequest(this, this.#requested, {bytes, refusal});
  }

  /** Answers what cannot be a delivery, and closes. */
  #refuse(status: number): Buffer {
    this.#body?.release();
    this.#body = undefined;
    if (!this.#socket.destroyed) this.#socket.write(this.#options.answerText({status}, false), 'latin1');
    this.#close();
    return NO_BYTES;
  }

  /** Called once the answer is sent. Further data from the client is not read. */
  #close(): void {
    this.#state = 'closing';
    this.#partial = undefined;
    this.#waiting = undefined;
    this.#socket.pause();
    this.#socket.destroySoon();
  }
}
