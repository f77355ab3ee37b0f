const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Assumption 37: the delays after each failed attempt. No attempt follows the last failure. */
const RETRY_AFTER_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
] as const;
const JITTER = 0.2;
/** An overloaded receiver is not tried again sooner. */
const OVERWHELMED_MS = MINUTE;

/** The parts of a failed attempt that decide when to try again. */
export interface Setback {
  /** Null when no answer came. */
  status: number | null;
  timedOut: boolean;
  /** The wait that Retry-After asks for. */
  retryAfterMs: number | undefined;
}

/**
 * Milliseconds from a failed attempt to the next one; undefined after the last.
 * @param tries attempts so far, including this one
 * @param fraction randomness in [0, 1)
 */
export function retryDelay(tries: number, setback: Setback, fraction: number): number | undefined {
  const planned = RETRY_AFTER_MS[tries - 1];
  if (planned === undefined) return undefined;
  const jittered = Math.round(planned * (1 - JITTER + 2 * JITTER * fraction));
  const asked =
    setback.status === 429 || setback.status === 503
      ? Math.min(Math.max(setback.retryAfterMs ?? 0, jittered), 2 * planned)
      : jittered;
  const overwhelmed = setback.timedOut || setback.status === 429;
  return overwhelmed ? Math.max(asked, OVERWHELMED_MS) : asked;
}

/** Retry-After in seconds or as a date, in milliseconds from now; undefined if it is neither. */
export function readRetryAfterOfTarget(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * SECOND;
  // Date.parse accepts much that is not an HTTP date.
  const at = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} .* GMT$/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}
