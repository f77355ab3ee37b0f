import {idText} from '../../../contract/ids.ts';
import {RemitError} from '../../../errors.ts';
import {asReceived} from '../../../narrow.ts';
import {selectedValue} from '../../../output/records/select.ts';
import type {Delivery} from '../../../webhooks/delivery/delivery.ts';
import {parseBody} from '../../../webhooks/verify/event.ts';
import type {ObjectLine} from '../../../webhooks/delivery/lines.ts';
import type {Context} from '../../core/context.ts';
import type {Json} from '../../../narrow.ts';

/** The field of an event's data that names its object, and the operation that reads it. */
const OBJECTS = {
  payout_id: {resource: 'payout', operation: 'payouts.get'},
  payin_id: {resource: 'payin', operation: 'payins.get'},
  subaccount_id: {resource: 'subaccount', operation: 'subaccounts.get'},
} as const;

/** Concurrent requests: the listener must leave capacity at the service for others. */
const CONCURRENCY = 2;
/** Maximum number of events that wait for their object; beyond it, the object is not read. */
const MOST_WAITING = 100;
const REQUEST_MS = 10_000;
const DRAIN_MS = 3000;

interface Job {
  delivery: string;
  resource: ObjectLine['resource'];
  operation: (typeof OBJECTS)[keyof typeof OBJECTS]['operation'];
  id: string;
}

/** Reads the objects of verified events from the service, independently of the deliveries: nothing waits for it. */
export class Expander {
  readonly #context: Pick<Context, 'client' | 'clock'>;
  readonly #onObject: (line: ObjectLine) => void;
  readonly #waiting: Job[] = [];
  readonly #stopped = new AbortController();
  #active = 0;
  #idle: (() => void) | undefined;

  constructor(context: Pick<Context, 'client' | 'clock'>, onObject: (line: ObjectLine) => void) {
    this.#context = context;
    this.#onObject = onObject;
  }

  /** Only for verified events: others could make this machine request anything. */
  see(delivery: Delivery): void {
    if (delivery.verdict !== 'verified' || delivery.duplicateOf !== null || delivery.filtered) return;
    const job = jobOf(delivery);
    if (job === undefined || this.#stopped.signal.aborted) return;
    if (this.#waiting.length >= MOST_WAITING)
      return this.#report(job, null, `${MOST_WAITING} objects are already waiting`);
    this.#waiting.push(job);
    this.#run();
  }

  /** Waits briefly for reads in progress; waiting ones are not read. */
  async close(): Promise<void> {
    this.#waiting.length = 0;
    if (this.#active > 0 && !this.#stopped.signal.aborted) {
      const timer = new AbortController();
      const idle = new Promise<void>((resolve) => (this.#idle = resolve));
      await Promise.race([idle, this.#context.clock.sleep(DRAIN_MS, timer.signal).catch(() => undefined)]);
      timer.abort();
    }
    this.stop();
  }

  stop(): void {
    this.#waiting.length = 0;
    this.#stopped.abort(new Error('stopped'));
    this.#idle?.();
  }

  #run(): void {
    while (this.#active < CONCURRENCY) {
      const job = this.#waiting.shift();
      if (job === undefined) break;
      this.#active += 1;
      void this.#read(job).finally(() => {
        this.#active -= 1;
        this.#run();
      });
    }
    if (this.#active === 0) this.#idle?.();
  }

  async #read(job: Job): Promise<void> {
    const {signal} = this.#stopped;
    const options = {signal, retries: 1, totalMs: REQUEST_MS};
    try {
      const {data} = await this.#context.client.record(job.operation, {params: {id: job.id}, options});
      if (!signal.aborted) this.#report(job, asReceived(data) ?? null, null);
    } catch (error) {
      if (!signal.aborted) this.#report(job, null, failureText(error));
    }
  }

  #report({delivery, resource, id}: Job, object: Json, error: string | null): void {
    this.#onObject({type: 'object', delivery, resource, id, object, error});
  }
}

const failureText = (error: unknown): string =>
  error instanceof RemitError ? error.message : 'internal error (a bug in remit)';

function jobOf({id: delivery, body}: Delivery): Job | undefined {
  const data = selectedValue(parseBody(body), 'data');
  for (const [field, {resource, operation}] of Object.entries(OBJECTS)) {
    const id = idText(selectedValue(data, field));
    if (id !== undefined && /^[\x21-\x7e]{1,100}$/.test(id)) return {delivery, resource, operation, id};
  }
  return undefined;
}
