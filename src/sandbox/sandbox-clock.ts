import type {Clock} from '../clock.ts';

/** How the sandbox's time runs; kept in the store, so that a restart goes on from the same moment. */
export type ClockState =
  | {mode: 'real'; /** Milliseconds that the sandbox is ahead of the machine. */ aheadMs: number}
  | {mode: 'frozen'; /** Moves by `advanceTo` only. */ atMs: number};

/** The time of the simulated world: the machine's, ahead of it, or standing still. It goes back by a checkpoint only. */
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

  /** Takes over a state that was stored by another process, or by a checkpoint; whether it differs from its own. */
  follow(state: ClockState): boolean {
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return false;
    this.#state = state;
    return true;
  }

  now(): number {
    return this.#state.mode === 'frozen' ? this.#state.atMs : this.#machine.now() + this.#state.aheadMs;
  }

  /** Moves forward to `ms`; a moment that has passed changes nothing. */
  advanceTo(ms: number): void {
    const step = ms - this.now();
    if (step <= 0) return;
    this.#state =
      this.#state.mode === 'frozen'
        ? {mode: 'frozen', atMs: ms}
        : {mode: 'real', aheadMs: this.#state.aheadMs + step};
  }

  /** How long the machine must wait until the sandbox's `ms`; never, when time stands still. */
  waitMs(ms: number): number {
    return this.#state.mode === 'frozen' && ms > this.now() ? Infinity : Math.max(0, ms - this.now());
  }
}
