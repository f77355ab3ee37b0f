import type {Clock} from '../../clock.ts';
import {deliveryIds, pairsOf, type Delivery} from '../delivery.ts';
import {parseBody} from '../event.ts';
import type {TypePattern} from '../patterns.ts';
import type {Entry} from '../record/entry.ts';
import {secretFingerprint, type WebhookSecret} from '../secrets.ts';
import {verifyWebhook, type RejectReason, type VerifyInput} from '../signature.ts';
import type {Forwarder} from './forwarder.ts';
import type {KnownEvents} from './known-events.ts';
import type {Answer, ReceivedRequest} from './server.ts';

export interface IntakeOptions {
  clock: Clock;
  /** Read for each delivery: an endpoint that is registered later adds its own. */
  secrets: () => readonly WebhookSecret[];
  verify: Pick<VerifyInput, 'toleranceSeconds' | 'timestampFormat' | 'lenient'>;
  allowUnverified: boolean;
  /** Types to show and forward; the others are only recorded. */
  wanted: TypePattern;
  known: KnownEvents;
  /** Keeps an entry durably; absent with --no-record. */
  append: ((entry: Entry) => Promise<void>) | undefined;
  forwarder: Forwarder;
  /** Answers with what the targets answered, instead of at once. */
  respondDownstream: boolean;
  onDelivery: (delivery: Delivery) => void;
  onRefused: (reason: 'backlog' | 'record' | 'stopping', detail: string) => void;
}

/** The disk must answer well before the service's 10 seconds are over. */
const RECORD_MS = 8000;

/** What happens to a request: verified, recorded, answered, shown, forwarded; in this order. */
export class Intake {
  readonly #options: IntakeOptions;
  readonly #nextId = deliveryIds();
  /** Events that are being recorded: a copy waits, since it is the first one if that fails. */
  readonly #recording = new Map<string, Promise<void>>();
  /** Set once the listener drains: what still comes is refused, so that the service sends it again. */
  stopping = false;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  async receive(request: ReceivedRequest): Promise<Answer> {
    if (this.stopping) return this.#refuse('stopping', 'the listener is stopping');
    const {clock, onDelivery, append} = this.#options;
    const delivery = this.#read(request, clock.now());
    if (delivery.verdict === 'rejected') {
      // The sender learns nothing from the record's state: a rejected request is not worth a wait.
      append?.({kind: 'delivery', delivery}).catch(() => undefined);
      return {status: request.cut ? 413 : 401, after: () => onDelivery(delivery)};
    }
    return this.#accept(delivery);
  }

  async #accept(verified: Delivery): Promise<Answer> {
    const {forwarder, onDelivery, respondDownstream, clock} = this.#options;
    const startMs = clock.monotonic();
    for (let other = this.#other(verified); other !== undefined; other = this.#other(verified)) await other;
    const done = this.#begin(verified);
    const delivery = this.#place(verified);
    const withinMs = RECORD_MS - (clock.monotonic() - startMs);
    const refusal = await this.#keep(delivery, withinMs).finally(done);
    if (refusal !== undefined) return refusal;
    if (!respondDownstream || delivery.targets.length === 0)
      return {
        status: 200,
        after: () => {
          onDelivery(delivery);
          forwarder.start(delivery);
        },
      };
    onDelivery(delivery);
    return {status: await forwarder.now(delivery)};
  }

  #other = ({eventId}: Delivery): Promise<void> | undefined =>
    eventId === null ? undefined : this.#recording.get(eventId);

