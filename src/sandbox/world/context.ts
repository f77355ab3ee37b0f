import type {Store} from '../../store/port.ts';
import type {IdMaker} from '../base/ids.ts';
import type {KeyIndex} from './key-index.ts';
import type {RandomBytes} from '../base/random.ts';
import type {SandboxClock} from '../time/clock.ts';
import type {Timing} from '../time/timing.ts';

/** Rules of the document that it leaves open, as switches. */
export interface RuleSwitches {
  /** Another body under a used key: 409 instead of the first record (assumption 47). */
  strictIdempotency: boolean;
  /** A key is forgotten this long after its record was created; null keeps it for ever (assumption 46). */
  idempotencyTtlMs: number | null;
  /** Amounts such as 55.01 make an ACH transfer come back. */
  magicAmounts: boolean;
  /** Entities whose account transfers are initiated after the answer to the create: 202. None when absent. */
  asyncInitiation?: readonly Entity['mode'][];
  /** A move that met a recoverable issue settles nevertheless, with its warning (assumption 8). */
  settleMove207?: boolean;
}

/** What every handler and timer works with. */
export interface Context {
  store: Store;
  clock: SandboxClock;
  ids: IdMaker;
  /** Of idempotency keys. */
  keyIndex: KeyIndex;
  random: RandomBytes;
  timing: Timing;
  rules: RuleSwitches;
  /** Says that a timer was committed, so that the pump can wake in time. */
  timerAdded: (dueMs: number) => void;
  /** The same of a delivery, to its own pump. */
  deliveryAdded: (dueMs: number) => void;
}

/** Whose data a request sees. Live-style entities have the rules of live ones; no entity here moves real money. */
export interface Entity {
  id: string;
  mode: 'test' | 'live';
  name: string;
}
