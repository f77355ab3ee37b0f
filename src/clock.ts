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

/** Yields to everything that waits for its turn, including timers and sockets, during long work. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function abortReason(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error('aborted', {cause: reason});
}
