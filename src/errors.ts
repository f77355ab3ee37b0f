import type {Printable} from './narrow.ts';

/**
 * The closed list of expected errors, each with the exit code that a script sees.
 * docs/reference/exit-codes.md repeats both tables; test/errors.test.ts compares them in both directions.
 */

/** Exit codes are a stable interface. */
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
  1: 'internal error (a bug in remit)',
  2: 'usage: unknown command, invalid flag, missing argument, or a prompt is needed but there is no terminal',
  3: 'credentials: no key, 401, 403',
  4: 'not found: 404, or a profile, batch or row that does not exist',
  5: 'invalid: 400, 422, local validation, errors in a batch file',
  6: 'conflict: 409, or a record other than requested',
  7: 'unavailable or unusable: a read that failed after its retries, or whose answer cannot be used; a write that got 429 or failed before any byte left',
  8: 'done with a warning or only in part: 207, an auto-approve whose body still says created, a batch with rejected or unapproved rows',
  9: 'the record that was waited for failed or was canceled',
  10: 'a wait timed out',
  11: 'refused by a guard: live not confirmed, cap exceeded, read-only profile',
  12: 'in doubt: the outcome of a write is unknown after its retries (5xx, or the answer was lost or truncated); it may have taken effect',
  13: 'local state: journal, lock, disk or damaged configuration',
  14: 'a signature does not verify',
  130: 'interrupted (Ctrl-C); the message says how to resume',
  143: 'terminated (SIGTERM, or SIGHUP from a closed terminal); the message says how to resume',
};

interface ErrorKind {
  exit: ExitCode;
  /** Whether running the same command again, unchanged, may well succeed. */
  retryable: boolean;
  meaning: string;
}

const kind = (exit: ExitCode, meaning: string, retryable = false): ErrorKind => ({exit, retryable, meaning});

