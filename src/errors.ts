/**
 * The closed list of everything that can go wrong for a reason we expect, with the exit code that a script sees.
 * docs/reference/exit-codes.md repeats both tables; test/errors.test.ts compares them in both directions.
 */

/** Exit codes: a stable interface. */
export const EXIT = {
  OK: 0,
  BUG: 1,
  USAGE: 2,
  CREDENTIALS: 3,
  NOT_FOUND: 4,
  INVALID: 5,
  CONFLICT: 6,
  UNAVAILABLE: 7,
  PARTIAL: 8,
  ENDED_BADLY: 9,
  TIMED_OUT: 10,
  GUARD: 11,
  IN_DOUBT: 12,
  LOCAL_STATE: 13,
  SIGNATURE: 14,
  INTERRUPTED: 130,
  TERMINATED: 143,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_MEANINGS: Readonly<Record<ExitCode, string>> = {
  0: 'done (200, 201, 202, 204)',
  1: 'a bug of ours',
  2: 'usage: unknown command, bad flag, missing argument, a prompt needed but no terminal',
  3: 'credentials: no key, 401, 403',
  4: 'not found: 404, or a profile, batch or row that is not there',
  5: 'refused as invalid: 400, 422, local validation, CSV errors',
  6: 'conflict: 409',
  7: 'unavailable after retries: a read that failed; a write that got 429 or failed before any byte left',
  8: 'done with a warning or in part: 207, an auto-approve whose body still says created, a batch with rejected or unapproved rows',
  9: 'a wait ended in failed or canceled',
  10: 'a wait ran out of time',
  11: 'refused by a guard: live not confirmed, cap exceeded, read-only profile',
  12: 'in doubt: a write still unsettled after its retries (5xx, cut or lost answer): it may have taken effect',
  13: 'local state: journal, lock, disk, damaged config',
  14: 'a signature does not verify',
  130: 'interrupted (Ctrl-C); what can be resumed says how',
  143: 'terminated (SIGTERM, or SIGHUP from a closed terminal); what can be resumed says how',
};

interface ErrorKind {
  exit: ExitCode;
  /** Whether the same command may be typed again unchanged with a fair chance. */
  retryable: boolean;
  meaning: string;
}

const kind = (exit: ExitCode, meaning: string, retryable = false): ErrorKind => ({exit, retryable, meaning});

export const ERRORS = {
  // Ours.
  BUG: kind(EXIT.BUG, 'a broken assumption inside remit; please report it'),
  USAGE: kind(EXIT.USAGE, 'a flag, argument or command is wrong or missing'),
  NEEDS_TERMINAL: kind(
    EXIT.USAGE,
    'a question would have to be asked, but there is no terminal; the message names the flag',
  ),
  NO_KEY: kind(EXIT.CREDENTIALS, 'no API key was found'),
  BAD_KEY: kind(EXIT.CREDENTIALS, 'the key is not of the form test_… or live_…, or its command failed'),
  NO_BATCH: kind(EXIT.NOT_FOUND, 'the named batch, or row of a batch, is not in this state folder'),
  NO_PROFILE: kind(EXIT.NOT_FOUND, 'the named profile does not exist'),
  LOCAL_VALIDATION: kind(EXIT.INVALID, 'refused on this machine, before anything was sent'),
  CSV_INVALID: kind(EXIT.INVALID, 'the CSV has errors; nothing was sent'),
  GUARD_LIVE: kind(EXIT.GUARD, 'a live write that was not confirmed'),
  GUARD_CAP: kind(EXIT.GUARD, 'a cap of the profile would be exceeded or cannot be checked'),
  GUARD_READ_ONLY: kind(EXIT.GUARD, 'the profile is read-only'),
  GUARD_CONFIRM: kind(EXIT.GUARD, 'the stated confirmation does not match, or was refused'),
  GUARD_DUPLICATES: kind(EXIT.GUARD, 'soft duplicates that were not acknowledged'),
  GUARD_BINDING: kind(EXIT.GUARD, 'the batch is bound to another mode, base URL or key'),
  BATCH_CANCELED: kind(EXIT.GUARD, 'the batch is canceled or being canceled; nothing else of it is sent'),
  GUARD_ARGUMENT: kind(EXIT.GUARD, 'an account or card number on the command line, with a live key'),
  GUARD_TARGET: kind(
    EXIT.GUARD,
    'a base URL, path or redirect that a key must not be sent to, or a key that must not be used with a profile',
  ),
  ENDED_BADLY: kind(EXIT.ENDED_BADLY, 'a wait ended in failed or canceled'),
  WAIT_TIMEOUT: kind(EXIT.TIMED_OUT, 'a wait ran out of time', true),
  WARNING: kind(EXIT.PARTIAL, 'the service answered 207, or did not approve what it was asked to approve'),
  BATCH_PARTIAL: kind(EXIT.PARTIAL, 'the batch ended with rejected, unapproved, conflicting or held rows'),
  BATCH_STOPPED: kind(EXIT.UNAVAILABLE, 'the batch stopped before its end; resume it', true),
  KEY_REUSED: kind(
    EXIT.CONFLICT,
    'the service answered with another record than the one asked for: the idempotency key was used before',
  ),
  STATE: kind(EXIT.LOCAL_STATE, 'a local file, journal or database cannot be read or written'),
  STATE_DAMAGED: kind(EXIT.LOCAL_STATE, 'a local file or database is damaged'),
  LOCKED: kind(EXIT.LOCAL_STATE, 'another process holds the lock', true),
  PORT_IN_USE: kind(EXIT.LOCAL_STATE, 'the port to listen on is taken'),
  NOT_RUNNING: kind(EXIT.LOCAL_STATE, 'the sandbox is not running'),
  CURSOR_REPEATED: kind(EXIT.UNAVAILABLE, 'the service repeated a page cursor; the list was stopped'),
  LIST_CUT: kind(
    EXIT.UNAVAILABLE,
    'the service says that a list goes on, but not where: only its first part was read',
  ),
  SIGNATURE: kind(EXIT.SIGNATURE, 'a webhook signature does not verify'),
  INTERRUPTED: kind(EXIT.INTERRUPTED, 'interrupted by Ctrl-C', true),
  TERMINATED: kind(EXIT.TERMINATED, 'terminated', true),
  // The service's, by its documented code.
  VALIDATION_ERROR: kind(EXIT.INVALID, 'the service refused the request (400)'),
  AUTHENTICATION_ERROR: kind(EXIT.CREDENTIALS, 'the key is missing or not accepted (401)'),
  AUTHORIZATION_ERROR: kind(EXIT.CREDENTIALS, 'the key may not do this (403)'),
  PAYER_NOT_FOUND: kind(EXIT.NOT_FOUND, 'no such payer in this entity (404)'),
  PAYMENT_METHOD_NOT_FOUND: kind(EXIT.NOT_FOUND, 'no such payment method (404)'),
  NOT_FOUND: kind(EXIT.NOT_FOUND, 'no such record in this entity (404)'),
  IDEMPOTENCY_KEY_CONFLICT: kind(
    EXIT.CONFLICT,
    'the key belongs to a failed or canceled record; a new key is required (409)',
  ),
  INVALID_PAYMENT_DETAILS: kind(EXIT.INVALID, 'payment details are invalid or incomplete (422)'),
  // The service's, by status, where it gave no code that we know.
  REFUSED: kind(EXIT.INVALID, 'the service refused the request with a 4xx'),
  CONFLICT: kind(EXIT.CONFLICT, 'the service answered 409 without a code that we know', true),
  RATE_LIMITED: kind(EXIT.UNAVAILABLE, 'the service answered 429 until the retries ran out', true),
  UNAVAILABLE: kind(
    EXIT.UNAVAILABLE,
    'the service could not be reached, or a read failed after its retries',
    true,
  ),
  REDIRECTED: kind(EXIT.UNAVAILABLE, 'the service answered with a redirect, which is never followed'),
  IN_DOUBT: kind(EXIT.IN_DOUBT, 'a write whose outcome is unknown: repeat it with the same key'),
} as const satisfies Record<string, ErrorKind>;
export type ErrorCode = keyof typeof ERRORS;

export interface ErrorFacts {
  /** What to type next, with the real ids in it. */
  hint?: string | undefined;
  httpStatus?: number | undefined;
  requestId?: string | undefined;
  /** Machine-readable extras; must not hold a key, an account number or a card number. */
  details?: Readonly<Record<string, unknown>> | undefined;
  /** The answer's body as parsed, or as text where it was not JSON. */
  body?: unknown;
  /** Only where one code can end a command in different ways. */
  exitCode?: ExitCode | undefined;
  retryable?: boolean | undefined;
  cause?: unknown;
}

/** Expected trouble: it has a code, an exit code and, where there is one, a way out. Everything else is a bug. */
export class RemitError extends Error {
  override readonly name = 'RemitError';
  readonly code: ErrorCode;
  readonly exitCode: ExitCode;
  readonly retryable: boolean;
  readonly hint: string | undefined;
  readonly httpStatus: number | undefined;
  readonly requestId: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly body: unknown;

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : {cause: facts.cause});
    this.code = code;
    this.exitCode = facts.exitCode ?? ERRORS[code].exit;
    this.retryable = facts.retryable ?? ERRORS[code].retryable;
    this.hint = facts.hint;
    this.httpStatus = facts.httpStatus;
    this.requestId = facts.requestId;
    this.details = facts.details;
    this.body = facts.body;
  }
}