  /** Copies of this event wait until the returned function is called. */
  #begin({eventId}: Delivery): () => void {
    if (eventId === null) return () => {};
    let resolve: () => void = () => {};
    this.#recording.set(eventId, new Promise((settle) => (resolve = settle)));
    return () => {
      this.#recording.delete(eventId);
      resolve();
    };
  }

  /** Puts it on disk; an answer when it cannot be kept, and then the delivery has not arrived. */
  async #keep(delivery: Delivery, withinMs: number): Promise<Answer | undefined> {
    const {known, forwarder} = this.#options;
    const forget = () => delivery.eventId !== null && known.forget(delivery.eventId, delivery.id);
    if (!forwarder.hasRoom(delivery)) {
      forget();
      return this.#refuse('backlog', `${forwarder.waiting} deliveries wait to be forwarded`);
    }
    forwarder.reserve(delivery);
    const failure = await this.#record(delivery, withinMs);
    if (failure === undefined) return undefined;
    forget();
    forwarder.release(delivery);
    return this.#refuse('record', failure);
  }

  #read({path, rawHeaders, body, cut}: ReceivedRequest, nowMs: number): Delivery {
    const headers = pairsOf(rawHeaders);
    const base = {id: this.#nextId(nowMs), receivedAtMs: nowMs, path, headers, body, targets: [], attempt: 1};
    const about = {...base, duplicateOf: null, filtered: false, secret: null, eventId: null, eventType: null};
    if (cut) return {...about, verdict: 'rejected', reason: 'body_too_large'};
    const checked = this.#verify(headers, body, nowMs);
    if (checked.verdict === 'rejected') return {...about, ...checked};
    return {...about, ...checked, ...namesIn(body)};
  }

  #verify(
    headers: Delivery['headers'],
    body: Uint8Array,
    nowMs: number,
  ): Pick<Delivery, 'verdict' | 'secret'> & {reason: RejectReason | null} {
    const {secrets, verify, allowUnverified} = this.#options;
    const all = secrets();
    if (all.length === 0)
      return allowUnverified
        ? {verdict: 'unverified', reason: null, secret: null}
        : {verdict: 'rejected', reason: 'mismatch', secret: null};
    const verified = verifyWebhook({body, headers, secrets: all, nowMs, ...verify});
    if (verified.ok)
      return {verdict: 'verified', reason: null, secret: secretFingerprint(all[verified.secret]!)};
    return {verdict: allowUnverified ? 'unverified' : 'rejected', reason: verified.reason, secret: null};
  }

  /** Its number among the deliveries of the event, and where it still has to go. */
  #place(delivery: Delivery): Delivery {
    const {known, wanted, forwarder} = this.#options;
    const {eventId, eventType, body, id} = delivery;
    const arrival = eventId === null ? undefined : known.arrive(eventId, body, id);
    const {attempt = 1, duplicateOf = null, forwarded} = arrival ?? {};
    if (!wanted(eventType)) return {...delivery, attempt, duplicateOf, filtered: true};
    const targets = forwarder.targetsFor(eventType).filter((target) => !forwarded?.has(target));
    return {...delivery, attempt, duplicateOf, targets};
  }

  async #record(delivery: Delivery, withinMs: number): Promise<string | undefined> {
    const {append} = this.#options;
    if (append === undefined) return undefined;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(() => resolve(`the disk did not answer within ${RECORD_MS / 1000} s`), withinMs);
    });
    const written = append({kind: 'delivery', delivery}).then(
      () => undefined,
      (error: Error) => error.message,
    );
    const failure = await Promise.race([written, late]);
    clearTimeout(timer);
    return failure;
  }

  #refuse(reason: 'backlog' | 'record' | 'stopping', detail: string): Answer {
    return {status: 503, after: () => this.#options.onRefused(reason, detail)};
  }
}

/** The event's own id and type, also where its data is not as documented. */
function namesIn(body: Uint8Array): Pick<Delivery, 'eventId' | 'eventType'> {
  const value = parseBody(body);
  const {id, type} = (value !== null && typeof value === 'object' ? value : {}) as {
    id?: unknown;
    type?: unknown;
  };
  return {
    eventId: typeof id === 'string' && id !== '' ? id : null,
    eventType: typeof type === 'string' && type !== '' ? type : null,
  };
}
