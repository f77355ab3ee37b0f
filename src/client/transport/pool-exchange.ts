import type {Dispatcher} from 'undici';
import {must} from '../../narrow.ts';
import type {Unsent} from '../../network/settings.ts';
import {Abortable, unwatch, watch} from './abort.ts';
import type {Deadlines, Timed} from './deadlines.ts';
import {decoded} from './decode.ts';
import {endedByUs, failureOf, type ExchangeProgress} from './failure.ts';
import type {FailureKind, TransportAnswer, TransportFailure, TransportRequest} from './transport.ts';

interface ExchangeOptions {
  request: TransportRequest;
  origin: string;
  path: string;
  maxBodyBytes: number;
  deadlines: Deadlines;
  /** Why a connection takes so long. */
  unconnected: () => {kind: FailureKind; words: string};
  /** Called when it fails before it was sent. */
  onUnsent: ((why: Unsent) => void) | undefined;
  /** Called once, before either of the others. */
  ended: () => void;
  resolve: (answer: TransportAnswer) => void;
  reject: (failure: TransportFailure) => void;
}

/** One request as undici sees it. It ends once; what undici reports afterwards is ignored. */
export class PoolExchange extends Abortable implements Dispatcher.DispatchHandler, ExchangeProgress, Timed {
  sent = false;
  status: number | undefined;
  dueAt = Infinity;
  place = -1;
  readonly #options: ExchangeOptions;
  readonly #chunks: Buffer[] = [];
  #headers: Record<string, string> = {};
  #bytes = 0;
  #hasEnded = false;
  #controller: Dispatcher.DispatchController | undefined;
  /** Monotonic times: for the whole answer, and for the next event. */
  #totalBy = Infinity;
  #phaseBy = Infinity;

  constructor(options: ExchangeOptions) {
    super();
    this.#options = options;
  }

  get what(): string {
    const {request, origin, path} = this.#options;
    return `${request.method} ${origin}${path}`;
  }

  get secure(): boolean {
    return this.#options.origin.startsWith('https:');
  }

  /** `watchConnect`: it has a socket, or one is being opened. */
  start(dispatcher: Dispatcher, watchConnect: boolean, closed: boolean): void {
    const {request, origin, path, deadlines} = this.#options;
    const {signal, timeouts} = request;
    if (closed) return this.#end('other', 'the transport is closed');
    if (signal?.aborted) return this.#end('aborted', 'aborted before it was sent', signal.reason);
    if (signal) watch(signal, this);
    const now = performance.now();
    this.#totalBy = now + timeouts.totalMs;
    this.#waitUntil(watchConnect ? now + timeouts.connectMs : Infinity);
    deadlines.add(this);
    try {
      dispatcher.dispatch(
        {origin, path, method: request.method, headers: request.headers, body: request.body ?? null},
        this,
      );
    } catch (cause) {
      this.#fail(failureOf(cause, this)); // a header or path that undici refuses
    }
  }

  #waitUntil(phaseBy: number): void {
    this.#phaseBy = phaseBy;
    this.dueAt = Math.min(phaseBy, this.#totalBy);
  }

  onDue(): void {
    const {request, unconnected} = this.#options;
    const {connectMs, headersMs, totalMs} = request.timeouts;
    if (this.#totalBy <= this.#phaseBy) this.#timedOut('timeout', 'no complete answer', totalMs);
    else if (this.sent) this.#timedOut('timeout', 'no answer', headersMs);
    else {
      const {kind, words} = unconnected();
      this.#timedOut(kind, words, connectMs);
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#hasEnded) {
      controller.abort(new Error('given up while waiting for a connection')); // before its first byte is written
      return;
    }
    this.sent = true;
    this.#waitUntil(performance.now() + this.#options.request.timeouts.headersMs);
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return; // 1xx: the answer is still to come
    this.#waitUntil(Infinity);
    this.status = status;
    this.#headers = flatten(headers);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#bytes > this.#options.maxBodyBytes) {
      this.#end('cut', `the answer is larger than ${this.#options.maxBodyBytes} bytes`);
    } else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (!this.#endOnce()) return;
    const [first] = this.#chunks;
    const isWhole = this.#chunks.length === 1 && first !== undefined;
    const body = isWhole ? first : Buffer.concat(this.#chunks);
    const answer = {
      status: must(this.status, 'status of an answer that has ended'),
      headers: this.#headers,
      body,
    };
    this.#options.resolve(decoded(answer, this.#options.maxBodyBytes));
  }

  onResponseError(_: Dispatcher.DispatchController, cause: Error): void {
    this.#fail(failureOf(cause, this));
  }

  #timedOut(kind: FailureKind, why: string, ms: number): void {
    this.#end(kind, `${why} within ${Math.round(ms)} ms`);
  }

  onAbort(reason: unknown): void {
    this.#end('aborted', 'aborted', reason);
  }

  #end(kind: FailureKind, why: string, cause?: unknown): void {
    this.#fail(endedByUs(kind, why, this, cause));
  }

  #fail(failure: TransportFailure): void {
    if (!this.#endOnce()) return;
    if (!failure.sent) this.#options.onUnsent?.({failure: failure.kind, reason: failure.trouble});
    this.#options.reject(failure);
    if (this.#controller !== undefined && !this.#controller.aborted) this.#controller.abort(failure);
  }

  #endOnce(): boolean {
    if (this.#hasEnded) return false;
    this.#hasEnded = true;
    unwatch(this);
    this.#options.deadlines.remove(this);
    this.#options.ended();
    return true;
  }
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  for (const name in headers) {
    const value = headers[name];
    if (Array.isArray(value)) headers[name] = value.join(', ');
  }
  return headers as Record<string, string>; // each list is joined; undici created the object for this answer alone
}
