import {WaitBudget} from './time/patience.ts';
import {advance, type Advance} from './world/advance.ts';
import type {SandboxContext} from './world/context.ts';
import {followClock, moveClock} from './world/shared-clock.ts';
import type {TimerPump} from './world/timer-pump.ts';
import {lastDue, nextDue} from './world/timers.ts';
import type {DeliveryCounts, DeliveryDesk} from './webhooks/delivery-desk.ts';
import type {DeliveryPump} from './webhooks/delivery-pump.ts';
import type {Advanced} from './base/shown-records.ts';

/** The longest wait of a call for slow receivers; the other deliveries continue in the background. */
const DELIVERIES_MS = 15_000;

export interface AdvancingParts {
  context: SandboxContext;
  pump: TimerPump;
  deliveries: DeliveryPump;
  /** How long a call waits for receivers; default 15 s. */
  receiverPatienceMs?: number | undefined;
}

/** Moves the clock of a sandbox, with the timers and deliveries that become due on the way. */
export class ClockAdvancer {
  readonly #parts: AdvancingParts;
  readonly #desk: DeliveryDesk;

  constructor(parts: AdvancingParts, desk: DeliveryDesk) {
    this.#parts = parts;
    this.#desk = desk;
  }

  async advance(by: Advance): Promise<Advanced> {
    const {context, deliveries} = this.#parts;
    await followClock(context);
    const patience = this.#patience();
    // What was due before the move does not count: whether the background has sent it by now depends on the machine's speed.
    await patience.during((over) => deliveries.runWithin(over));
    const before = await this.#desk.counts();
    // Once receivers are no longer waited for, time advances to the steps of the bank, past deliveries.
    const nextDelivery = async () => (patience.isOver ? undefined : deliveries.nextDue());
    const ahead = async (due: Promise<number | undefined>, pick: (...due: number[]) => number) => {
      const all = [await due, await nextDelivery()].filter((ms) => ms !== undefined);
      return all.length === 0 ? undefined : pick(...all);
    };
    const became = await advance(
      {
        now: () => context.clock.now(),
        nextDue: () => ahead(context.store.read(nextDue), Math.min),
        lastDue: () => ahead(context.store.read(lastDue), Math.max),
        move: (to) => this.#move(to, patience),
      },
      by,
    );
    const waiting = patience.isOver ? await deliveries.underWay('until' in by && by.until === 'idle') : 0;
    const after = await this.#desk.counts();
    const sent = {attempts: after.attempts - before.attempts, deliveries: endedOf(after) - endedOf(before)};
    if (waiting === 0) return {now: isoOf(context), ...became, ...sent};
    const idle = became.idle === undefined ? {} : {idle: false};
    return {now: isoOf(context), ...became, ...sent, ...idle, deliveries_under_way: waiting};
  }

  #patience(): WaitBudget {
    return new WaitBudget(this.#parts.receiverPatienceMs ?? DELIVERIES_MS);
  }

  /** A clock that runs makes no promise about which webhooks a fault strikes: then no receiver is waited for. */
  async sendDue(): Promise<void> {
    const {context, deliveries} = this.#parts;
    await followClock(context);
    if (context.clock.state.mode !== 'frozen') return;
    await this.#patience().during((over) => deliveries.runWithin(over));
  }

  /** Counts from the store's clock, not from what this process last read: if two processes advance at once, both count. */
  async #move(to: (nowMs: number) => number, patience: WaitBudget): Promise<number> {
    const {context, pump, deliveries} = this.#parts;
    const fired = await deliveries.hold(async () => {
      await moveClock(context, (clock) => clock.advanceTo(to(clock.now())));
      return pump.run(context.clock.now(), {alone: true});
    });
    await patience.during((over) => deliveries.runWithin(over));
    return fired;
  }
}

const isoOf = ({clock}: SandboxContext): string => new Date(clock.now()).toISOString();

const endedOf = ({delivered, failed, dropped}: DeliveryCounts): number => delivered + failed + dropped;
