/**
 * Field names whose value is protected, in any spelling: `signing_secret`, `signingSecret`, `Signing-Secret` and
 * `SIGNING SECRET` are the same name.
 */

/** The whole value is hidden. */
export const SECRET_NAMES = [
  'signing_secret',
  'client_secret',
  'webhook_secret',
  'shared_secret',
  'secret',
  'secret_key',
  'private_key',
  'signing_key',
  'shared_key',
  'webhook_key',
  'hmac_key',
  'key',
  'api_key',
  'x_api_key',
  'api_token',
  'authorization',
  'proxy_authorization',
  'cookie',
  'set_cookie',
  'password',
  'passwd',
  'passphrase',
  'token',
  'access_token',
  'auth_token',
  'bearer_token',
  'refresh_token',
  'cvc',
  'cvv',
  'cvc2',
  'cvv2',
  'csc',
  'security_code',
  'pin',
] as const;

/** The last four characters may be shown. */
export const NUMBER_NAMES = [
  'account_number',
  'account_no',
  'account_num',
  'acct_number',
  'acct_no',
  'acct_num',
  'acct',
  'account',
  'bank_account',
  'routing_number',
  'routing_no',
  'routing',
  'aba_number',
  'aba',
  'sort_code',
  'card_number',
  'card_no',
  'card_num',
  'card',
  'primary_account_number',
  'pan',
  'iban',
  'bban',
  'clabe',
  'number',
] as const;

/** `loose-…`: a plain word whose value is protected only if it looks like an account number or a secret. */
export type Protection = 'secret' | 'number' | 'loose-number' | 'loose-secret';

/** Names that are English words: in text they name a field only if they are quoted. */
const WORDS: ReadonlySet<string> = new Set([
  ...[
    'account',
    'bank_account',
    'acct',
    'card',
    'routing',
    'number',
    'aba',
    'pan',
    'token',
    'secret',
    'pin',
    'cookie',
    'key',
  ],
]);
const LOOSE: ReadonlySet<string> = new Set(['account', 'bank_account', 'card', 'routing', 'number', 'key']);

/** Most names are ASCII; the pattern for the others takes half a millisecond to compile. */
const folded = (name: string): string => {
  const low = name.toLowerCase();
  return ASCII.test(low) ? low.replace(/[^a-z0-9]/g, '') : low.replace(/[^\p{L}\p{N}]/gu, '');
};
const ASCII = /^[\x00-\x7f]*$/;

const PROTECTED = new Map<string, Protection>();
for (const name of SECRET_NAMES)
  PROTECTED.set(name.replaceAll('_', ''), LOOSE.has(name) ? 'loose-secret' : 'secret');
for (const name of NUMBER_NAMES)
  PROTECTED.set(name.replaceAll('_', ''), LOOSE.has(name) ? 'loose-number' : 'number');

/**
 * `bank_account_number`, `newSigningSecret`: a protected name preceded by words. Short names would match too much.
 */
const NUMBER_ENDINGS = ['accountnumber', 'accountno', 'acctnumber', 'cardnumber', 'routingnumber', 'iban'];
const SECRET_ENDINGS = [
  ...['secret', 'secretkey', 'privatekey', 'apikey', 'password'],
  ...['accesstoken', 'refreshtoken', 'authtoken'],
];

/** Ids, cursors and references must stay unchanged; only exact secrets are removed from them. */
const IDENTIFIER_ENDINGS = ['cursor', 'reference', 'tracenumber', 'idempotencykey'];
const ID = /(?:^|[a-z])ids?$/;

/** These add nothing under a protected name: `account_number: {value: …}`. */
const WITHIN = new Set([
  'value',
  'raw',
  'text',
  'plain',
  'plaintext',
  'full',
  'current',
  'previous',
  'old',
  'new',
]);

const PROSE = new Set([
  ...['message', 'warning', 'detail', 'reason', 'error', 'errors', 'issue'],
  ...['failurereason', 'failuremessage', 'statusreason'],
]);

/** What a name alone says about the value of a field. */
export interface NameFacts {
  name: string;
  folded: string;
  protection: Protection | undefined;
  isIdentifier: boolean;
  /** Text for people: a number in it may be an account number. */
  isProse: boolean;
  addsNothing: boolean;
}

/**
 * The facts of names that were met: the records of a list have the same few, and folding a name takes longer than
 * anything else that is done with a field. A service chooses the names, so their number and length are limited.
 */
const MET = new Map<string, NameFacts>();
const MOST_NAMES = 2000;
const LONGEST_NAME = 100;

export function factsOf(name: string): NameFacts {
  const met = MET.get(name);
  if (met !== undefined) return met;
  const plain = folded(name);
  const facts: NameFacts = {
    name,
    folded: plain,
    protection: protectionOfFolded(plain),
    isIdentifier: ID.test(plain) || endsWithOne(plain, IDENTIFIER_ENDINGS),
    isProse: PROSE.has(plain),
    addsNothing: WITHIN.has(plain),
  };
  if (name.length > LONGEST_NAME) return facts;
  if (MET.size >= MOST_NAMES) MET.clear();
  MET.set(name, facts);
  return facts;
}

function protectionOfFolded(plain: string): Protection | undefined {
  const known = PROTECTED.get(plain);
  if (known !== undefined) return known;
  if (endsWithOne(plain, NUMBER_ENDINGS)) return 'number';
  return endsWithOne(plain, SECRET_ENDINGS) ? 'secret' : undefined;
}

/** A pattern would take longer to compile than all names of a record to check. */
const endsWithOne = (text: string, endings: readonly string[]): boolean =>
  endings.some((ending) => text.endsWith(ending));

/** How the value of a field is protected, by its name alone; `own`: names that a profile gives to number fields. */
export const protectionOf = (
  {folded: plain, protection}: NameFacts,
  own: ReadonlySet<string>,
): Protection | undefined => (own.size > 0 && own.has(plain) ? 'number' : protection);

export const foldNames = (names: readonly string[]): ReadonlySet<string> => new Set(names.map(folded));

/** The name by which a nested field is protected. */
export function factsWithin(outer: NameFacts, name: string): NameFacts {
  const own = factsOf(name);
  return own.addsNothing ? outer : own;
}

/** A pattern that finds it in text: `account_number`, `account number`, `accountNumber`. */
const inText = (name: string): string => name.split('_').join('[\\s_-]?');

/** Alternatives of a pattern: all names if quoted, and those that are unambiguous in plain text. */
export const namesInText = (own: readonly string[]): {quoted: string; bare: string} => {
  const all = [...SECRET_NAMES, ...NUMBER_NAMES, ...own.map(escapeRegExp)];
  const longestFirst = (names: readonly string[]) =>
    [...names]
      .sort((a, b) => b.length - a.length)
      .map(inText)
      .join('|');
  return {quoted: longestFirst(all), bare: longestFirst(all.filter((name) => !WORDS.has(name)))};
};

export const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
