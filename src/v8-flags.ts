/** Changed flags, by what sets them back to the values at which V8 starts. */
const changed = new Map<string, string>();

/**
 * Sets flags of V8 for the rest of this process.
 * @param flags as on the command line of node, separated by spaces
 * @param defaults the same flags with the values at which V8 starts
 */
export function setV8Flags(flags: string, defaults: string): void {
  changed.set(defaults, flags);
  v8().setFlagsFromString(flags);
}

/** V8 takes a code cache only under the flags with which it was made: caches are made and read under the defaults. */
export function withV8Defaults<T>(work: () => T): T {
  for (const defaults of changed.keys()) v8().setFlagsFromString(defaults);
  try {
    return work();
  } finally {
    for (const flags of changed.values()) v8().setFlagsFromString(flags);
  }
}

const v8 = () => process.getBuiltinModule('node:v8'); // loading it takes time, and few commands set a flag
