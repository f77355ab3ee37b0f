/** Runs work as if this process belonged to a user: only what it decides by its own uid changes, not what it may do. */
export function asUser<T>(uid: number, work: () => T): T {
  const {geteuid} = process;
  process.geteuid = () => uid;
  try {
    return work();
  } finally {
    if (geteuid === undefined) delete process.geteuid;
    else process.geteuid = geteuid;
  }
}
