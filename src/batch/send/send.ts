import type {Answer} from '../../client/answers/answer.ts';
import type {Codec} from '../../client/requests/codec.ts';
import {TransportFailure, type Transport, type TransportRequest} from '../../client/transport/transport.ts';
import {meaningOf} from '../../client/answers/verdict.ts';
import type {Clock} from '../../clock.ts';
import {isObject} from '../../narrow.ts';
import type {Sanitizer} from '../../sanitize/sanitizer.ts';
import type {Sending, Speed} from '../speed/speed.ts';
import {isOwnLimit, isReadable} from '../answers/answers.ts';
import type {StopRules} from './stop-rules.ts';
import type {ExchangeResult} from '../answers/wire.ts';

interface SenderOptions {
  transport: Transport;
  codec: Codec;
  clock: Clock;
  speed: Speed;
  rules: StopRules;
  sanitizer: Sanitizer;
  /** Aborts what is in flight: the second Ctrl-C. */
  abort: AbortSignal;
  /** Called after each readable success. */
  onSuccess: (isAfterOutage: boolean) => void;
}

/**
 * Sends requests. The caller decides what an answer means for its row; what it shows about the service is counted
 * here.
 */
export class Sender {
  /** POSTs sent by this run. */
  posts = 0;
  /** Requests in flight that a second signal aborted. */
  aborted = 0;
  readonly #transport: Transport;
  readonly #codec: Codec;
  readonly #clock: Clock;
  readonly #speed: Speed;
  readonly #rules: StopRules;
  readonly #sanitizer: Sanitizer;
  readonly #abort: AbortSignal;
  readonly #onSuccess: SenderOptions['onSuccess'];
  #inFlight = 0;

  constructor(options: SenderOptions) {
    this.#transport = options.transport;
    this.#codec = options.codec;
    this.#clock = options.clock;
    this.#speed = options.speed;
    this.#rules = options.rules;
    this.#sanitizer = options.sanitizer;
    this.#abort = options.abort;
    this.#onSuccess = options.onSuccess;
  }

  /**
   * @param isCheck whether the read only tests the service; then it shows no progress of the run, unless nothing else
   *   did
   */
  async exchange(request: TransportRequest, {isCheck = false} = {}): Promise<ExchangeResult> {
    if (request.method === 'POST') this.posts++;
    const sending = {at: this.#clock.monotonic(), inFlight: ++this.#inFlight};
    const isCreate = 'idempotency-key' in request.headers;
    try {
      request.signal = this.#abort;
      const raw = await this.#transport.send(this.#codec.encode(request));
      const nowWall = this.#clock.now();
      const answer = this.#withoutSecrets(this.#codec.read(request, raw, nowWall));
      this.#count(answer, {isCreate, isCheck, isWrite: request.method !== 'GET'}, sending, nowWall);
      return {answer};
    } catch (failure) {
      if (!(failure instanceof TransportFailure)) throw failure;
      if (request.method === 'POST' && !failure.sent) this.posts--; // not a single byte was sent
      if (failure.kind === 'aborted') this.aborted++;
      else if (failure.sent) this.#speed.failed(this.#clock.monotonic());
      if (isOwnLimit(failure)) this.#speed.tooMany(sending.inFlight);
      return {failure};
    } finally {
      this.#inFlight--;
    }
  }

  /**
   * A record whose id cannot be shown and stored unchanged is not readable: the id contains the key, or is not
   * printable. Values that an error has under a protected name are also masked in its text.
   */
  #withoutSecrets(answer: Answer): Answer {
    if (answer.status >= 300 || answer.warning !== undefined) this.#sanitizer.learn(answer.json);
    const id = isObject(answer.json) ? answer.json['id'] : undefined;
    return typeof id !== 'string' || this.#sanitizer.isClean(id) ? answer : {...answer, json: {}};
  }

  #count(
    answer: Answer,
    {isCreate, isCheck, isWrite}: {isCreate: boolean; isCheck: boolean; isWrite: boolean},
    sending: Sending,
    nowWall: number,
  ): void {
    const now = this.#clock.monotonic();
    const isGood = isReadable(answer, isCreate);
    const {retryAfterMs} = answer;
    const {patience} = this.#rules;
    if (isGood) {
      this.#speed.succeeded(now, sending);
      if (!isCheck || patience.successes === 0) this.#onSuccess(this.#rules.succeeded(now, nowWall));
    }
    if (retryAfterMs !== undefined) this.#rules.waitFor(retryAfterMs, isGood);
    const meaning = meaningOf(answer);
    if (isWrite && meaning !== 'throttled') this.#rules.wrote();
    if (meaning === 'throttled' || retryAfterMs !== undefined) {
      const isTooLong = retryAfterMs !== undefined && retryAfterMs > patience.maxWaitMs;
      this.#speed.refused(now, sending, isTooLong ? undefined : retryAfterMs);
      if (!isGood) this.#rules.throttled(now, isWrite);
    } else if (meaning === 'failing') this.#speed.failed(now);
    else if (meaning !== 'success') this.#speed.answered(now, sending);
    else if (!isGood && (isCreate || !answer.empty)) {
      this.#speed.failed(now);
      this.#rules.unreadable(answer);
    }
  }
}
