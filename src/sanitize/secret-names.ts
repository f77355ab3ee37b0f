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

const PROTECTED = new Map<string, Protection>([
  ...SECRET_NAMES.map((name) => [folded(name), LOOSE.has(name) ? 'loose-secret' : 'secret'] as const),
  ...NUMBER_NAMES.map((name) => [folded(name), LOOSE.has(name) ? 'loose-number' : 'number'] as const),
]);

/**
 * `bank_account_number`, `newSigningSecret`: a protected name preceded by words. Short names would match too much.
 */
const ENDING =
  /(?:(?<number>accountnumber|accountno|acctnumber|cardnumber|routingnumber|iban)|(?<secret>secret|secretkey|privatekey|apikey|password|accesstoken|refreshtoken|authtoken))$/;

/** Ids, cursors and references must stay unchanged; only exact secrets are removed from them. */
const IDENTIFIER = /(?:^|[a-z])ids?$|cursor$|reference$|tracenumber$|idempotencykey$|endtoendid$/;

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
interface NameFacts {
  folded: string;
  protection: Protection | undefined;
  isIdentifier: boolean;
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

function factsOf(name: string): NameFacts {
  const met = MET.get(name);
  if (met !== undefined) return met;
  const plain = folded(name);
  const facts: NameFacts = {
    folded: plain,
    protection: protectionOfFolded(plain),
    isIdentifier: IDENTIFIER.test(plain),
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
  const groups = ENDING.exec(plain)?.groups;
  if (groups === undefined) return undefined;
  return groups['number'] === undefined ? 'secret' : 'number';
}

/** How the value of a field is protected, by its name alone; `own`: names that a profile gives to number fields. */
export function protectionOf(name: string, own: ReadonlySet<string> = NONE): Protection | undefined {
  const {folded: plain, protection} = factsOf(name);
  return own.has(plain) ? 'number' : protection;
}

export const foldNames = (names: readonly string[]): ReadonlySet<string> => new Set(names.map(folded));

export const isIdentifier = (name: string): boolean => factsOf(name).isIdentifier;

/** Whether a field contains text for people: a number in it may be an account number. */
export const isProse = (name: string): boolean => factsOf(name).isProse;

/** The name by which a nested field is protected. */
export const nameWithin = (outer: string, name: string): string => (factsOf(name).addsNothing ? outer : name);

const NONE: ReadonlySet<string> = new Set();

/** As a pattern in text: `account_number`, `account number`, `accountNumber`. */
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
