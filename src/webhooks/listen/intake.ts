import type {Clock} from '../../clock.ts';
import {idText} from '../../contract/ids.ts';
import {isObject, must, type Json} from '../../narrow.ts';
import {deliveryIds, type Delivery, type HeaderPairs} from '../delivery/delivery.ts';
import {readJson, type JsonBody} from '../verify/event.ts';
import type {TypePattern} from '../delivery/patterns.ts';
import type {RecordEntry} from '../record/entry.ts';
import type {OnWritten} from '../record/group.ts';
import {secretFingerprint, type WebhookSecret} from '../verify/secrets.ts';
import {refuseByHeaders, verifyWebhook, type RejectReason, type VerifyOptions} from '../verify/signature.ts';
import {SMALL_BYTES} from '../http/body-reader.ts';
import {Deadline} from './deadline.ts';
import type {Forwarder} from './forwarder.ts';
import type {KnownEvents} from './known-events.ts';
import type {HttpAnswer, ReceivedRequest} from '../http/server.ts';

export interface IntakeOptions {
  clock: Clock;
  /** Read for each delivery: an endpoint that is registered later adds its own. */
  secrets: () => readonly WebhookSecret[];
  /** Looks for secrets that were added; true if there are some. Called after a mismatch. */
  moreSecrets?: (() => boolean) | undefined;
  verify: VerifyOptions;
  allowUnverified: boolean;
  /** Types to show and forward; the others are only recorded. */
  wanted: TypePattern;
  known: KnownEvents;
  /** Stores an entry durably; absent with --no-record. */
  write: ((entry: RecordEntry, onWritten: OnWritten) => void) | undefined;
  forwarder: Forwarder;
  /** Answers with what the targets answered, instead of immediately. */
  respondDownstream: boolean;
  /** @param json the body; undefined if it is not JSON, or not verified */
  onDelivery: (delivery: Delivery, json: JsonBody | undefined) => void;
  onRefused: (reason: 'backlog' | 'record' | 'stopping', detail: string) => void;
}

/** The disk must respond well within the service's 10 seconds. */
const RECORD_MS = 8000;
const RECORD_LATE = `the disk did not answer within ${RECORD_MS / 1000} s`;

interface Received {
  delivery: Delivery;
  json: JsonBody | undefined;
  /** When it arrived, on the monotonic clock. */
  startMs: number;
}
type Reply = (answer: HttpAnswer) => void;
type Checked = Pick<Delivery, 'verdict' | 'reason' | 'secret'>;
const NO_TARGETS: readonly string[] = [];

