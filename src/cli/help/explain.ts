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
import {ACCOUNT_TRANSFER_SCENARIOS, MOVE_SCENARIOS, SCENARIOS} from '../../sandbox/outcomes/scenarios.ts';
import {ADVICE, adviceOn, finalAdvice} from './advice.ts';
import {BATCH_WORDS} from './batch-words.ts';
import type {Shown} from './outputs/forms.ts';
import type * as schemas from './outputs/local.ts';

/** One meaning of a word. A word may have several: `failed` is a status of payouts and of payment methods. */
export type Explanation = Shown<typeof schemas.Explanation>;

/** @throws RemitError USAGE for a word that is nothing of this, with a similar one as the hint */
export function explain(word: string): Explanation[] {
  const found = [
    ...error(word),
    ...serviceCode(word),
    ...exitCode(word),
    ...httpStatus(word),
    ...statuses(word),
    ...batchRow(word),
    ...bankCode(word),
    ...scenario(word),
  ];
  if (found.length > 0) return found;
  const near = similar(word);
  const reason = near === undefined || !Object.hasOwn(BANK_CODES, near) ? undefined : BANK_CODES[near];
  const meant = reason === undefined ? '' : `; ${near} is "${reason.message}"`;
  throw new RemitError(
    'USAGE',
    `no error, status, exit code or bank code is called ${JSON.stringify(word)}${meant}`,
    {
      hint: (commands) =>
        near === undefined ? commands.read('help', 'errors') : commands.read('explain', near),
    },
  );
}

/**
 * A bank code whose meaning has all the words (`INSUFFICIENT_FUNDS` is `R01`), otherwise a similar spelling. Words that
 * begin alike come first: `R3` is closer to `R03` than to `3`.
 */
function similar(word: string): string | undefined {
  const words = wordsOf(word);
  const meant = (least: number) =>
    words.length < least
      ? undefined
      : Object.keys(BANK_CODES).find((code) => {
          const said = wordsOf(`${code} ${BANK_CODES[code]?.message}`);
          return words.every((one) => said.includes(one));
        });
  return meant(2) ?? similarSpelling(word) ?? meant(1);
}

/** The words of a text, except short ones such as `of`. */
const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word.length > 3);

function similarSpelling(word: string): string | undefined {
  const spellings = [word, word.toUpperCase(), word.toLowerCase()];
  const alike = EXPLAINED.filter((known) => spellings.some((spelling) => known[0] === spelling[0]));
  return [alike, EXPLAINED].flatMap((among) => spellings.flatMap((one) => nearest(one, among) ?? []))[0];
}

function error(word: string): Explanation[] {
  const code = word.toUpperCase().replaceAll('-', '_');
  if (!isErrorCode(code)) return [];
  const {exit, retryable, meaning} = ERRORS[code];
  return [{kind: 'error', name: code, meaning, exit_code: exit, retryable, advice: adviceOn(code)}];
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

/** What the service may answer as `error_code` besides the codes that are errors of remit too. */
const SERVICE_CODES: Readonly<Record<string, {status: number; meaning: string}>> = {
  SERVICE_UNAVAILABLE: {
    status: SERVICE_ERRORS.SERVICE_UNAVAILABLE.status,
    meaning: 'the record was created, but it could not be started yet; the same create continues it',
  },
  INTERNAL_ERROR: {status: 500, meaning: 'the sandbox failed (a bug in remit)'},
};

function serviceCode(word: string): Explanation[] {
  const name = word.toUpperCase().replaceAll('-', '_');
  const known = Object.hasOwn(SERVICE_CODES, name) ? SERVICE_CODES[name] : undefined;
  if (known === undefined) return [];
  const {status, meaning} = known;
  return httpStatus(String(status)).map((as) => ({
    ...as,
    kind: 'service code',
    name,
    meaning: `${meaning} (${status})`,
  }));
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
    const end = isGood ? 'last status: success' : 'last status: failure';
    const meaning = `${status === initial ? 'first status; ' : ''}${after.length === 0 ? end : 'not final'}${isGood && after.length > 0 ? ', usable' : ''}`;
    const advice = after.length === 0 ? {advice: finalAdvice(kind, status)} : {};
    return [{kind: 'status', name: status, of: NOUNS[kind], meaning, next: [...after], ...advice}];
  });
}

function batchRow(word: string): Explanation[] {
  const spelled = word.replaceAll('-', '_').toLowerCase();
  const name = Object.keys(BATCH_WORDS).find((known) => known.toLowerCase() === spelled);
  const known = name === undefined ? undefined : BATCH_WORDS[name];
  return name === undefined || known === undefined ? [] : [{kind: 'batch row', name, ...known}];
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
  const later =
    'A bank can return an ACH payment after it was settled; its record may then stay settled, and retry leaves it: pay it under a new reference.';
  return [
    {
      ...{kind: 'bank code', name, meaning: reason.message},
      advice: Object.hasOwn(ACH_RETURNS, name) ? `${advice} ${later}` : advice,
    },
  ];
}

const ALL_SCENARIOS: readonly {of: string; does: Readonly<Record<string, string>>}[] = [
  {of: 'payouts and payins', does: SCENARIOS},
  {of: 'moves', does: MOVE_SCENARIOS},
  {of: 'account transfers', does: ACCOUNT_TRANSFER_SCENARIOS},
];

function scenario(word: string): Explanation[] {
  const name = word.toLowerCase().replaceAll('-', '_');
  return ALL_SCENARIOS.flatMap(({of, does}): Explanation[] => {
    const meaning = Object.hasOwn(does, name) ? does[name] : undefined;
    if (meaning === undefined) return [];
    const advice = 'How to ask for it: remit sandbox magic';
    return [{kind: 'sandbox scenario', name, of, meaning, advice}];
  });
}

/** Every word that is explained, for completion and suggestions. */
export const EXPLAINED: readonly string[] = [
  ...new Set([
    ...Object.keys(ERRORS),
    ...Object.keys(SERVICE_CODES),
    ...EXITS.map(String),
    ...Object.keys(HTTP),
    ...Object.values(LIFECYCLES).flatMap(({next}) => Object.keys(next)),
    ...Object.keys(BATCH_WORDS),
    ...Object.keys(BANK_CODES),
    ...ALL_SCENARIOS.flatMap(({does}) => Object.keys(does)),
  ]),
];

/** The text for people: each meaning as a paragraph. */
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
