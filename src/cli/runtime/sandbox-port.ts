/** The port that a sandbox takes when none is named; its profile keeps working over restarts. */
export const DEFAULT_PORT = 4510;
