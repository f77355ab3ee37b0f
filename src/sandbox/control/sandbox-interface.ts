import type {Mode} from '../../contract/mode.ts';
import type {Advance} from '../world/advance.ts';
import type {Audit} from '../entities/audit.ts';
import type {Checkpoints} from '../entities/checkpoints.ts';
import type {RequestCounts} from '../api/exchange.ts';
import type {Faults} from '../outcomes/faults.ts';
import type {IssuedKey, KeyRights} from '../world/keys.ts';
import type {MagicValue} from '../outcomes/magic.ts';
import type {Simulated, Simulation} from '../outcomes/outcomes.ts';
import type {SandboxRequest} from '../api/request.ts';
import type {Outgoing} from '../outcomes/fault-answer.ts';
import type {ClockMode} from '../time/clock.ts';
import type {BankDialect} from '../base/bank-dialect.ts';
import type {AccountDialect} from '../ledger/treasury-account.ts';
import type {StatementFile, StatementRequest} from '../statement/statement-file.ts';
import type {DeliveryCounts, DeliveryDesk} from '../webhooks/delivery-desk.ts';
import type {Advanced, ClockStatus, Seeded} from '../base/shown-records.ts';

export interface SandboxStatus {
  clock: ClockStatus;
  requests: RequestCounts;
  faults: number;
  deliveries: DeliveryCounts;
  audit: Truth;
}

export interface Truth extends Audit {
  /** POSTs to the API since the start or the last reset, whatever their result. */
  posts: number;
}

/** The simulated service: a function from request to answer, with its own store. */
export interface Sandbox {
  answer(request: SandboxRequest): Promise<Outgoing>;
  /** Answers a standard request. An injected reset rejects, as a lost connection would. */
  fetch(request: Request): Promise<Response>;
  readonly testKey: string;
  readonly liveKey: string;
  readonly controlToken: string;
  readonly faults: Faults;
  readonly deliveries: DeliveryDesk;
  /** Saves the whole store under a name, lists copies, and restores one. */
  readonly checkpoints: Checkpoints;
  status(): Promise<SandboxStatus>;
  /** The audit: POSTs received, payins and payouts by status, balances, and whether everything adds up. */
  audit(): Promise<Truth>;
  /** Requests answered since the start or the last reset. */
  requests(): RequestCounts;
  keys(): Promise<IssuedKey[]>;
  issueKey(key: {mode: Mode; scope: KeyRights}): Promise<IssuedKey>;
  /** Deletes all records and faults; entities, keys and the clock are kept. */
  reset(options?: {mainBalanceMinor?: number | undefined}): Promise<void>;
  seed(request: {payees: number; payers: number; seed?: string; mode?: Mode}): Promise<Seeded>;
  /** Moves the sandbox's clock forward and performs everything that falls due. */
  advance(by: Advance): Promise<Advanced>;
  clock(): Promise<ClockStatus>;
  /** Changes the clock mode; time continues from the current time. */
  setClock(mode: ClockMode): Promise<ClockStatus>;
  /** Makes the bank apply an outcome now. @throws {ServiceError} for an impossible outcome, or a missing record. */
  simulate(asked: Simulation): Promise<Simulated>;
  /**
   * How the bank reports lines from now on: of one treasury account, or of all.
   * @throws {ServiceError} NOT_FOUND
   */
  setBankDialect(dialect: BankDialect, accountId?: string): Promise<AccountDialect[]>;
  /** The statement of a treasury account, as a bank would write it. @throws {ServiceError} NOT_FOUND */
  statement(asked: StatementRequest): Promise<StatementFile>;
  magicValues(): MagicValue[];
  /**
   * A link that opens the page at `/` with its controls, once: path and query, and its expiry (by the machine's
   * clock).
   */
  pageLink(): {path: string; expires_at: string};
  close(): Promise<void>;
}
