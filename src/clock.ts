/** Time as a dependency: everything that waits or reads the time takes a Clock, so that tests never wait. */
export interface Clock {
  /** Wall clock, milliseconds since the Unix epoch. */
  now(): number;
  /** Monotonic milliseconds, for measuring; its zero is arbitrary. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason if it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => {
    const [seconds, nanoseconds] = process.hrtime(); // `performance` takes a millisecond to load
    return seconds * 1e3 + nanoseconds / 1e6;
  },
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(abortReason(signal));
        return;
      }
      const onAbort = () => {
        clearTimeout(timer);
        reject(abortReason(signal));
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      }, ms);
      signal?.addEventListener('abort', onAbort, {once: true});
    }),
};

export interface PollOptions<T> {
  /** One step: undefined if another one has to follow. `leftMs` is the remaining time. */
  step: (leftMs: number) => Promise<T | undefined>;
  /** Before the next step; `pauses` is the number of pauses so far. */
  pauseMs: (pauses: number) => number;
  /** Ends a pause early if the wait is interrupted. */
  sleep: (ms: number) => Promise<void>;
  /** Time limit for the whole wait; absent: none. The last step is taken when it is over. */
  timeoutMs?: number | undefined;
  clock: Pick<Clock, 'monotonic'>;
}

/**
 * The loop of everything that waits: repeats a step, with pauses, until it has a result.
 * @returns undefined if time ran out
 */
export async function poll<T>(options: PollOptions<T>): Promise<T | undefined> {
  const {step, pauseMs, sleep, timeoutMs = Infinity, clock} = options;
  const deadline = clock.monotonic() + timeoutMs;
  for (let pauses = 0; ; pauses += 1) {
    const found = await step(deadline - clock.monotonic());
    if (found !== undefined) return found;
    const leftMs = deadline - clock.monotonic();
    if (leftMs <= 0) return undefined;
    await sleep(Math.min(leftMs, pauseMs(pauses)));
  }
}

/** Yields to everything that waits for its turn, including timers and sockets, during long work. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function abortReason(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error('aborted', {cause: reason});
}
