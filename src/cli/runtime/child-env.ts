type Env = Readonly<Record<string, string | undefined>>;

/**
 * The environment of a child process: without the user's own REMIT_ settings, which name a service and contain its
 * key, except those that the new process needs.
 */
export const childEnv = (env: Env, needed: readonly string[] = []): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.toUpperCase().startsWith('REMIT_') || needed.includes(name)),
  );
