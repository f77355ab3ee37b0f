import {isUuid} from '../../contract/ids.ts';

/** Shorter words are too common to prove anything. */
const MIN_LENGTH = 8;
const MAX_LENGTH = 64;
/** A longer text or word is not compared as a whole: it would be no token. */
const MAX_WHOLE = 2 * MAX_LENGTH;

const DASHES = /\p{Pd}/gu;
const WORDS = /\S+/gu;
const UUID = /(?<![\p{L}\p{N}])[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}(?![\p{L}\p{N}])/giu;
const IS_WORD = /[\p{L}\p{N}]/u;
const CHAINS = /[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu;
/** Most texts have no other signs. In them, this finds the same as `CHAINS`, sooner. */
const IS_ASCII = /^[\s -~]*$/;
const ASCII_CHAINS = /[a-z\d]+(?:-[a-z\d]+)*/gi;

/** Already folded. */
const PLAIN = /^[a-z\d]+$/;

/**
 * A text in the form in which it is compared: lower case, one kind of dash, one space between two words, and no signs
 * around a word. Signs within a word stay, so that neither the amount 123,456.78 nor 123-456-78 is the reference
 * 12345678. Only a UUID is the same with and without its dashes.
 */
function foldToken(text: string): string {
  if (text.length > MAX_WHOLE) return '';
  if (PLAIN.test(text)) return text;
  const words = text.replace(DASHES, '-').toLowerCase().match(WORDS) ?? [];
  return words.map(bareWord).filter(Boolean).join(' ');
}

function bareWord(word: string): string {
  if (PLAIN.test(word)) return word;
  const signs = [...word];
  const first = signs.findIndex((sign) => IS_WORD.test(sign));
  const last = signs.findLastIndex((sign) => IS_WORD.test(sign));
  const bare = signs.slice(first, last + 1).join('');
  return isUuid(bare) ? withoutDashes(bare) : bare;
}

const withoutDashes = (token: string): string => token.replaceAll('-', '');
const isUsable = (token: string) =>
  token.length <= MAX_LENGTH && token.length >= MIN_LENGTH && withoutDashes(token).length >= MIN_LENGTH;

/** A whole word of a text, folded. */
export interface TextToken {
  token: string;
  /** It ends its text wherever it stands, so it may be the beginning of a longer word that the bank has cut. */
  ends: boolean;
}

/**
 * The words of a text that may be an id or a trace: runs of letters and digits joined by dashes, everything between two
 * spaces, each UUID, and the text as a whole. A part of a word is never a token.
 */
export function tokensOf(text: string): TextToken[] {
  const isAscii = IS_ASCII.test(text);
  const even = isAscii ? text : text.replace(DASHES, '-');
  const chains = [...(isAscii ? even.matchAll(ASCII_CHAINS) : even.matchAll(CHAINS))];
  const last = chains.at(-1);
  const textEnd = last === undefined ? 0 : last.index + last[0].length;
  const found = new Map<string, boolean>();
  const add = (part: string, end: number) => {
    if (isAscii && part.length < MIN_LENGTH) return;
    const token = foldToken(part);
    if (isUsable(token)) found.set(token, (found.get(token) ?? true) && end >= textEnd);
  };
  for (const {0: part, index} of [...chains, ...even.matchAll(WORDS), ...even.matchAll(UUID)])
    add(part, index + part.length);
  add(even, even.length);
  return [...found].map(([token, ends]) => ({token, ends}));
}

/** `YYYYMMDD`, `DDMMYYYY` or `MMDDYYYY`, as banks write days into their texts. */
const DATES = [
  /^(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/,
  /^(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])(?:19|20)\d{2}$/,
  /^(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:19|20)\d{2}$/,
];

/** What identifies a payment in the text of a bank. */
export interface PaymentToken {
  token: string;
  kind: 'id' | 'trace';
}

/**
 * The tokens of a payment, its id first. One that a bank also writes for another reason, such as a day or the amount,
 * is left out.
 */
export function paymentTokens(payment: {
  recordId: string | undefined;
  traces: readonly string[];
  amount: bigint;
}): PaymentToken[] {
  const amount = String(payment.amount < 0n ? -payment.amount : payment.amount);
  const isProof = (token: string) => {
    const bare = withoutDashes(token);
    return isUsable(token) && bare !== amount && !DATES.some((date) => date.test(bare));
  };
  const id = foldToken(payment.recordId ?? '');
  const traces = new Set(payment.traces.map(foldToken).filter((token) => token !== id && isProof(token)));
  const ids: PaymentToken[] = isProof(id) ? [{token: id, kind: 'id'}] : [];
  return [...ids, ...[...traces].map((token): PaymentToken => ({token, kind: 'trace'}))];
}
