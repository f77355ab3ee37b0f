import {setMaxListeners} from 'node:events';
import {RemitError} from '../../errors.ts';

/** Time for a command to end after the first signal, before the process is ended anyway. */
const GRACE_MS = 5000;

/**
 * Handles Ctrl-C, SIGTERM, and SIGHUP, which a closed terminal sends. By default the first signal aborts all waits,
 * and the command ends; a command that must finish requests in flight calls `drain()` and decides itself, until a
 * second signal.
 */
export class Stop {
  readonly #first = new AbortController();
  readonly #second = new AbortController();
  readonly #exit: (code: number) => void;
  #draining = false;
  #hungUp = false;
  #signals = 0;
  #ignoreSignals: () => void = () => {};
  #grace: NodeJS.Timeout | undefined;

  constructor(exit: (code: number) => void) {
    this.#exit = exit;
    setMaxListeners(0, this.#first.signal); // one for each record that is waited for
  }

  /** Aborted by the first signal; the reason is a RemitError INTERRUPTED or TERMINATED. */
  get signal(): AbortSignal {
    return this.#first.signal;
  }

  /** The reason to stop, once there is one. */
  get reason(): RemitError | undefined {
    return this.#first.signal.aborted ? (this.#first.signal.reason as RemitError) : undefined;
  }

  /** The terminal was closed: writing to it fails from now on. */
  get hungUp(): boolean {
    return this.#hungUp;
  }

  /**
   * The signals of a long run: `first` asks to finish what is in flight, `second` to stop immediately. There is no
   * grace period.
   */
  drain(): {first: AbortSignal; second: AbortSignal} {
    this.#draining = true;
    return {first: this.#first.signal, second: this.#second.signal};
  }

  /** A signal arrived. The third always ends the process; so does the second if no command is draining. */
  receive(name: 'SIGINT' | 'SIGTERM'): void {
    this.#signals += 1;
    const reason =
      name === 'SIGINT'
        ? new RemitError('INTERRUPTED', 'interrupted')
        : new RemitError('TERMINATED', 'terminated');
    if (this.#signals === 1) {
      this.#first.abort(reason);
      if (!this.#draining) this.#grace = setTimeout(() => this.#exit(reason.exitCode), GRACE_MS).unref();
      return;
    }
    this.#second.abort(reason);
    if (!this.#draining || this.#signals > 2) this.#exit(reason.exitCode);
  }

  /**
   * The terminal was closed. The shell, the kernel and a failed read may each report it; only the first report counts as
   * a request to stop.
   */
  hangUp(): void {
    this.#hungUp = true;
    if (this.#signals === 0) this.receive('SIGTERM');
  }

  /**
   * Starts listening to the process; `release` stops it.
   * @param screen stderr. A terminal echoes `^C`, which would shift the next line by two columns
   */
  listen(
    target: NodeJS.EventEmitter,
    screen?: {isTTY?: boolean | undefined; write(text: string): unknown},
  ): void {
    const onInt = () => {
      if (screen?.isTTY === true) screen.write('\r');
      this.receive('SIGINT');
    };
    const onTerm = () => this.receive('SIGTERM');
    const onHangUp = () => this.hangUp();
    target.on('SIGINT', onInt).on('SIGTERM', onTerm).on('SIGHUP', onHangUp);
    this.#ignoreSignals = () => {
      for (const [name, handler] of [
        ['SIGINT', onInt],
        ['SIGTERM', onTerm],
        ['SIGHUP', onHangUp],
      ] as const)
        target.on(name, () => {}).removeListener(name, handler);
    };
  }

  /**
   * The command has ended, with an exit code that no later signal changes: there is no grace period any more, and signals
   * are ignored until the process exits.
   */
  release(): void {
    clearTimeout(this.#grace);
    this.#ignoreSignals();
  }
}
