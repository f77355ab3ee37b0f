/** The default port of the sandbox, so that its profile keeps working after restarts. */
export const DEFAULT_PORT = 4510;