export const ERRORS = {
  // Errors of remit.
  BUG: kind(EXIT.BUG, 'an internal error (a bug in remit); please report it'),
  USAGE: kind(EXIT.USAGE, 'a flag, argument or command is invalid or missing'),
  NEEDS_TERMINAL: kind(
    EXIT.USAGE,
    'a prompt is needed, but there is no terminal; the message names the flag to use instead',
  ),
  NO_KEY: kind(EXIT.CREDENTIALS, 'no API key was found'),
  BAD_KEY: kind(EXIT.CREDENTIALS, 'the key does not begin with test_ or live_, or its key command failed'),
  NO_BATCH: kind(EXIT.NOT_FOUND, 'the batch, or a row of it, does not exist in this state folder'),
  NO_PROFILE: kind(EXIT.NOT_FOUND, 'the profile does not exist'),
  LOCAL_VALIDATION: kind(EXIT.INVALID, 'refused on this machine, before anything was sent'),
  SERVICE_FILE: kind(
    EXIT.INVALID,
    'the service file, or a service setting of the profile, is invalid; nothing was sent',
  ),
  CSV_INVALID: kind(EXIT.INVALID, 'the batch file has errors; nothing was sent'),
  STATEMENT_INVALID: kind(EXIT.INVALID, 'the bank statement cannot be read; nothing of it was recorded'),
  GUARD_LIVE: kind(EXIT.GUARD, 'a live write was not confirmed'),
  GUARD_CAP: kind(EXIT.GUARD, 'a cap of the profile would be exceeded or cannot be checked'),
  GUARD_READ_ONLY: kind(EXIT.GUARD, 'the profile is read-only'),
  GUARD_CONFIRM: kind(EXIT.GUARD, 'the stated confirmation does not match, or was refused'),
  GUARD_DUPLICATES: kind(EXIT.GUARD, 'possible duplicates were not acknowledged'),
  GUARD_BINDING: kind(EXIT.GUARD, 'the batch is bound to another mode, base URL or key'),
  GUARD_APPROVAL: kind(
    EXIT.GUARD,
    'the approvals that the policy of the profile requires are missing or not valid',
  ),
  BATCH_CANCELED: kind(EXIT.GUARD, 'the batch is canceled or being canceled; nothing more will be sent'),
  GUARD_ARGUMENT: kind(EXIT.GUARD, 'an account or card number on the command line, with a live key'),
  GUARD_TARGET: kind(
    EXIT.GUARD,
    'a base URL, path or redirect that a key must not be sent to, or a key that must not be used with a profile',
  ),
  GUARD_WRITE: kind(
    EXIT.GUARD,
    'a write that the command did not ask for, or a route of the service file that could turn a request into another one',
  ),
  ENDED_BADLY: kind(EXIT.ENDED_BADLY, 'the record that was waited for failed or was canceled'),
  WAIT_TIMEOUT: kind(EXIT.TIMED_OUT, 'a wait timed out', true),
  KEY_REUSED: kind(
    EXIT.CONFLICT,
    'the service answered a create with a record other than requested: the idempotency key was used before, or the record was not created as requested',
  ),
  STATE: kind(EXIT.LOCAL_STATE, 'a local file, journal or database cannot be read or written'),
  STATE_DAMAGED: kind(EXIT.LOCAL_STATE, 'a local file or database is damaged'),
  LOCKED: kind(EXIT.LOCAL_STATE, 'another process holds the lock', true),
  PORT_IN_USE: kind(EXIT.LOCAL_STATE, 'the port is in use'),
  NOT_RUNNING: kind(EXIT.LOCAL_STATE, 'the sandbox is not running'),
  CURSOR_REPEATED: kind(
    EXIT.UNAVAILABLE,
    'the service returned the same page cursor twice; the list stops there',
  ),
  LIST_CUT: kind(
    EXIT.UNAVAILABLE,
    'the list may continue, but only its first part was read: the service stated neither its end nor a cursor for the rest, sent a page again, or sent too many pages',
  ),
  FILTER_IGNORED: kind(
    EXIT.UNAVAILABLE,
    'the service returned a record that a filter of the list excludes, or records without the field that shows it; the list stops before their page',
  ),
  SIGNATURE: kind(EXIT.SIGNATURE, 'a webhook signature does not verify'),
  INTERRUPTED: kind(EXIT.INTERRUPTED, 'interrupted by Ctrl-C', true),
  TERMINATED: kind(EXIT.TERMINATED, 'terminated', true),
  // Errors of the service, by its documented code.
  VALIDATION_ERROR: kind(EXIT.INVALID, 'the service refused the request (400)'),
  AUTHENTICATION_ERROR: kind(EXIT.CREDENTIALS, 'the key is missing or not accepted (401)'),
  AUTHORIZATION_ERROR: kind(EXIT.CREDENTIALS, 'the key is not permitted to do this (403)'),
  PAYER_NOT_FOUND: kind(EXIT.NOT_FOUND, 'no such payer in this entity (404)'),
  PAYMENT_METHOD_NOT_FOUND: kind(EXIT.NOT_FOUND, 'no such payment method (404)'),
  NOT_FOUND: kind(EXIT.NOT_FOUND, 'no such record in this entity (404)'),
  IDEMPOTENCY_KEY_CONFLICT: kind(
    EXIT.CONFLICT,
    'the key belongs to a failed or canceled record; a new key is required (409)',
  ),
  INVALID_PAYMENT_DETAILS: kind(EXIT.INVALID, 'payment details are invalid or incomplete (422)'),
  // Errors of the service without a known code, by status.
  REFUSED: kind(EXIT.INVALID, 'the service refused the request with a 4xx'),
  CONFLICT: kind(EXIT.CONFLICT, 'the service answered 409 without a known error code', true),
  RATE_LIMITED: kind(EXIT.UNAVAILABLE, 'the service answered 429 to every attempt', true),
  UNAVAILABLE: kind(
    EXIT.UNAVAILABLE,
    'the service could not be reached, or a read failed after its retries',
    true,
  ),
  REDIRECTED: kind(EXIT.UNAVAILABLE, 'the service answered with a redirect, which is never followed'),
  IN_DOUBT: kind(
    EXIT.IN_DOUBT,
    'it is unknown whether a write took effect; repeat it only with the same idempotency key',
  ),
} as const satisfies Record<string, ErrorKind>;
export type ErrorCode = keyof typeof ERRORS;
export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERRORS, code);

