interface KeptFunction {
  hold(): void;
  release(): void;
}

/**
 * Keeps a global function as it is now, whatever is assigned to it between `hold` and `release`. What was assigned last
 * takes effect after that, but a replacement that is still there only once it has been undone: clients of the sandbox
 * that has stopped need the function until then.
 */
function keeping(owner: object, name: string): KeptFunction {
  const before = Object.getOwnPropertyDescriptor(owner, name);
  const real: unknown = before?.value;
  if (typeof real !== 'function' || before?.configurable !== true)
    return {hold: () => undefined, release: () => undefined};
  const kept = (...args: unknown[]): unknown => Reflect.apply(real, owner, args);
  let current: unknown = real;
  let holders = 0;
  let isHeld = false;
  const letGo = () => {
    if (holders > 0 || current !== real) return;
    Object.defineProperty(owner, name, before);
    isHeld = false;
  };
  const set = (value: unknown) => {
    current = value === kept ? real : value;
    letGo();
  };
  return {
    hold: () => {
      holders += 1;
      if (isHeld) return;
      isHeld = true;
      current = Reflect.get(owner, name);
      const {enumerable = true} = before;
      Object.defineProperty(owner, name, {get: () => kept, set, enumerable, configurable: true});
    },
    release: () => {
      holders -= 1;
      letGo();
    },
  };
}

/** Without these two no socket of Node's works, and fake timers replace them too. */
const TICKS = [keeping(process, 'nextTick'), keeping(globalThis, 'queueMicrotask')];

/** @returns what ends it, for each call once */
export function keepRealTicks(): () => void {
  for (const tick of TICKS) tick.hold();
  return () => {
    for (const tick of TICKS) tick.release();
  };
}
