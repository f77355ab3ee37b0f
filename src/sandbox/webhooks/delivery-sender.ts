import type {Clock} from '../../clock.ts';
import type {Faults, StruckDelivery} from '../outcomes/faults.ts';
import type {ServiceFile} from '../../service/service-file.ts';
import type {SandboxContext} from '../world/context.ts';
import {attemptDelivery, dropEntry, isDelivered, judgeAttempt, logEntry} from './attempt.ts';
import * as deliveries from './deliveries.ts';
import type {Attempt, Claimed, DeliveryStanding} from './deliveries.ts';
import type {DeliveryEntry} from './delivery-log.ts';
import type {PostWebhook} from './post.ts';

export interface SenderOptions {
  context: SandboxContext;
  /** Wall clock: the timestamp header, claims, durations. */
  machine: Clock;
  faults: Faults;
  post: PostWebhook;
  /** The service whose dialect the sandbox speaks. */
  service?: ServiceFile | undefined;
  /** Aborts requests in progress. */
  signal: AbortSignal;
  onDelivery: ((entry: DeliveryEntry) => void) | undefined;
}

/** What happens to one claimed delivery: an attempt, or what a fault does to it instead. */
export class DeliverySender {
  readonly #options: SenderOptions;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  /** `atMs`: when the attempt happens, in sandbox time. */
  async deliver(claimed: Claimed, atMs: number): Promise<void> {
    const struck =
      claimed.fault === null
        ? this.#options.faults.judgeDelivery({
            id: claimed.id,
            tries: claimed.tries,
            mode: claimed.mode,
            event: claimed.eventType,
            endpoint: claimed.endpointId,
          })
        : undefined;
    if (struck?.effect.kind === 'delay' || struck?.effect.kind === 'reorder') {
      await this.#postpone(claimed, struck, atMs);
      return;
    }
    if (struck?.effect.kind === 'drop') {
      await this.#drop(claimed, atMs);
      return;
    }
    const attempts = await attemptDelivery(claimed, {atMs, byHand: false, struck}, this.#options);
    if (!attempts) {
      await this.#options.context.store.write((queries) => deliveries.giveBack(queries, claimed));
      return;
    }
    const standing = judgeAttempt(claimed, attempts[0]);
    const counted = await this.#options.context.store.write(async (queries) => {
      const written = await deliveries.recordAttempts(queries, claimed, attempts, standing);
      await deliveries.releaseHeld(queries, claimed.endpointId, atMs);
      return written;
    });
    this.#say(claimed, attempts, counted ? standing : undefined);
  }

  async #drop(claimed: Claimed, atMs: number): Promise<void> {
    await this.#options.context.store.write(async (queries) => {
      await deliveries.drop(queries, claimed, atMs);
      await deliveries.releaseHeld(queries, claimed.endpointId, atMs);
    });
    this.#options.onDelivery?.(dropEntry(claimed, this.#options.machine.now()));
  }

  async #postpone(claimed: Claimed, {effect, delayMs}: StruckDelivery, atMs: number): Promise<void> {
    const held = effect.kind === 'reorder';
    const nextMs = atMs + (effect.kind === 'reorder' ? effect.ms : delayMs);
    const fault = effect.kind;
    await this.#options.context.store.write((queries) =>
      deliveries.postpone(queries, claimed, {nextMs, held, fault}),
    );
  }

  /**
   * Sends a delivery now, whatever its state, without changing its schedule.
   * @throws no errors of its own: a failure is recorded in the attempt
   */
  async sendByHand(claimed: Claimed): Promise<void> {
    const atMs = this.#options.context.clock.now();
    const attempts = await attemptDelivery(claimed, {atMs, byHand: true, struck: undefined}, this.#options);
    if (!attempts) return;
    const standing: DeliveryStanding | undefined = isDelivered(attempts[0])
      ? {state: 'delivered', nextMs: null, tries: claimed.tries}
      : undefined;
    await this.#options.context.store.write((queries) =>
      deliveries.recordAttempts(queries, claimed, attempts, standing),
    );
    this.#say(claimed, attempts, standing);
  }

  #say(claimed: Claimed, attempts: readonly Attempt[], standing: DeliveryStanding | undefined): void {
    for (const attempt of attempts) this.#options.onDelivery?.(logEntry(claimed, attempt, standing));
  }
}
