import {cleanLine, escapedJson, isPrintable, markedToken, strippedLine, strippedLines} from './harmful.ts';
import {KnownSecrets} from './known-secrets.ts';
import {
  escapeRegExp,
  foldNames,
  isIdentifier,
  isProse,
  namesInText,
  nameWithin,
  protectionOf,
} from './secret-names.ts';
import {
  HIDDEN,
  isCardNumber,
  isIdentifierLike,
  isMasked,
  isOurMask,
  looksLikeNumber,
  looksLikeSecret,
  maskKey,
  maskLongNumbers,
  maskNumber,
  maskShapes,
} from './secret-shapes.ts';

/** How a JSON value is to be shown: `exact` keeps every character and hides secrets; `line` strips as well. */
type Form = 'exact' | 'line';

/** Deeper levels of an answer are left out: JSON.stringify could not write them either. */
const MOST_LEVELS = 500;

/**
 * The one place that decides what of a text a person, a file or a log may see: it strips what acts on a terminal or hides
 * in text, and takes secrets out. Everything that shows or stores text of a service goes through one of its methods. What
 * is compared, hashed or sent back does not.
 */
export class Sanitizer {
  readonly #known = new KnownSecrets();
  /** What an answer has shown under protected names. A service chooses it, so nothing but text is judged by it. */
  readonly #learned = new KnownSecrets();
  /** Values that may be shown in full, under these names only. */
  readonly #allowed = new Map<string, ReadonlySet<string>>();
  #own: ReadonlySet<string> = new Set();
  #quotedField = QUOTED_FIELD;
  #bareField = BARE_FIELD;
  #numbersAreOurs = false;

  /**
   * @param options.secrets exact values to mask wherever they occur: the key in use, numbers that a request carries
   * @param options.fields more names of number fields: what a profile calls `account_number` on the wire
   */
  constructor({secrets = [], fields = []}: {secrets?: Iterable<string>; fields?: readonly string[]} = {}) {
    this.#known.add(secrets);
    this.protectNumbers(fields);
  }

