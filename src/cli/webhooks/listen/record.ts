import {join} from 'node:path';
import {messageOf} from '../../../narrow.ts';
import {acquireLock, type Lock} from '../../../store/locks/lock.ts';
import type {Delivery, ForwardResult} from '../../../webhooks/delivery/delivery.ts';
import type {Forwarder} from '../../../webhooks/listen/forwarder.ts';
import type {KnownEvents} from '../../../webhooks/listen/known-events.ts';
import type {RecordEntry} from '../../../webhooks/record/entry.ts';
import {DEFAULT_BOUNDS, pruneBehind} from '../../../webhooks/record/prune.ts';
import {RecordReader} from '../../../webhooks/record/reader.ts';
import {addEntry, type RecordedDelivery} from '../../../webhooks/record/state.ts';
import type {OnWritten} from '../../../webhooks/record/group.ts';
import {RecordWriter, segmentBytesIn} from '../../../webhooks/record/writer.ts';
import type {LocalContext} from '../../core/context.ts';
import {recordFolder} from '../place.ts';
import type {ListenFlags} from './options.ts';

/** The record as a listener uses it: its contents at the start, appending, pruning. */
export class ListenRecord {
  readonly #local: LocalContext;
  readonly #folder: string;
  readonly #writer: RecordWriter;
  readonly #bounds: {maxBytes: number; maxAgeMs: number};
  /** Deliveries that wait to be forwarded; pruning keeps them. */
  readonly #waiting = new Map<string, readonly string[]>();
  #lock: Lock | undefined;

  constructor(local: LocalContext, flags: ListenFlags) {
    this.#local = local;
    this.#folder = recordFolder(local);
    this.#bounds = {
      maxBytes: flags['max-record-size'] ?? DEFAULT_BOUNDS.maxBytes,
      maxAgeMs: flags['max-record-age'] ?? DEFAULT_BOUNDS.maxAgeMs,
    };
    this.#writer = new RecordWriter({
      folder: this.#folder,
      clock: local.clock,
      onSegment: (bytes) => this.#prune(bytes),
      segmentBytes: segmentBytesIn(this.#bounds.maxBytes),
    });
  }

  /**
   * Allows only one listener per record: a second one would forward deliveries twice, and its pruning does not know
   * which deliveries wait here.
   * @throws {RemitError} LOCKED
   */
  async open(): Promise<void> {
    this.#lock = await acquireLock(join(this.#folder, 'listener.lock'), {
      purpose: 'a webhook listener',
      hint: 'to run a second one at the same time, add --no-record --port 0',
      clock: this.#local.clock,
    });
  }

  /** Reads what earlier runs recorded, and continues to forward what they did not finish. */
  async resume(known: KnownEvents, forwarder: Forwarder): Promise<number> {
    const found = new Map<string, RecordedDelivery>();
    const reader = new RecordReader(this.#folder);
    for (const entry of reader.more()) {
      known.load(entry);
      addEntry(found, entry);
      if (entry.kind === 'delivery' && entry.delivery.targets.length === 0) found.delete(entry.delivery.id);
    }
    if (reader.damaged > 0)
      this.#local.out.warn(`${reader.damaged} damaged entries of the record were skipped`);
    let resumed = 0;
    for (const recorded of found.values()) resumed += await this.#resumeOne(recorded, forwarder);
    return resumed;
  }

  write(entry: RecordEntry, onWritten: OnWritten): void {
    this.#writer.write(entry, (failure) => {
      if (failure === undefined) this.#note(entry);
      onWritten(failure);
    });
  }

  /**
   * A forward result; a disk failure is reported with the next delivery. Calls `done` once it is on disk, or cannot
   * be.
   */
  note(result: ForwardResult, done: () => void): void {
    this.write({kind: 'forward', forward: result}, () => {
      this.#forwarded(result);
      done();
    });
  }

  async close(): Promise<void> {
    await this.#writer.close();
    await this.#lock?.release();
  }

  /**
   * Forwards to the targets of this run. For any other target it ends as failed, so that `events replay --failed`
   * finds it.
   */
  async #resumeOne({delivery, targets}: RecordedDelivery, forwarder: Forwarder): Promise<number> {
    const waiting = [...targets].filter(([, {state}]) => state === 'waiting');
    if (waiting.length === 0) return 0;
    const here = forwarder.targetsFor(delivery.eventType);
    const remaining = waiting.map(([target]) => target).filter((target) => here.includes(target));
    for (const [target, {attempts}] of waiting)
      if (!remaining.includes(target))
        await this.#writer.append({kind: 'forward', forward: this.#abandoned(delivery, target, attempts)});
    if (remaining.length === 0) return 0;
    const rest = {...delivery, targets: remaining};
    this.#note({kind: 'delivery', delivery: rest});
    forwarder.reserve(rest);
    forwarder.start(rest);
    return 1;
  }

  #abandoned({id}: Delivery, target: string, attempts: number): ForwardResult {
    return {
      ...{delivery: id, target, attempt: attempts, atMs: this.#local.clock.now(), status: null, latencyMs: 0},
      ...{error: 'its listener ended', resigned: false, cause: 'forward', gaveUp: true},
    };
  }

  #note(entry: RecordEntry): void {
    if (entry.kind === 'forward') return this.#forwarded(entry.forward);
    const {id, targets} = entry.delivery;
    if (targets.length > 0) this.#waiting.set(id, targets);
  }

  #forwarded({delivery, target, status, gaveUp}: ForwardResult): void {
    const left = this.#waiting.get(delivery);
    if (left === undefined || !(gaveUp || (status !== null && status >= 200 && status < 300))) return;
    const rest = left.filter((one) => one !== target);
    if (rest.length === 0) this.#waiting.delete(delivery);
    else this.#waiting.set(delivery, rest);
  }

  /** Makes room for a segment before it is written, so that the record keeps its size. */
  #prune(bytes: number): void {
    const {maxBytes, maxAgeMs} = this.#bounds;
    const bounds = {maxBytes: Math.max(0, maxBytes - bytes), maxAgeMs};
    try {
      pruneBehind(this.#folder, this.#local.clock.now(), bounds, this.#waiting);
    } catch (error) {
      this.#local.out.warn(`the record could not be pruned: ${messageOf(error)}`);
    }
  }
}
