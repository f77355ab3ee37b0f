import type {FaultInput} from './fault-input.ts';
import type {
  Advancing,
  AuditedSandbox,
  DeliveriesWanted,
  FaultRecord,
  OutcomeInput,
  SeedInput,
} from './harness-records.ts';
import type {Simulated} from './outcomes/outcomes.ts';
import type {Scenario} from './outcomes/scenarios.ts';
import type {ClockMode} from './time/clock.ts';
import type {
  Advanced,
  ClockStatus,
  Checkpoint,
  Seeded,
  DeliveryRecord,
  ShownDelivery,
} from './base/shown-records.ts';

/**
 * A sandbox that runs in this process. Every refusal is a `RemitError`. It uses the real time and timers, also while a
 * test replaces them, and does not keep the process alive.
 */
export interface RunningHarness {
  /** The address for `new RemitClient({baseUrl, key})`. */
  readonly baseUrl: string;
  readonly testKey: string;
  readonly liveKey: string;
  /** Address and token of the control calls, for other processes. */
  readonly controlUrl: string;
  readonly controlToken: string;
  /** Deletes all records and fault rules; keys and the clock stay. */
  reset(options?: {mainBalanceMinor?: number | undefined}): Promise<void>;
  /** Creates payees and payers, each with a verified default bank account. */
  seed(parties: SeedInput): Promise<Seeded>;
  /** Moves the clock forward; everything due by then is done when the promise resolves. */
  advance(by: Advancing): Promise<Advanced>;
  /** The time, and how it passes. */
  clock(): Promise<ClockStatus>;
  /** Changes how time passes, from the current time on. */
  setClock(mode: ClockMode): Promise<ClockStatus>;
  /** Makes the bank apply an outcome to a record. */
  simulate(outcome: OutcomeInput): Promise<Simulated>;
  /**
   * What makes a payin or payout follow a scenario of docs/guides/sandbox.md, to spread into its create:
   * `client.payouts.create({...body, ...sandbox.scenario('stuck_initiated')})`. Throws USAGE for an unknown name.
   */
  scenario(name: Scenario): {metadata: Record<string, string>};
  /** Adds a fault rule, such as `{match: {operation: 'payouts.create'}, effect: {kind: 'reset', after: true}}`. */
  addFault(fault: FaultInput): Promise<FaultRecord>;
  /** The fault rules with their counters. */
  faults(): Promise<FaultRecord[]>;
  removeFault(id: string): Promise<void>;
  clearFaults(): Promise<void>;
  /** The checkpoints, oldest first. */
  checkpoints(): Promise<Checkpoint[]>;
  /** Saves the state under a name: lower-case letters, digits and hyphens. The name can be used again. */
  saveCheckpoint(name: string): Promise<Checkpoint>;
  /** Restores records, money and clock; keys are kept. */
  restoreCheckpoint(name: string): Promise<Checkpoint>;
  /** Webhook deliveries, newest first. */
  deliveries(wanted?: DeliveriesWanted): Promise<ShownDelivery[]>;
  /** One delivery with its payload and every attempt. */
  delivery(id: string): Promise<DeliveryRecord>;
  /** Sends a delivery again at once, and waits for the answer. */
  redeliver(id: string): Promise<DeliveryRecord>;
  /** Records by status, balances, and what does not add up. */
  audit(): Promise<AuditedSandbox>;
  /** Stops the server and deletes a temporary store. Safe to call twice. */
  stop(): Promise<void>;
}
