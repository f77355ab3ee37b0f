/** Recognises secrets by their shape, where no field name identifies them. */

/**
 * Keys (`test_…`, `live_…`) and signing secrets (`whsec_…`). A key contains a long run with a digit, unlike the name
 * of a batch such as `test_november_2026`.
 */
const KEYS = /(?<![A-Za-z0-9])(?:whsec_[\w\-.~+/=]{8,}|(?:test|live)_[\w\-.~+/=]+)/gi;
const LONG_RUN = /[A-Za-z0-9]{16}/;
const SIGNING_SECRETS = /(?<![A-Za-z0-9])whsec_[\w\-.~+/=]{8,}/gi;
/** Card numbers have 12 to 19 digits, possibly in groups. */
const LONG_DIGITS = /(?<![\w-]|\d\.)\d(?:[ .\u00a0\u2009\u202f-]?\d){11,18}(?![\w-]|\.\d)/g;
/** Digits of the length of an account number. Ids with letters or dashes are excluded, and so are decimals. */
const ACCOUNT_DIGITS = /(?<![\w.,-])\d(?:[ -]?\d){7,18}(?![\w-]|[.,]\d)/g;
/** ISO 13616, printed in groups of four or as one word; in MT940 it follows the number of its field: `?31DE89…`. */
const IBAN = /(?:(?<![A-Za-z0-9])|(?<=\?\d\d))(?=([A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]){11,30}))/g;
/** The countries of each length of an IBAN. The text may go on right after one, or after a space. */
const IBAN_LENGTHS: Readonly<Record<number, string>> = {
  ...{15: 'NO', 16: 'BE', 18: 'DK FI FO GL NL SD', 19: 'MK SI', 20: 'AT BA EE KZ LT LU MN XK'},
  ...{21: 'CH HR LI LV', 22: 'BG BH CR DE GB GE IE ME RS VA', 23: 'AE GI IL IQ OM SO TL'},
  ...{24: 'AD CZ ES MD PK RO SA SE SK TN VG', 25: 'LY PT ST', 26: 'IS TR', 27: 'BI DJ FR GR IT MC MR SM'},
  ...{
    28: 'AL AZ BY CY DO GT HU LB NI PL SV',
    29: 'BR EG PS QA UA',
    30: 'JO KW MU',
    31: 'MT SC',
    32: 'LC',
    33: 'RU',
  },
};
/**
 * `account 12345`, `card no. 4111…`, `routing number: 021000021`: named in text, so that a short number is found too. A
 * routing number is public: it stays in a command that is printed to be typed.
 */