/** The handling of a request: verified, recorded, answered, shown, forwarded; in this order. */
export class Intake {
  readonly #options: IntakeOptions;
  readonly #nextId = deliveryIds();
  readonly #deadline: Deadline;
  readonly #fingerprints = new Map<WebhookSecret, string>();
  /**
   * Events that are being recorded, and copies of them that wait: if recording fails, a copy counts as the first one.
   */
  readonly #recording = new Map<string, (() => void)[] | undefined>();
  /** Set once the listener drains: later requests are refused, so that the service sends them again. */
  stopping = false;

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#deadline = new Deadline(options.clock, RECORD_MS);
  }

  receive(request: ReceivedRequest, reply: Reply): void {
    if (this.stopping) return reply(this.#refusal('stopping', 'the listener is stopping'));
    const {clock, onDelivery} = this.#options;
    const received = this.#read(request, clock.now());
    const {delivery, json} = received;
    if (delivery.verdict !== 'rejected') return this.#accept(received, reply);
    const answer = {
      status: delivery.reason === 'body_too_large' ? 413 : 401,
      after: () => onDelivery(delivery, json),
    };
    // The wait limits what is held in memory. The sender learns nothing about the state of the record: its answer
    // stays the same.
    this.#record(received, () => reply(answer));
  }

  #accept(received: Received, reply: Reply): void {
    const {delivery} = received;
    const {eventId} = delivery;
    if (eventId !== null && this.#recording.has(eventId)) {
      const waiting = this.#recording.get(eventId) ?? [];
      this.#recording.set(eventId, waiting);
      waiting.push(() => this.#accept(received, reply));
      return;
    }
    const {forwarder, write} = this.#options;
    this.#place(delivery);
    if (!forwarder.hasRoom(delivery))
      return this.#refuse(
        delivery,
        reply,
        'backlog',
        `${forwarder.waiting} deliveries are waiting to be forwarded`,
      );
    forwarder.reserve(delivery);
    if (write === undefined) return this.#pass(received, reply);
    if (eventId !== null) this.#recording.set(eventId, undefined);
    this.#record(received, (failure) => {
      if (failure === undefined) this.#pass(received, reply);
      else {
        forwarder.release(delivery);
        this.#refuse(delivery, reply, 'record', failure);
      }
      if (eventId !== null) this.#releaseCopies(eventId);
    });
  }

  #refuse({eventId, id}: Delivery, reply: Reply, reason: 'backlog' | 'record', detail: string): void {
    if (eventId !== null) this.#options.known.forget(eventId, id);
    reply(this.#refusal(reason, detail));
  }

  #releaseCopies(eventId: string): void {
    const waiting = this.#recording.get(eventId);
    this.#recording.delete(eventId);
    if (waiting !== undefined) for (const release of waiting) release();
  }

  /** Calls `done` once the delivery is on disk, or with the reason why it is not. */
  #record({delivery, startMs}: Received, done: (failure: string | undefined) => void): void {
    const {write} = this.#options;
    if (write === undefined) return done(undefined);
    const onTime = this.#deadline.bound<string | undefined>(done, RECORD_LATE, startMs);
    write({kind: 'delivery', delivery}, (failure) => onTime(failure?.message));
  }

  /** Shows and forwards what was accepted. */
  #pass({delivery, json}: Received, reply: Reply): void {
    const {forwarder, onDelivery, respondDownstream} = this.#options;
    if (respondDownstream && delivery.targets.length > 0) {
      onDelivery(delivery, json);
      return void forwarder.now(delivery).then((status) => reply({status}));
    }
    const after = () => {
      onDelivery(delivery, json);
      forwarder.start(delivery);
    };
    reply({status: 200, after});
  }

  /** Why the headers alone rule a request out. */
  refusal(headers: HeaderPairs): RejectReason | undefined {
    const {secrets, verify, allowUnverified, clock} = this.#options;
    if (allowUnverified) return undefined;
    if (secrets().length === 0) return 'mismatch';
    return refuseByHeaders({headers, nowMs: clock.now(), ...verify});
  }

  #read({path, headers, body, refusal}: ReceivedRequest, nowMs: number): Received {
    const {verdict, reason, secret} =
      refusal === null
        ? this.#verify(headers, body, nowMs)
        : ({verdict: 'rejected', reason: refusal.reason, secret: null} as const);
    const json = verdict === 'rejected' ? undefined : readJson(body);
    const bodyBytes = refusal?.bodyBytes ?? body.length;
    const {id, type} = isObject(json?.value) ? json.value : {};
    // One literal: copies with `...` would cost more than the signature.
    const delivery: Delivery = {
      id: this.#nextId(nowMs),
      receivedAtMs: nowMs,
      path,
      headers,
      body: body.length <= SMALL_BYTES ? body : keptOf(body, verdict),
      verdict,
      reason,
      secret,
      eventId: nameOf(idText(id)),
      eventType: nameOf(type),
      attempt: 1,
      duplicateOf: null,
      filtered: false,
      targets: NO_TARGETS,
    };
    if (delivery.body.length < bodyBytes) delivery.bodyBytes = bodyBytes;
    return {delivery, json, startMs: this.#options.clock.monotonic()};
  }

  #verify(headers: HeaderPairs, body: Uint8Array, nowMs: number): Checked {
    const {secrets, verify, allowUnverified, moreSecrets} = this.#options;
    let all = secrets();
    if (all.length === 0)
      return allowUnverified
        ? {verdict: 'unverified', reason: null, secret: null}
        : {verdict: 'rejected', reason: 'mismatch', secret: null};
    let verified = verifyWebhook({body, headers, secrets: all, nowMs, ...verify});
    if (!verified.ok && verified.reason === 'mismatch' && moreSecrets?.() === true) {
      all = secrets();
      verified = verifyWebhook({body, headers, secrets: all, nowMs, ...verify});
    }
    if (verified.ok)
      return {
        verdict: 'verified',
        reason: null,
        secret: this.#fingerprint(must(all[verified.secret], 'secret that verified')),
      };
    return {verdict: allowUnverified ? 'unverified' : 'rejected', reason: verified.reason, secret: null};
  }

  #fingerprint(secret: WebhookSecret): string {
    const known = this.#fingerprints.get(secret);
    if (known !== undefined) return known;
    const made = secretFingerprint(secret);
    this.#fingerprints.set(secret, made);
    return made;
  }

  /** Its number among the deliveries of the event, and where it still has to be forwarded. */
  #place(delivery: Delivery): void {
    const {known, wanted, forwarder} = this.#options;
    const {eventId, eventType, body, id} = delivery;
    const arrival = eventId === null ? undefined : known.arrive(eventId, body, id);
    if (arrival !== undefined) {
      delivery.attempt = arrival.attempt;
      delivery.duplicateOf = arrival.duplicateOf;
    }
    delivery.filtered = !wanted(eventType);
    if (delivery.filtered) return;
    const targets = forwarder.targetsFor(eventType);
    if (targets.length === 0) return;
    delivery.targets =
      arrival === undefined || arrival.forwarded === 0
        ? targets
        : targets.filter((target) => !known.hasForwarded(arrival, target));
  }

  #refusal(reason: 'backlog' | 'record' | 'stopping', detail: string): HttpAnswer {
    return {status: 503, after: () => this.#options.onRefused(reason, detail)};
  }
}

/**
 * A copy of a large body. For a rejected one, only the start: a flood of them must fill neither memory nor the
 * record.
 */
const keptOf = (body: Buffer, verdict: Delivery['verdict']): Buffer =>
  Buffer.from(verdict === 'rejected' ? body.subarray(0, SMALL_BYTES) : body);

/** The event's own id or type, even if its data is not as documented. */
const nameOf = (value: Json): string | null => (typeof value === 'string' && value !== '' ? value : null);
