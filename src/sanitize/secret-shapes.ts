/** What a secret looks like where no field name tells. */

/**
 * Keys (`test_…`, `live_…`) and signing secrets (`whsec_…`). A key has a long run with a digit in it, which the name of a
 * batch such as `test_november_2026` has not.
 */
const KEYS =
  /(?<![A-Za-z0-9])(?:whsec_[\w\-.~+/=]{8,}|(?:test|live)_(?=[\w\-.~+/=]*\d)(?=[\w\-.~+/=]*[A-Za-z0-9]{16})[\w\-.~+/=]+)/gi;
/** Card numbers are 12 to 19 digits; written in groups too. */
const LONG_DIGITS = /(?<![\w-]|\d\.)\d(?:[ .\u00a0\u2009\u202f-]?\d){11,18}(?![\w-]|\.\d)/g;
/** As long as an account number may be. Ids with letters or dashes in them are none; nor are decimals. */
const ACCOUNT_DIGITS = /(?<![\w.,-])\d(?:[ -]?\d){7,18}(?![\w-]|[.,]\d)/g;
/** ISO 13616, printed in groups of four or as one word. */
const IBAN = /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]){11,30}(?![A-Za-z0-9])/g;
/** `account 12345`, `card no. 4111…`, `routing number: 021000021`: named in words, so that a short one is found too. */
const NAMED_DIGITS =
  /(?<before>\b(?:account|acct|a\/c|card|routing|iban|aba)(?:[ _-]?(?:number|num|no\.?|nr\.?|#))?[\s:#=]{1,3}(?:is |ending in )?)(?<digits>\d(?:[ -]?\d){4,18})(?![\w-]|[.,]\d)/gi;
/** Before a number that is an amount, a limit or a time, not an account. */
const AMOUNT_BEFORE =
  /(?:amount(?:_in_minor_units|_in_cents)?|least|most|than|below|above|over|exceeds?|limit|maximum|minimum|balance)(?: of| is|:|=)? ?$/i;

export const HIDDEN = '…';

/** `test_…a1b2`: enough to tell two keys apart. Short ones lose their end as well. */
export function maskKey(key: string): string {
  const prefix = /^(?:test|live|whsec)_/i.exec(key)?.[0] ?? '';
  return `${prefix}${HIDDEN}${key.length - prefix.length >= 12 ? key.slice(-4) : ''}`;
}

/** A number or any exact secret: its last four characters where enough stays hidden. */
export function maskNumber(number: string): string {
  if (/^(?:test|live|whsec)_/i.test(number)) return maskKey(number);
  return number.length >= 8 ? `${HIDDEN}${number.slice(-4)}` : HIDDEN;
}

export const maskShapes = (text: string): string => besideMasks(text, maskWhole);

/**
 * A number that stands right beside something masked (`…abcd4111111111111111`) would pass for a part of a word. After the
 * whole text, each piece between two masks is taken by itself.
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

const maskWhole = (text: string): string =>
  text
    .replace(KEYS, maskKey)
    .replace(NAMED_DIGITS, (_, before: string, digits: string) => before + lastDigits(digits))
    .replace(LONG_DIGITS, (digits) => (isCardNumber(digits) ? lastDigits(digits) : digits))
    .replace(IBAN, (found) => (isIban(found) ? lastDigits(found) : found));

/** Words for people: any number that is long enough for an account loses all but its end, unless it is an amount. */
export const maskLongNumbers = (text: string): string => besideMasks(text, maskAccounts);

const maskAccounts = (text: string): string =>
  text.replace(ACCOUNT_DIGITS, (digits, at: number) =>
    AMOUNT_BEFORE.test(text.slice(Math.max(0, at - 40), at)) ? digits : lastDigits(digits),
  );

/** Of a number that is hidden, in groups or not. */
const lastDigits = (text: string): string => {
  const plain = text.replace(/[^A-Za-z0-9]/g, '');
  return plain.length >= 8 ? `${HIDDEN}${plain.slice(-4)}` : HIDDEN;
};

/** What is left of a secret here: `…6789`, `test_…a1b2`. */
export const isOurMask = (text: string): boolean => /^(?:(?:test|live|whsec)_)?…[\w.~+/=-]{0,4}$/i.test(text);

/** One word that names a record; a text with spaces in it, or a signing secret, does not. */
export const isIdentifierLike = (text: string): boolean =>
  /^[\w.:~@+=/-]+$/.test(text) && !/^whsec_/i.test(text);

/** `****6789`: the service has masked it already. */
export const isMasked = (text: string): boolean => /^[*•·xX.…\s-]+\w{0,4}$/.test(text);

/** Digits alone, or an IBAN: what a field with a plain name must hold to be protected. */
export const looksLikeNumber = (text: string): boolean =>
  /^\d(?:[ .-]?\d){4,18}$/.test(text) || (text.match(IBAN)?.some((found) => found === text) ?? false);

/** Letters and digits without an end; an id or a word is none. */
export const looksLikeSecret = (text: string): boolean =>
  /^(?=.*\d)(?=.*[a-z])[\w\-.~+/=]{16,}$/i.test(text) && !/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-/i.test(text);

/** The issuer's first digits and the check digit (ISO/IEC 7812, Luhn): spares amounts, times and trace numbers. */
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
