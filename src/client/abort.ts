/**
 * Those who wait for one signal. A batch runs hundreds of exchanges under one: a listener for each would be slow, and
 * Node warns above ten.
 */
const waiting = new WeakMap<AbortSignal, Set<Abortable>>();

export interface Abortable {
  onAbort(reason: unknown): void;
}

/** Tells `who` when the signal fires, until `unwatch`. */
export function watch(signal: AbortSignal, who: Abortable): void {
  let all = waiting.get(signal);
  if (all === undefined) {
    const fresh = new Set<Abortable>();
    const tell = () => {
      for (const one of fresh) one.onAbort(signal.reason);
    };
    signal.addEventListener('abort', tell, {once: true});
    waiting.set(signal, fresh);
    all = fresh;
  }
  all.add(who);
}

export function unwatch(signal: AbortSignal, who: Abortable): void {
  waiting.get(signal)?.delete(who);
}
