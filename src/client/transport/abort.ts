/**
 * The waiters of one signal. A batch runs hundreds of exchanges under one signal: a listener for each would be slow,
 * and Node warns above ten. They form a linked list, because filling and emptying a Set a million times costs more
 * than the rest of an exchange's bookkeeping.
 */
const waiting = new WeakMap<AbortSignal, Ring>();

/** A waiter that a signal can abort. It can watch only one signal at a time. */
export abstract class Abortable {
  next: Abortable = this;
  previous: Abortable = this;
  abstract onAbort(reason: unknown): void;
}

class Ring extends Abortable {
  onAbort(): void {}
}

class Waiter extends Abortable {
  readonly onAbort: (reason: unknown) => void;

  constructor(onAbort: (reason: unknown) => void) {
    super();
    this.onAbort = onAbort;
  }
}

/** A waiter for callers that are not classes. */
export const waiter = (onAbort: (reason: unknown) => void): Abortable => new Waiter(onAbort);

/** Calls `who` when the signal fires, until `unwatch`. */
export function watch(signal: AbortSignal, who: Abortable): void {
  const ring = waiting.get(signal) ?? begin(signal);
  who.previous = ring.previous;
  who.next = ring;
  ring.previous.next = who;
  ring.previous = who;
}

function begin(signal: AbortSignal): Ring {
  const ring = new Ring();
  const tell = () => {
    while (ring.next !== ring) {
      const who = ring.next;
      unwatch(who);
      who.onAbort(signal.reason);
    }
  };
  signal.addEventListener('abort', tell, {once: true});
  waiting.set(signal, ring);
  return ring;
}

/** Does nothing if `who` watches no signal. */
export function unwatch(who: Abortable): void {
  who.previous.next = who.next;
  who.next.previous = who.previous;
  who.next = who.previous = who;
}

/** Fires with the first of two signals. `AbortSignal.any` misses one of another realm, such as that of jsdom. */
export function eitherSignal(given: AbortSignal, own: AbortSignal): AbortSignal {
  if (given instanceof AbortSignal) return AbortSignal.any([given, own]);
  const either = new AbortController();
  for (const signal of [given, own]) {
    const stop = () => either.abort(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, {once: true, signal: either.signal});
  }
  return either.signal;
}