  /** More names of number fields. */
  protectNumbers(fields: readonly string[]): void {
    if (fields.length === 0) return;
    this.#own = new Set([...this.#own, ...foldNames(fields)]);
    const names = namesInText([...this.#own]);
    this.#quotedField = quotedField(names.quoted);
    this.#bareField = bareField(names);
  }

  /**
   * The exceptions: keys that the sandbox issued, a new signing secret, and the sandbox's magic values, shown in full by
   * the command that makes or lists them, in the fields of these names and in text of our own.
   */
  allow(value: string, ...names: readonly string[]): void {
    this.#allowed.set(value, new Set(names));
  }

  /** Records that are shown were made here: a long number in a message is a reference or the name of a batch. */
  keepNumbersInMessages(): void {
    this.#numbersAreOurs = true;
  }

  /** From now on these values are masked wherever they occur. */
  conceal(...secrets: readonly string[]): void {
    this.#known.add(secrets);
  }

  /** Numbers and secrets that a request or an answer holds under their names: an echo of them in words is masked too. */
  learn(json: unknown): void {
    this.#learned.add(protectedValues(json, this.#own).filter((value) => /\d.*\d.*\d.*\d/.test(value)));
  }

  /** Words of a service, on one line: for a message, a warning, a reason. Long numbers in them may be anybody's account. */
  words(text: string): string {
    return maskLongNumbers(this.line(text));
  }

  /** A text of a service on one line: for a cell, a card, a header. */
  line(text: string): string {
    return this.#masked(cleanLine(text));
  }

  /** A code, status or request id: characters that are taken out leave a mark, so that it never becomes another word. */
  token(text: string): string {
    const clean = this.#masked(markedToken(text));
    return /\s/.test(clean) ? maskLongNumbers(clean) : clean;
  }

  /** Text that was laid out here, with its lines. */
  layout(text: string): string {
    return this.painted(strippedLines(text));
  }

  /** The same, but keeps colours that remit added: the caller has already stripped the content. */
  painted(text: string): string {
    if (this.#allowed.size === 0) return this.#masked(text);
    const allowed = new RegExp(`(${[...this.#allowed.keys()].map(escapeRegExp).join('|')})`);
    return text
      .split(allowed)
      .map((part) => (this.#allowed.has(part) ? part : this.#masked(part)))
      .join('');
  }

  /** With its secrets masked and every other character kept: for JSON. A secret with invisible characters in it is found. */
  exact(text: string): string {
    const masked = this.#masked(text);
    if (masked !== text || isPrintable(text)) return masked;
    const stripped = strippedLine(text);
    const clean = this.#masked(stripped);
    return clean === stripped ? text : clean;
  }

  /** Whether an id can be shown and stored as it is; one that cannot belongs to no readable record. */
  isClean(id: string): boolean {
    return isPrintable(id) && !this.#known.isIn(id);
  }

  /** A header or a field by its name. */
  field(name: string, value: string): string {
    return this.value({[name]: value}, 'line', name) as string;
  }

  /**
   * A copy of a JSON value in which nothing is shown that must not be. Fields are protected by name, at any depth; names
   * are treated as text, since a service chooses them.
   *
   * @param only the value of this field alone
   */
  value(json: unknown, form: Form = 'exact', only?: string): unknown {
    const clean = this.#value(json, '', form, 0);
    return only === undefined ? clean : Object.values(clean as object)[0];
  }

  /** An error that tells what the cause told and carries nothing else along (raw packets, request options). */
  cause(raw: unknown): Error | undefined {
    if (raw === undefined) return undefined;
    if (!(raw instanceof Error))
      return new Error(typeof raw === 'string' ? this.line(raw) : 'not an error object');
    const inner = raw.cause === undefined ? undefined : {cause: this.cause(raw.cause)};
    const copy = new Error(this.line(raw.message), inner);
    copy.name = raw.name;
    const {code} = raw as {code?: unknown}; // errors of Node carry one
    return typeof code === 'string' ? Object.assign(copy, {code}) : copy;
  }

  #masked(text: string): string {
    if (!SUSPECT.test(text) && !this.#known.isIn(text) && !this.#learned.isIn(text)) return text;
    return maskShapes(this.#maskFields(this.#learned.mask(this.#known.mask(text))));
  }

  #maskFields(text: string): string {
    return text
      .replace(
        this.#quotedField,
        (all, before: string, _quote: string, name: string, quoted?: string, plain?: string) => {
          const value = (quoted ?? plain)!; // the pattern has one of the two
          const shown = this.#protected(name, value);
          return shown === value ? all : `${before}"${shown}"`;
        },
      )
      .replace(
        this.#bareField,
        (all, before: string, plain: string | undefined, inQuery: string | undefined, value: string) => {
          const name = (plain ?? inQuery)!; // the pattern has one of the two
          const isField = /\d/.test(value) || before.endsWith('='); // not `secret: is required`
          const shown = isField ? this.#protected(name, value) : value;
          return shown === value ? all : before + shown;
        },
      );
  }

  #protected(name: string, value: string): string {
    if (value === '' || isOurMask(value)) return value;
    switch (protectionOf(name, this.#own)) {
      case 'secret':
        return /^(?:test|live)_/.test(value) ? maskKey(value) : HIDDEN;
      case 'number':
        return isMasked(value) ? value : maskNumber(value);
      case 'loose-number':
        return looksLikeNumber(value) ? maskNumber(value) : value;
      case 'loose-secret':
        return looksLikeSecret(value) ? maskKey(value) : value;
      case undefined:
        return value;
    }
  }

  #value(raw: unknown, name: string, form: Form, level: number): unknown {
    if (typeof raw === 'string') return this.#string(raw, name, form);
    if (typeof raw === 'number' || typeof raw === 'bigint') return this.#number(raw, name);
    if (typeof raw !== 'object' || raw === null) return raw;
    if (level === MOST_LEVELS) return HIDDEN;
    if (Array.isArray(raw) && name.toLowerCase() === 'headers' && raw.every(isPair))
      return raw.map(([header, value]) => [
        this.#string(header, '', form),
        this.#string(value, header, form),
      ]);
    if (Array.isArray(raw)) return raw.map((item) => this.#value(item, name, form, level + 1));
    const toJson = (raw as {toJSON?: unknown}).toJSON;
    if (typeof toJson === 'function') return this.#value(toJson.call(raw), name, form, level + 1);
    return Object.fromEntries(
      Object.entries(raw).map(([key, inner]) => [
        form === 'line' ? this.line(key) : this.exact(key),
        this.#value(inner, nameWithin(name, key), form, level + 1),
      ]),
    );
  }

  #string(raw: string, name: string, form: Form): string {
    if (this.#allowed.get(raw)?.has(name) || isBytes(name, raw)) return raw;
    const text = form === 'line' ? strippedLine(raw) : raw;
    const shown = this.#protected(name, text);
    if (shown !== text) return shown;
    if (isIdentifier(name) && isIdentifierLike(text)) return this.#known.mask(text);
    const isWords = !this.#numbersAreOurs && isProse(name);
    if (form === 'line') return isWords ? maskLongNumbers(this.#masked(text)) : this.#masked(text);
    if (!isWords) return this.exact(raw);
    const stripped = this.line(raw); // in words, numbers too are found behind invisible characters
    return maskLongNumbers(stripped) === strippedLine(raw) ? raw : maskLongNumbers(this.exact(raw));
  }

  #number(raw: number | bigint, name: string): unknown {
    const text = String(raw);
    const shown = this.#protected(name, text);
    if (shown !== text) return shown;
    if (isIdentifier(name) || text.length < 6) return raw;
    return this.#known.isIn(text) || this.#learned.isIn(text) || isCardNumber(text) ? maskNumber(text) : raw;
  }
}

/** Compact or indented JSON in which nothing can act on a terminal; it parses to the same value. */
export function safeJson(value: unknown, indent?: number): string {
  return escapedJson(JSON.stringify(value ?? null, undefined, indent));
}

/** Bytes in base64, which are verified or sent again: one other character would spoil them. */
const isBytes = (name: string, text: string): boolean =>
  name === 'body_base64' && /^[A-Za-z0-9+/]*={0,2}$/.test(text);

/** A header as it was received. */
const isPair = (item: unknown): item is [name: string, value: string] =>
  Array.isArray(item) && item.length === 2 && item.every((part) => typeof part === 'string');

/** Values under protected names, as texts. */
function protectedValues(json: unknown, own: ReadonlySet<string>): string[] {
  const found: string[] = [];
  const walk = (value: unknown, name: string, level: number): void => {
    if (typeof value === 'object' && value !== null) {
      if (level === MOST_LEVELS) return;
      for (const [key, inner] of Object.entries(value))
        walk(inner, Array.isArray(value) ? name : nameWithin(name, key), level + 1);
    } else if (typeof value === 'string' || typeof value === 'number') {
      const text = String(value);
      const protection = protectionOf(name, own);
      if (protection === undefined || isMasked(text)) return;
      if (!protection.startsWith('loose') || looksLikeNumber(text)) found.push(text);
    }
  };
  walk(json, '', 0);
  return found;
}

/** Numbers that a request body carries, by field name. */
export const sensitiveValues = (body: unknown, fields: readonly string[] = []): string[] =>
  protectedValues(body, foldNames(fields));

/** Without one of these a text holds no shape and no field: most ids and statuses of a batch are passed at once. */
const SUSPECT =
  /…|(?:test|live|whsec)_|[:=]|(?:account|acct|a\/c|card|routing|iban|aba)[^a-z]|(?<![\w-])(?:\d(?:[ .\u00a0\u2009\u202f-]?\d){11}|[A-Z]{2}\d\d[ -]?[A-Z0-9])/i;

/** `"account_number": "…"`, in whole and in cut JSON. */
const quotedField = (names: string): RegExp =>
  new RegExp(`((["'])([\\w-]*(?:${names}))\\2\\s*:\\s*)(?:"((?:[^"\\\\]|\\\\.)*)"?|(\\d[\\d.eE+-]*))`, 'gi');

/**
 * `account_number=…`, `Authorization: …`: outside of JSON, up to the next space or separator. Names that are words of English
 * count only in a query: `token=…`.
 */
const bareField = ({quoted: all, bare}: ReturnType<typeof namesInText>): RegExp =>
  new RegExp(
    `((?<![\\w"'-])(?:([\\w-]*(?:${bare}))\\s*[:=]\\s*|([\\w-]*(?:${all}))=)(?:Bearer |Basic )?)([^\\s,;&"'{}()[\\]<>]+)`,
    'gi',
  );

const QUOTED_FIELD = quotedField(namesInText([]).quoted);
const BARE_FIELD = bareField(namesInText([]));