/** Builds the commands in a hint, so that each one works when it is typed. */
export interface CommandBuilder {
  /** The stored profile that the commands name; undefined if the key comes from the environment. */
  readonly profile: string | undefined;
  /** A command that changes nothing. The active profile is added, and each word is quoted. */
  read(...words: readonly string[]): string;
  /** A command that writes; with a live key it includes `--live`. */
  write(...words: readonly string[]): string;
}

/** What to type next, with the real ids. Code that does not know the active profile lets a builder write the command. */
export type Hint = string | ((commands: CommandBuilder) => string);

/** Commands without a profile, for logs and callers of the library. The command line completes and quotes them. */
const bare = (...words: readonly string[]): string => ['remit', ...words].join(' ');
export const BARE_COMMANDS: CommandBuilder = {profile: undefined, read: bare, write: bare};

export interface ErrorFacts {
  hint?: Hint | undefined;
  httpStatus?: number | undefined;
  requestId?: string | undefined;
  /** Machine-readable extras; must not contain a key, an account number or a card number. */
  details?: Readonly<Record<string, Printable>> | undefined;
  /** The answer's body as parsed, or as text where it was not JSON. */
  body?: Printable;
  /** Only if one code can end a command in different ways. */
  exitCode?: ExitCode | undefined;
  retryable?: boolean | undefined;
  /** Method and URL of the request that the service refused. */
  request?: string | undefined;
  /** The message without the request, for a line that names the record already. */
  reason?: string | undefined;
  cause?: unknown;
}

/** An expected error: it has a code, an exit code and, where possible, a hint. Any other error is a bug. */
export class RemitError extends Error {
  override readonly name = 'RemitError';
  readonly code: ErrorCode;
  readonly exitCode: ExitCode;
  readonly retryable: boolean;
  readonly #hint: Hint | undefined;
  readonly httpStatus: number | undefined;
  readonly requestId: string | undefined;
  readonly details: Readonly<Record<string, Printable>> | undefined;
  readonly body: Printable;
  readonly request: string | undefined;
  readonly reason: string;
  /** The message as it was thrown: oclif rewrites that of an error from a flag's parser. */
  readonly original: string;

  constructor(code: ErrorCode, message: string, facts: ErrorFacts = {}) {
    super(message, facts.cause === undefined ? undefined : {cause: facts.cause});
    this.code = code;
    this.original = message;
    this.exitCode = facts.exitCode ?? ERRORS[code].exit;
    this.retryable = facts.retryable ?? ERRORS[code].retryable;
    this.#hint = facts.hint;
    this.httpStatus = facts.httpStatus;
    this.requestId = facts.requestId;
    this.details = facts.details;
    this.body = facts.body;
    this.request = facts.request;
    this.reason = facts.reason ?? message;
  }

  /** The hint, with commands that name no profile. */
  get hint(): string | undefined {
    return this.hintWith(BARE_COMMANDS);
  }

  hintWith(commands: CommandBuilder): string | undefined {
    return typeof this.#hint === 'function' ? this.#hint(commands) : this.#hint;
  }

  /** The hint as given, for an error that wraps this one; its commands are not completed yet. */
  get openHint(): Hint | undefined {
    return this.#hint;
  }

  /** This error with another hint. */
  withHint(hint: Hint | undefined): RemitError {
    return this.reworded(this.message, hint);
  }

  /** This error in other words. */
  reworded(message: string, hint: Hint | undefined, details = this.details): RemitError {
    const {code, httpStatus, requestId, body, exitCode, retryable, request, cause} = this;
    const reason = message === this.message ? this.reason : undefined;
    return new RemitError(code, message, {
      ...{hint, httpStatus, requestId, details, body, exitCode, retryable, request, reason, cause},
    });
  }
}
