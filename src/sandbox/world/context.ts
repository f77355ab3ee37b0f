import type {Mode} from '../../contract/mode.ts';
import type {Store} from '../../store/port/port.ts';
import type {BankDialect} from '../base/bank-dialect.ts';
import type {IdMaker} from '../base/ids.ts';
import type {KeyIndex} from './key-index.ts';
import type {RandomBytes} from '../base/random.ts';
import type {SandboxClock} from '../time/clock.ts';
import type {Timing} from '../time/timing.ts';

/** Rules that the document leaves open, as switches. */
export interface RuleSwitches {
  /** A used key with another body: 409 instead of the first record (assumption 47). */
  strictIdempotency: boolean;
  /** Like `strictIdempotency`, and another `auto_approve` makes it another body: a replay cannot approve. */
  strictAutoApprove?: boolean;
  /** A key is forgotten this long after its record was created; null keeps it forever (assumption 46). */
  idempotencyTtlMs: number | null;
  /** Amounts such as 55.01 cause an ACH return. */
  magicAmounts: boolean;
  /** Entities whose account transfers are initiated after the answer to the create: 202. Default: none. */
  asyncInitiation?: readonly Entity['mode'][];
  /** How the bank reports new treasury accounts; default: `id`. */
  bankDialect?: BankDialect;
  /** A move with a recoverable problem settles nevertheless, with its warning (assumption 8). */
  settleMove207?: boolean;
}

/** What every handler and timer needs. */
export interface SandboxContext {
  store: Store;
  clock: SandboxClock;
  ids: IdMaker;
  /** The index of idempotency keys. */
  keyIndex: KeyIndex;
  random: RandomBytes;
  timing: Timing;
  rules: RuleSwitches;
  /** Reports that a timer was committed, so that the pump can wake in time. */
  timerAdded: (dueMs: number) => void;
  /** Wakes the pump of the deliveries. */
  deliveryAdded: (dueMs: number) => void;
}

/** Whose data a request sees. Live-style entities follow the rules of live ones; no entity here moves real money. */
export interface Entity {
  id: string;
  mode: Mode;
  name: string;
}
