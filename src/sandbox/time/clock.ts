import type {Clock} from '../../clock.ts';

/** The state of the sandbox's clock; stored, so that a restart continues from the same time. */
export type ClockState =
  | {mode: 'real'; /** Milliseconds that the sandbox is ahead of the machine. */ aheadMs: number}
  | {
      mode: 'accelerated';
      /** Sandbox milliseconds per machine millisecond. */
      speed: number;
      /** The sandbox time when the machine's was `machineMs`. */
      atMs: number;
      machineMs: number;
    }
  | {mode: 'frozen'; /** Moves only by `advanceTo`. */ atMs: number};

/** The clock mode from now on. */
export type ClockMode = {mode: 'real'} | {mode: 'accelerated'; speed: number} | {mode: 'frozen'};

/** Maximum speed: a week in six seconds. For more, use `advance`. */
export const SPEED_MAX = 100_000;
/** The latest supported time: the calendars of the simulated bank do not go further. */
export const CLOCK_MAX_MS = Date.UTC(2200, 0, 1);

/** What a clock with that state shows when the machine's shows `machineMs`; at most CLOCK_MAX_MS. */
export const momentOf = (state: ClockState, machineMs: number): number =>
  Math.min(reckoned(state, machineMs), CLOCK_MAX_MS);

function reckoned(state: ClockState, machineMs: number): number {
  if (state.mode === 'frozen') return state.atMs;
  return state.mode === 'real'
    ? machineMs + state.aheadMs
    : state.atMs + Math.floor((machineMs - state.machineMs) * state.speed);
}

/**
 * The time of the simulated world: the machine's, ahead of it, faster, or frozen. It only goes back when a checkpoint
 * is restored.
 */
export class SandboxClock {
  readonly #machine: Clock;
  #state: ClockState;

  constructor(machine: Clock, state: ClockState) {
    this.#machine = machine;
    this.#state = state;
  }

  get state(): ClockState {
    return this.#state;
  }

  /**
   * Another clock on the same machine, for calculations: `follow` takes over its state once that is committed, not
   * before.
   */
  fork(state: ClockState = this.#state): SandboxClock {
    return new SandboxClock(this.#machine, state);
  }

  /** Takes over a state stored by another process, or by a checkpoint; returns whether it differs from its own. */
  follow(state: ClockState): boolean {
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return false;
    this.#state = state;
    return true;
  }

  /** Milliseconds since the epoch, at most CLOCK_MAX_MS. */
  now(): number {
    return momentOf(this.#state, this.#machine.now());
  }

  /** Moves forward to `ms`; a past time changes nothing. */
  advanceTo(ms: number): void {
    if (ms > this.now()) this.#state = this.#from(Math.min(ms, CLOCK_MAX_MS), this.#state);
  }

  /** Runs as `state` does, from the time `ms` on: back to a checkpoint. */
  resume(state: ClockState, ms: number): void {
    this.#state = this.#from(ms, state);
  }

  /** Changes the clock mode; time continues from the current time. */
  setMode(mode: ClockMode): void {
    this.#state = this.#from(this.now(), mode);
  }

  #from(ms: number, mode: ClockMode): ClockState {
    if (mode.mode === 'frozen') return {mode: 'frozen', atMs: ms};
    const machineMs = this.#machine.now();
    return mode.mode === 'real'
      ? {mode: 'real', aheadMs: ms - machineMs}
      : {mode: 'accelerated', speed: mode.speed, atMs: ms, machineMs};
  }

  /** How long the machine must wait until the sandbox's `ms`; forever if the clock is frozen. */
  waitMs(ms: number): number {
    if (ms > CLOCK_MAX_MS) return Infinity;
    const left = Math.max(0, ms - this.now());
    if (left === 0 || this.#state.mode === 'real') return left;
    return this.#state.mode === 'frozen' ? Infinity : Math.ceil(left / this.#state.speed);
  }
}
