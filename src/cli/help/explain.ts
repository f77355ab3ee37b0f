import {SERVICE_ERRORS} from '../../contract/error-codes.ts';
import {LIFECYCLES} from '../../contract/lifecycle.ts';
import {
  ERRORS,
  EXIT,
  EXIT_MEANINGS,
  isErrorCode,
  RemitError,
  type ErrorCode,
  type ExitCode,
} from '../../errors.ts';
import {keysOf} from '../../narrow.ts';
import {nearest} from '../../nearest.ts';
import {ACH_RETURNS, BANK_REJECTIONS, CARD_DECLINES} from '../../sandbox/outcomes/bank-codes.ts';
import {ADVICE, finalAdvice} from './advice.ts';

/** One meaning of a word. A word may have several: `failed` is a status of payouts and of payment methods. */
export interface Explanation {
  kind: 'error' | 'exit code' | 'HTTP status' | 'status' | 'bank code';
  name: string;
  /** What has the status: `payouts`. */
  of?: string;
  meaning: string;
  exit_code?: ExitCode;
  retryable?: boolean;
  /** Error codes that end with this exit code, or that this HTTP status becomes. */
  errors?: string[];
  /** Statuses that may follow; none after a final one. */
  next?: string[];
  /** What to do. */
  advice?: string;
}

/** @throws RemitError USAGE for a word that is nothing of this, with a similar one as the hint */
export function explain(word: string): Explanation[] {
  const found = [
    ...error(word),
    ...exitCode(word),
    ...httpStatus(word),
    ...statuses(word),
    ...bankCode(word),
  ];
  if (found.length > 0) return found;
  const near = similar(word);
  throw new RemitError('USAGE', `there is no error, status or exit code ${JSON.stringify(word)}`, {
    hint: (commands) =>
      near === undefined ? commands.read('help', 'errors') : commands.read('explain', near),
  });
}

/** Words that begin alike come first: `R3` is closer to `R03` than to `3`. */
function similar(word: string): string | undefined {
  const spellings = [word, word.toUpperCase(), word.toLowerCase()];
  const alike = EXPLAINED.filter((known) => spellings.some((spelling) => known[0] === spelling[0]));
  return [alike, EXPLAINED].flatMap((among) => spellings.flatMap((one) => nearest(one, among) ?? []))[0];
}

function error(word: string): Explanation[] {
  const code = word.toUpperCase().replaceAll('-', '_');
  if (!isErrorCode(code)) return [];
  const {exit, retryable, meaning} = ERRORS[code];
  return [{kind: 'error', name: code, meaning, exit_code: exit, retryable, advice: ADVICE[exit]}];
}

const EXITS: readonly ExitCode[] = Object.values(EXIT);

function exitCode(word: string): Explanation[] {
  const code = EXITS.find((known) => String(known) === word.replace(/^exit[- ]?/i, ''));
  if (code === undefined) return [];
  const errors = keysOf<ErrorCode>(ERRORS).filter((name) => ERRORS[name].exit === code);
  return [
    {kind: 'exit code', name: String(code), meaning: EXIT_MEANINGS[code], errors, advice: ADVICE[code]},
  ];
}

interface HttpStatus {
  meaning: string;
  errors: readonly ErrorCode[];
  /** Absent if reads and writes end differently. */
  exit?: ExitCode;
}

const refused: HttpStatus = {
  meaning: 'the service refused the request',
  errors: ['REFUSED'],
  exit: EXIT.INVALID,
};
const UNSURE: HttpStatus = {
  meaning: 'the service failed: a read ends with exit code 7 after its retries, a write with 12',
  errors: ['UNAVAILABLE', 'IN_DOUBT'],
};

const HTTP: Readonly<Record<string, HttpStatus>> = {
  200: {meaning: 'done, or the answer to a repeated idempotency key', errors: [], exit: EXIT.OK},
  201: {meaning: 'created', errors: [], exit: EXIT.OK},
  202: {meaning: 'accepted; processing continues', errors: [], exit: EXIT.OK},
  204: {meaning: 'done; the answer has no body', errors: [], exit: EXIT.OK},
  207: {
    meaning: 'done with a warning: a later step had a recoverable problem',
    errors: [],
    exit: EXIT.PARTIAL,
  },
  400: {...refused, errors: ['VALIDATION_ERROR', 'REFUSED']},
  401: {
    meaning: 'the key is missing or not accepted',
    errors: ['AUTHENTICATION_ERROR'],
    exit: EXIT.CREDENTIALS,
  },
  403: {
    meaning: 'the key is not permitted to do this',
    errors: ['AUTHORIZATION_ERROR'],
    exit: EXIT.CREDENTIALS,
  },
  404: {
    meaning: 'no such record in this entity',
    errors: ['NOT_FOUND', 'PAYER_NOT_FOUND', 'PAYMENT_METHOD_NOT_FOUND'],
    exit: EXIT.NOT_FOUND,
  },
  409: {
    meaning: 'conflict: exit code 6, or 12 if a write without a documented error code may have taken effect',
    errors: ['CONFLICT', 'IDEMPOTENCY_KEY_CONFLICT', 'IN_DOUBT'],
  },
  422: {...refused, errors: ['INVALID_PAYMENT_DETAILS', 'REFUSED']},
  429: {meaning: 'too many requests, at every attempt', errors: ['RATE_LIMITED'], exit: EXIT.UNAVAILABLE},
  500: UNSURE,
  502: UNSURE,
  503: UNSURE,
  504: UNSURE,
};