const NAMED_DIGITS =
  /(?<before>\b(?!(?<=--)routing-number[ =]\d{9}(?![\w-]))(?:account|acct|a\/c|card|routing|iban|aba)(?:[ _-]?(?:number|num|no\.?|nr\.?|#))?[\s:#=/]{1,3}(?:is |ending in )?|\?31)(?<digits>\d(?:[ -]?\d){4,18})(?![\w-]|[.,]\d)/gi;
/** Precedes a number that is an amount, a limit or a time, not an account. */
const AMOUNT_BEFORE =
  /(?:amount(?:_in_minor_units|_in_cents)?|least|most|than|below|above|over|exceeds?|limit|maximum|minimum|balance)(?: of| is|:|=)? ?$/i;

/** The source of a pattern. Digits within an id are not a number. */
export const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

export const HIDDEN = '…';

/** `test_…a1b2`: enough to tell two keys apart. Short keys lose their end as well. */
export function maskKey(key: string): string {
  const prefix = /^(?:test|live|whsec)_/i.exec(key)?.[0] ?? '';
  return `${prefix}${HIDDEN}${key.length - prefix.length >= 12 ? key.slice(-4) : ''}`;
}

/** A number or any exact secret: shows its last four characters if enough stays hidden. */
export function maskNumber(number: string): string {
  if (/^(?:test|live|whsec)_/i.test(number)) return maskKey(number);
  return number.length >= 8 ? `${HIDDEN}${number.slice(-4)}` : HIDDEN;
}

export const maskShapes = (text: string): string => besideMasks(text, maskWhole);

/**
 * A number right next to masked text (`…abcd4111111111111111`) would look like part of a word. After the whole text,
 * each piece between two masks is checked separately.
 */
function besideMasks(text: string, mask: (text: string) => string): string {
  const masked = mask(text);
  if (!masked.includes(HIDDEN)) return masked;
  return masked
    .split(MASK)
    .map((piece, at) => (at % 2 === 0 ? mask(piece) : piece))
    .join('');
}
const MASK = /((?:(?:test|live|whsec)_)?…[\w.~+/=-]{0,4})/i;

const maskWhole = (text: string): string => maskIbans(maskNumbers(text));

const maskNumbers = (text: string): string =>
  text
    .replace(KEYS, (found) => (isKey(found) ? maskKey(found) : found.replace(SIGNING_SECRETS, maskKey)))
    .replace(NAMED_DIGITS, (_, before: string, digits: string) => before + lastDigits(digits))
    .replace(LONG_DIGITS, (digits) => (isCardNumber(digits) ? lastDigits(digits) : digits));

function maskIbans(text: string): string {
  let shown = '';
  let at = 0;
  for (const {1: run = '', index} of text.matchAll(IBAN)) {
    const found = index < at ? undefined : ibanIn(run, text[index + run.length]);
    if (found === undefined) continue;
    shown += text.slice(at, index) + lastDigits(found);
    at = index + found.length;
  }
  return shown + text.slice(at);
}

/** The IBAN that a run of groups begins with: as long as its country has it, or all of the run. */
function ibanIn(run: string, next = ' '): string | undefined {
  const [length] = Object.entries(IBAN_LENGTHS).find(([, of]) => of.includes(run.slice(0, 2))) ?? [];
  const usual = length === undefined ? null : new RegExp(`^(?:[ -]?[A-Z0-9]){${length}}`).exec(run);
  return [usual?.[0], /[A-Za-z0-9]/.test(next) ? undefined : run].find(
    (one) => one !== undefined && isIban(one),
  );
}

/** This stands beside the expression: as a part of it, it would read the rest of the text again at each `test_`. */
function isKey(found: string): boolean {
  const run = found.slice('test_'.length);
  return /^whsec_/i.test(found) || (/\d/.test(run) && LONG_RUN.test(run));
}

/** Text for people: any number of the length of an account number loses all but its end, unless it is an amount or a date. */
export const maskLongNumbers = (text: string): string => besideMasks(text, maskAccounts);

const maskAccounts = (text: string): string =>
  text.replace(ACCOUNT_DIGITS, (digits, at: number) =>
    isDate(digits, text[at + digits.length]) || AMOUNT_BEFORE.test(text.slice(Math.max(0, at - 40), at))
      ? digits
      : lastDigits(digits),
  );

/** `2026-11-22`, also with the hour of a time: `2026-11-22 10` before `:`. */
const isDate = (digits: string, next: string | undefined): boolean =>
  DATE.test(next === ':' ? digits.replace(/ \d\d$/, '') : digits);
const DATE = /^(?:19|20|21)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;

/** Hides a number, with or without groups. */
const lastDigits = (text: string): string => {
  const plain = text.replace(/[^A-Za-z0-9]/g, '');
  return plain.length >= 8 ? `${HIDDEN}${plain.slice(-4)}` : HIDDEN;
};

/** What remains of a secret masked here: `…6789`, `test_…a1b2`. */
export const isOurMask = (text: string): boolean => /^(?:(?:test|live|whsec)_)?…[\w.~+/=-]{0,4}$/i.test(text);

/** A single word that names a record; a text with spaces, or a signing secret, does not. */
export const isIdentifierLike = (text: string): boolean =>
  /^[\w.:~@+=/-]+$/.test(text) && !/^whsec_/i.test(text);

/** `****6789`: the service has masked it already. */
export const isMasked = (text: string): boolean => /^[*•·xX.…\s-]+\w{0,4}$/.test(text);

/** Digits alone, or an IBAN: required for a field with a plain name to be protected. */
export const looksLikeNumber = (text: string): boolean =>
  /^\d(?:[ .-]?\d){4,18}$/.test(text) || [...text.matchAll(IBAN)].some(([, run]) => run === text);

/** A long run of letters and digits; excludes ids and words. */
export const looksLikeSecret = (text: string): boolean =>
  /^(?=.*\d)(?=.*[a-z])[\w\-.~+/=]{16,}$/i.test(text) && !/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-/i.test(text);

/**
 * The issuer's first digits and the check digit (ISO/IEC 7812, Luhn), so that amounts, times and trace numbers stay
 * readable.
 */
export function isCardNumber(text: string): boolean {
  const plain = text.replace(/\D/g, '');
  if (!/^(?:[3-6]|2[2-7])\d{11,18}$/.test(plain)) return false;
  const sum = [...plain].reverse().reduce((total, digit, at) => {
    const doubled = at % 2 === 1 ? Number(digit) * 2 : Number(digit);
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

/** The check digits (ISO 7064, MOD 97-10). */
function isIban(text: string): boolean {
  const plain = text.replace(/[ -]/g, '');
  const digits = (plain.slice(4) + plain.slice(0, 4)).replace(/[A-Z]/g, (letter) =>
    String(letter.charCodeAt(0) - 55),
  );
  return BigInt(digits) % 97n === 1n;
}
