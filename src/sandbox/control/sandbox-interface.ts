import type {Advance} from '../world/advance.ts';
import type {Audit} from '../entities/audit.ts';
import type {Checkpoints} from '../entities/checkpoints.ts';
import type {RequestCounts} from '../api/exchange.ts';
import type {Faults} from '../outcomes/faults.ts';
import type {IssuedKey, KeyScope} from '../world/keys.ts';
import type {MagicValue} from '../outcomes/magic.ts';
import type {Simulated, Simulation} from '../outcomes/outcomes.ts';
import type {Deliver} from '../api/routing.ts';
import type {ClockMode, ClockState} from '../time/clock.ts';
import type {Seeded} from '../entities/seed.ts';
import type {TimingProfile} from '../time/timing.ts';
import type {DeliveryCounts, DeliveryDesk} from '../webhooks/delivery-desk.ts';

export interface ClockStatus {
  mode: ClockState['mode'];
  now: string;
  timing: TimingProfile;
  /** Of an accelerated clock: seconds here for one of the machine. */
  speed?: number;
}

/** Where time was moved to, and how many timers fired on the way. */
export interface Advanced {
  now: string;
  fired: number;
  /** Requests sent to webhook endpoints meanwhile, whatever came of them. */
  attempts: number;
  /** Webhook deliveries that ended meanwhile: delivered, failed or dropped. */
  deliveries: number;
  /** With `until: 'idle'`: whether nothing is left to happen. */
  idle?: boolean;
  /** Webhook deliveries whose receivers were too slow to wait for; they continue in the background. */
  deliveries_under_way?: number;
}

export interface SandboxStatus {
  clock: ClockStatus;
  requests: RequestCounts;
  faults: number;
  deliveries: DeliveryCounts;
  audit: Truth;
}

export interface Truth extends Audit {
  /** POSTs to the API since the start or the last reset, whatever became of them. */
  posts: number;
}

/** The simulated service: a function from request to answer, with a store of its own. */
export interface Sandbox {
  /** Answers a request. An injected reset rejects, as a lost connection would. */
  fetch(request: Request, deliver?: Deliver): Promise<Response>;
  readonly testKey: string;
  readonly liveKey: string;
  readonly controlToken: string;
  readonly faults: Faults;
  readonly deliveries: DeliveryDesk;
  /** The whole store under a name: to save, to list, to come back to. */
  readonly checkpoints: Checkpoints;
  status(): Promise<SandboxStatus>;
  /** The truth: POSTs received, payins and payouts by status, balances, and whether everything adds up. */
  audit(): Promise<Truth>;
  /** Requests answered since the start or the last reset. */
  requests(): RequestCounts;
  keys(): Promise<IssuedKey[]>;
  issueKey(key: {mode: 'test' | 'live'; scope: KeyScope}): Promise<IssuedKey>;
  /** Takes away all records and faults; entities, keys and the clock stay. */
  reset(options?: {mainBalanceMinor?: number | undefined}): Promise<void>;
  seed(request: {payees: number; payers: number; seed?: string; mode?: 'test' | 'live'}): Promise<Seeded>;
  /** Moves the sandbox's clock forward and lets everything happen that falls due. */
  advance(by: Advance): Promise<Advanced>;
  clock(): Promise<ClockStatus>;
  /** Changes how time runs; it continues from the same moment. */
  setClock(mode: ClockMode): Promise<ClockStatus>;
  /** Makes the bank do something now. @throws {ServiceError} for what cannot happen, or is not there. */
  simulate(asked: Simulation): Promise<Simulated>;
  magicValues(): MagicValue[];
  /** A link that opens the page at `/` with its controls, once: path and query, and until when (the machine's clock). */
  pageLink(): {path: string; expires_at: string};
  close(): Promise<void>;
}
