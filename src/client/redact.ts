/** Fields whose value is never shown, whatever it looks like. */
const SECRET_FIELDS = [
  'signing_secret',
  'secret',
  'api_key',
  'x-api-key',
  'authorization',
  'password',
  'token',
  'cvc',
  'cvv',
  'pin',
];
/** Fields of which the last four characters may be shown. */
const NUMBER_FIELDS = ['account_number', 'routing_number', 'card_number', 'number', 'iban', 'pan'];
/** Our keys (`test_…`, `live_…`) and signing secrets (`whsec_…`) wherever they stand. */
const KEYS = /\b(test|live|whsec)_[A-Za-z0-9_\-.~+/=]{8,}/g;
/** Card numbers are 12 to 19 digits; written in groups too. */
const LONG_DIGITS = /(?<![\w-])\d(?:[ -]?\d){11,18}(?![\w-])/g;

export interface Redactor {
  /** Text of any kind: a header, a body whole or cut, a message. */
  readonly text: (text: string) => string;
  /** A copy of a JSON value with sensitive fields and texts masked. */
  readonly value: (value: unknown) => unknown;
  /** An error that tells what the cause told and carries nothing else along (raw packets, request options). */
  readonly cause: (cause: unknown) => Error | undefined;
}

/**
 * The one function that takes secrets out of what a person, a log or an error may see.
 *
 * @param options.secrets exact values to mask wherever they occur: the key in use, numbers that a request carries
 * @param options.fields more names of number fields: what a profile calls `account_number` on the wire
 */
export function redactor(options: {secrets?: readonly string[]; fields?: readonly string[]} = {}): Redactor {
  const secrets = [...new Set(options.secrets ?? [])].filter((secret) => secret.length >= MIN_SECRET);
  secrets.sort((a, b) => b.length - a.length); // a secret that holds another one goes first
  const numbers = new Set([...NUMBER_FIELDS, ...(options.fields ?? [])]);
  const secretFields = new Set(SECRET_FIELDS);
  const inJson = new RegExp(
    `("(${[...secretFields, ...numbers].map(escapeRegExp).join('|')})"\\s*:\\s*)(?:"((?:[^"\\\\]|\\\\.)*)"?|(\\d[\\d.eE+-]*))`,
    'gi',
  );

  const text = (raw: string): string => {
    let clean = raw;
    for (const secret of secrets) clean = clean.replaceAll(secret, maskNumber(secret));
    return clean
      .replace(inJson, (_, before: string, name: string, quoted?: string, digits?: string) => {
        const value = quoted ?? digits ?? '';
        return `${before}"${secretFields.has(name.toLowerCase()) ? HIDDEN : maskNumber(value)}"`;
      })
      .replace(KEYS, maskKey)
      .replace(LONG_DIGITS, (digits) => (isCardNumber(digits) ? maskNumber(digits) : digits));
  };

  const value = (raw: unknown, name = ''): unknown => {
    const field = name.toLowerCase();
    if (typeof raw === 'string' || typeof raw === 'number') {
      if (secretFields.has(field)) return HIDDEN;
      if (numbers.has(field)) return maskNumber(String(raw));
      return typeof raw === 'string' ? text(raw) : raw;
    }
    if (Array.isArray(raw)) return raw.map((item) => value(item, name));
    if (typeof raw !== 'object' || raw === null) return raw;
    return Object.fromEntries(Object.entries(raw).map(([key, inner]) => [key, value(inner, key)]));
  };

  const cause = (raw: unknown): Error | undefined => {
    if (!(raw instanceof Error))
      return raw === undefined
        ? undefined
        : new Error(typeof raw === 'string' ? text(raw) : 'not an error object');
    const copy = new Error(
      text(raw.message),
      raw.cause === undefined ? undefined : {cause: cause(raw.cause)},
    );
    copy.name = raw.name;
    const {code} = raw as {code?: unknown}; // errors of Node carry one
    return typeof code === 'string' ? Object.assign(copy, {code}) : copy;
  };

  return {text, value, cause};
}

/** `test_…a1b2`: enough to tell two keys apart. Short ones lose their end as well. */
export function maskKey(key: string): string {
  const prefix = /^[a-z]+_/.exec(key)?.[0] ?? '';
  return `${prefix}…${key.length - prefix.length >= 12 ? key.slice(-4) : ''}`;
}

/** Account and card numbers that a request body carries, by field name, so that an echo of them is masked too. */
export function sensitiveValues(body: unknown, fields: readonly string[] = []): string[] {
  const names = new Set([...NUMBER_FIELDS, ...fields]);
  const found: string[] = [];
  const walk = (value: unknown, name: string): void => {
    if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) walk(inner, Array.isArray(value) ? name : key);
    } else if (names.has(name.toLowerCase()) && (typeof value === 'string' || typeof value === 'number')) {
      found.push(String(value));
    }
  };
  walk(body, '');
  return found;
}

const HIDDEN = '…';
/** Shorter values would blot out harmless text; they are still masked in their own field. */
const MIN_SECRET = 6;

function maskNumber(number: string): string {
  if (/^(test|live|whsec)_/.test(number)) return maskKey(number);
  return number.length >= 8 ? `${HIDDEN}${number.slice(-4)}` : HIDDEN;
}

/** The check digit (ISO/IEC 7812, Luhn): spares most other long numbers, such as amounts and trace numbers. */
function isCardNumber(text: string): boolean {
  const digits = [...text.replace(/\D/g, '')].reverse().map(Number);
  const sum = digits.reduce((total, digit, at) => {
    const doubled = at % 2 === 1 ? digit * 2 : digit;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}

const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\-]/g, '\\$&');