function httpStatus(word: string): Explanation[] {
  const known = Object.hasOwn(HTTP, word) ? HTTP[word] : undefined;
  if (known === undefined) return [];
  const {meaning, errors, exit} = known;
  return [
    {
      ...{kind: 'HTTP status', name: word, meaning, errors: [...errors]},
      ...(exit === undefined ? {} : {exit_code: exit}),
      advice: ADVICE[exit ?? EXIT.IN_DOUBT],
    },
  ];
}

const NOUNS: Readonly<Record<keyof typeof LIFECYCLES, string>> = {
  payin: 'payins',
  payout: 'payouts',
  move: 'moves',
  accountTransfer: 'account transfers',
  paymentMethod: 'payment methods',
};

function statuses(word: string): Explanation[] {
  return keysOf<keyof typeof LIFECYCLES>(LIFECYCLES).flatMap((kind): Explanation[] => {
    const {next, good, initial} = LIFECYCLES[kind];
    const status = Object.keys(next).find((known) => known.toLowerCase() === word.toLowerCase());
    if (status === undefined) return [];
    const after = Object.entries<readonly string[]>(next).find(([name]) => name === status)?.[1] ?? [];
    const isGood = good.some((one) => one === status);
    const end = isGood ? 'final: success' : 'final: failure';
    const meaning = `${status === initial ? 'first status; ' : ''}${after.length === 0 ? end : 'not final'}${isGood && after.length > 0 ? ', usable' : ''}`;
    const advice = after.length === 0 ? {advice: finalAdvice(kind, status)} : {};
    return [{kind: 'status', name: status, of: NOUNS[kind], meaning, next: [...after], ...advice}];
  });
}

const BANK_CODES: Readonly<Record<string, {message: string; badAccount?: true}>> = {
  ...ACH_RETURNS,
  ...BANK_REJECTIONS,
  ...CARD_DECLINES,
};

function bankCode(word: string): Explanation[] {
  const name = Object.keys(BANK_CODES).find((known) => known.toLowerCase() === word.toLowerCase());
  const reason = name === undefined ? undefined : BANK_CODES[name];
  if (name === undefined || reason === undefined) return [];
  const advice = reason.badAccount
    ? 'The account or card is invalid. Use another payment method; the same one will fail again.'
    : 'Ask the recipient or the bank. A new payment needs a new idempotency key.';
  return [{kind: 'bank code', name, meaning: reason.message, advice}];
}

/** Every word that is explained, for completion and suggestions. */
export const EXPLAINED: readonly string[] = [
  ...new Set([
    ...Object.keys(ERRORS),
    ...Object.keys(SERVICE_ERRORS).filter(isErrorCode),
    ...EXITS.map(String),
    ...Object.keys(HTTP),
    ...Object.values(LIFECYCLES).flatMap(({next}) => Object.keys(next)),
    ...Object.keys(BANK_CODES),
  ]),
];

/** For people: each meaning as a paragraph. */
export function explanationText(found: readonly Explanation[]): string {
  return found
    .map(({kind, name, of, meaning, exit_code, retryable, errors = [], next, advice}) =>
      [
        `${name} (${of === undefined ? kind : `${kind} of ${of}`}): ${meaning}`,
        ...(exit_code === undefined ? [] : [`  Exit code: ${exit_code}`]),
        ...(retryable === undefined ? [] : [`  Run the same command again: ${retryable ? 'yes' : 'no'}`]),
        ...(errors.length === 0 ? [] : [`  Errors: ${errors.join(', ')}`]),
        ...(next === undefined || next.length === 0 ? [] : [`  Next: ${next.join(', ')}`]),
        ...(advice === undefined ? [] : [`  ${advice}`]),
      ].join('\n'),
    )
    .join('\n\n');
}
