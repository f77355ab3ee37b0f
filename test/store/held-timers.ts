/**
 * Runs `work` with `setTimeout` and `setInterval` that fire only when `pass` lets time go by, in this process and for code
 * that has no clock of its own. `mock.timers` of `node:test` does the same, with a warning on Node 20.
 */
export async function withHeldTimers(
  work: (pass: (ms: number) => void) => Promise<void> | void,
): Promise<void> {
  const timers = new Set<{dueMs: number; everyMs: number | undefined; fire: () => void}>();
  let nowMs = 0;
  const hold = (repeats: boolean) => (fire: () => void, ms: number) => {
    const timer = {dueMs: nowMs + ms, everyMs: repeats ? ms : undefined, fire, unref: () => timer};
    timers.add(timer);
    return timer;
  };
  const pass = (ms: number): void => {
    const until = nowMs + ms;
    for (;;) {
      const [next] = [...timers].filter(({dueMs}) => dueMs <= until).sort((a, b) => a.dueMs - b.dueMs);
      if (next === undefined) break;
      nowMs = next.dueMs;
      if (next.everyMs === undefined) timers.delete(next);
      else next.dueMs += next.everyMs;
      next.fire();
    }
    nowMs = until;
  };
  const {setTimeout, setInterval, clearTimeout, clearInterval} = globalThis;
  const clear = (timer: unknown) => void timers.delete(timer as never);
  const held = {setTimeout: hold(false), setInterval: hold(true), clearTimeout: clear, clearInterval: clear};
  Object.assign(globalThis, held);
  try {
    await work(pass);
  } finally {
    Object.assign(globalThis, {setTimeout, setInterval, clearTimeout, clearInterval});
  }
}
