import type {Sending, Speed} from '../batch/speed/speed.ts';
import {REFERENCE_METADATA_KEY} from '../batch/model/identity.ts';
import {Codec} from '../client/requests/codec.ts';
import type {Answer} from '../client/answers/answer.ts';
import type {TransportAnswer, TransportRequest} from '../client/transport/transport.ts';
import type {Json, JsonFields} from '../narrow.ts';
import {ownJson} from '../narrow.ts';
import type {ChunkRow} from './chunks.ts';

/** With fewer requests in flight, the run does not know the service yet, and sends alone. */
const FIRST = 4;

/** Knows which requests are creates of rows, and which answers other processes have received. */
export class SharedCodec extends Codec {
  /** Their canonical bodies. */
  readonly #creates = new WeakMap<TransportRequest, string>();
  readonly #took = new WeakMap<TransportAnswer, number>();
  /** How long the service took for the last answer that was read; undefined if this process has sent its request. */
  lastTookMs: number | undefined;

  rowOf(request: TransportRequest): Omit<ChunkRow, 'digest'> | undefined {
    const body = this.#creates.get(request);
    if (body === undefined) return undefined;
    const {metadata, auto_approve: approve} = ownJson<{metadata: JsonFields; auto_approve: boolean}>(body);
    const reference = metadata[REFERENCE_METADATA_KEY];
    return typeof reference === 'string' ? {reference, approve} : undefined;
  }

  received(answer: TransportAnswer, tookMs: number): void {
    this.#took.set(answer, tookMs);
  }

  override encode(request: TransportRequest): TransportRequest {
    const encoded = super.encode(request);
    if ('idempotency-key' in request.headers && request.body !== undefined)
      this.#creates.set(encoded, request.body);
    return encoded;
  }

  override read(request: Parameters<Codec['read']>[0], raw: TransportAnswer, nowMs: number): Answer<Json> {
    this.lastTookMs = this.#took.get(raw);
    return super.read(request, raw, nowMs);
  }
}

/**
 * The speed of a batch that several processes send. The one that has the batch finds its own speed as usual; to that, it
 * adds what the others have room for. A limit in requests per second, and refusals, concern all of them together.
 */
export class SharedSpeed implements Speed {
  readonly #own: Speed;
  readonly #codec: SharedCodec;
  readonly #others: () => number;

  /** @param others how many requests other processes have room for */
  constructor(own: Speed, codec: SharedCodec, others: () => number) {
    this.#own = own;
    this.#codec = codec;
    this.#others = others;
  }

  /** How many requests this process may have in flight. */
  get ownLimit(): number {
    return this.#own.limit();
  }

  limit(): number {
    const own = this.#own.limit();
    return own < FIRST ? own : own + this.#others();
  }

  earliest(now: number): number {
    return this.#own.earliest(now);
  }

  sent(now: number, inFlight: number): void {
    this.#own.sent(now, Math.min(inFlight, this.#own.limit()));
  }

  admitsNewRows(now: number): boolean {
    return this.#own.admitsNewRows(now);
  }

  succeeded(now: number, sending: Sending): void {
    this.#own.succeeded(now, this.#here(now, sending));
  }

  answered(now: number, sending: Sending): void {
    this.#own.answered(now, this.#here(now, sending));
  }

  refused(now: number, sending: Sending, retryAfterMs?: number): void {
    this.#own.refused(now, this.#here(now, sending), retryAfterMs);
  }

  failed(now: number): void {
    this.#own.failed(now);
  }

  tooMany(inFlight: number): void {
    this.#own.tooMany(Math.min(inFlight, this.#own.limit()));
  }

  /** As if this process had sent it: without the time in the database. */
  #here(now: number, {at, inFlight}: Sending): Sending {
    const {lastTookMs} = this.#codec;
    if (lastTookMs === undefined && this.#others() === 0) return {at, inFlight};
    return {
      at: lastTookMs === undefined ? at : now - lastTookMs,
      inFlight: Math.min(inFlight, this.#own.limit()),
    };
  }
}
