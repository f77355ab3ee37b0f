import {exactJson} from '../json/exact.ts';
import {
  asReceived,
  codeOf,
  differsFromReceived,
  ExactNumber,
  isList,
  isObject,
  type Json,
  type Printable,
} from '../narrow.ts';
import {cleanLine, escapedJson, isPrintable, markedToken, strippedLine, strippedLines} from './harmful.ts';
import {KnownSecrets} from './known-secrets.ts';
import {bankNumbers} from './bank-numbers.ts';
import {NamedFields} from './named-fields.ts';
import {MOST_LEVELS} from './protected-values.ts';
import {escapeRegExp, factsOf, factsWithin, type NameFacts} from './secret-names.ts';
import {
  HIDDEN,
  isCardNumber,
  isIdentifierLike,
  maskLongNumbers,
  maskNumber,
  maskShapes,
} from './secret-shapes.ts';
import {isSuspect} from './suspect.ts';

/** Names of fields that are kept as shown; a service chooses them. */
const MOST_NAMES = 500;
const LONGEST_NAME = 100;

/** The facts of a value outside any field. */
const NAMELESS = factsOf('');

/** A property like any other, for a name that an assignment would treat as the prototype. */
const OWN = {enumerable: true, configurable: true, writable: true};

/** How a JSON value is shown: `exact` keeps every character and hides secrets; `line` also strips characters. */
type Form = 'exact' | 'line';

/**
 * The one place that decides which parts of a text a person, a file or a log may see. It strips characters that
 * control a terminal or hide text, and removes secrets. Everything that shows or stores text of a service uses one of
 * its methods. Text that is compared, hashed or sent back does not.
 */
export class Sanitizer {
  readonly #known = new KnownSecrets();
  /**
   * Values that answers have shown under protected names. The service chooses them, so they are only masked in text.
   */
  readonly #learned = new KnownSecrets('service');
  /** Values that may be shown in full, but only under these names. */
  readonly #allowed = new Map<string, ReadonlySet<string>>();
  readonly #fields = new NamedFields();
  readonly #names = {exact: new Map<string, string>(), line: new Map<string, string>()};
  #numbersAreOurs = false;

  /**
   * @param options.secrets exact values to mask wherever they occur: the active key, numbers in a request
   * @param options.fields additional names of number fields: what a profile calls `account_number` on the wire
   */
  constructor({secrets = [], fields = []}: {secrets?: Iterable<string>; fields?: readonly string[]} = {}) {
    this.#known.add(secrets);
    this.protectNumbers(fields);
  }

  /** Additional names of number fields. */
  protectNumbers(fields: readonly string[]): void {
    if (fields.length === 0) return;
    this.#fields.add(fields);
    this.#forgetNames();
  }

  /**
   * The exceptions: keys issued by the sandbox, a new signing secret, and the sandbox's magic values. The command
   * that creates or lists them shows them in full, in fields with these names and in our own text.
   */
  allow(value: string, ...names: readonly string[]): void {
    this.#allowed.set(value, new Set(names));
  }

  /** Records that are shown were made here: a long number in a message is a reference or the name of a batch. */
  keepNumbersInMessages(): void {
    this.#numbersAreOurs = true;
  }

  /** Masks these values wherever they occur from now on. */
  conceal(...secrets: readonly string[]): void {
    if (this.#known.add(secrets)) this.#forgetNames();
  }

  /**
   * Remembers numbers and secrets that a request or an answer has under protected names, so that they are also masked
   * in text.
   */
  learn(json: Printable): void {
    const values = this.#fields.valuesIn(json).filter((value) => /\d.*\d.*\d.*\d/.test(value));
    if (this.#learned.add(values)) this.#forgetNames();
  }

  /**
   * Text of a service, on one line, for a message, a warning or a reason. Long numbers in it may be account numbers.
   */
  words(text: string): string {
    return maskLongNumbers(this.line(text));
  }

  /** Text of a service on one line, for a cell, a card or a header. */
  line(text: string): string {
    return this.#masked(cleanLine(text));
  }

  /** A code, status or request id: removed characters leave a mark, so that it never turns into another word. */
  token(text: string): string {
    const clean = this.#masked(markedToken(text));
    return /\s/.test(clean) ? maskLongNumbers(clean) : clean;
  }

  /** Text that was laid out here, with its lines. */
  layout(text: string): string {
    return this.painted(strippedLines(text));
  }

  /** Like `layout`, but keeps colours that remit added: the caller has already stripped the content. */
  painted(text: string): string {
    return this.#maskedBeside(text, []);
  }

  /**
   * A table or card of records that `value` has made safe. It also keeps their bank references and trace numbers, which
   * may look like card numbers.
   */
  laidOut(text: string, records: readonly Printable[]): string {
    if (this.#allowed.size === 0 && !this.#isSuspect(text)) return text;
    const kept = bankNumbers(records).filter((one) => !this.#known.isIn(one) && !this.#learned.isIn(one));
    return this.#maskedBeside(text, kept);
  }

  #maskedBeside(text: string, bankNumbers: readonly string[]): string {
    if (this.#allowed.size === 0) return this.#maskedBetween(text, bankNumbers);
    return text
      .split(new RegExp(`(${[...this.#allowed.keys()].map(escapeRegExp).join('|')})`))
      .map((part, at) => (at % 2 === 1 ? part : this.#maskedBetween(part, bankNumbers)))
      .join('');
  }

  /** Bank numbers are kept where they are words of their own. A service chooses them, so there is no pattern of them. */
  #maskedBetween(text: string, bankNumbers: readonly string[]): string {
    if (bankNumbers.length === 0) return this.#masked(text);
    const kept = new Set(bankNumbers);
    let shown = '';
    let at = 0;
    for (const {0: word, index} of text.matchAll(/\S+/g)) {
      if (!kept.has(word)) continue;
      shown += this.#masked(text.slice(at, index)) + word;
      at = index + word.length;
    }
    return shown + this.#masked(text.slice(at));
  }

  /** Masks secrets and keeps every other character, for JSON. Finds secrets with invisible characters in them. */
  exact(text: string): string {
    const masked = this.#masked(text);
    if (masked !== text || isPrintable(text)) return masked;
    const stripped = strippedLine(text);
    const clean = this.#masked(stripped);
    return clean === stripped ? text : clean;
  }

  /** Whether an id can be shown and stored unchanged; otherwise its record is not readable. */
  isClean(id: string): boolean {
    return isPrintable(id) && !this.#known.isIn(id);
  }

  /** A header or a field by its name. */
  field(name: string, value: string): string {
    return this.#string(value, factsWithin(NAMELESS, name), 'line');
  }

  /**
   * A copy of a JSON value that is safe to show. Fields are protected by name, at any depth; names are treated as
   * text, because a service chooses them.
   */
  value(json: Printable, form: Form = 'exact'): Json {
    return this.#value(json, NAMELESS, form, 0);
  }

  /** An error with the message of the cause and nothing else (no raw packets or request options). */
  cause(raw: unknown): Error | undefined {
    if (raw === undefined) return undefined;
    if (!(raw instanceof Error))
      return new Error(typeof raw === 'string' ? this.line(raw) : 'not an error object');
    const inner = raw.cause === undefined ? undefined : {cause: this.cause(raw.cause)};
    const copy = new Error(this.line(raw.message), inner);
    copy.name = raw.name;
    const code = codeOf(raw);
    return code !== undefined ? Object.assign(copy, {code}) : copy;
  }

  #masked(text: string): string {
    if (!this.#isSuspect(text)) return text;
    return maskShapes(this.#fields.maskedIn(this.#learned.mask(this.#known.mask(text))));
  }

  #isSuspect(text: string): boolean {
    return isSuspect(text) || this.#known.isIn(text) || this.#learned.isIn(text);
  }

  #value(raw: Printable | bigint, name: NameFacts, form: Form, level: number): Json {
    if (typeof raw === 'string') return this.#string(raw, name, form);
    if (typeof raw === 'number' || typeof raw === 'bigint' || raw instanceof ExactNumber)
      return this.#number(raw, name);
    const isRecord = isObject(raw);
    if (!isRecord && !isList(raw)) return typeof raw === 'boolean' || raw === null ? raw : undefined;
    if (level === MOST_LEVELS) return HIDDEN;
    if (!isRecord && name.name.toLowerCase() === 'headers' && raw.every(isPair))
      return raw.map(([header, value]) => [
        this.#string(header, NAMELESS, form),
        this.#string(value, factsOf(header), form),
      ]);
    if (!isRecord) return raw.map((item) => this.#value(item, name, form, level + 1));
    if (differsFromReceived(raw)) return this.#value(asReceived(raw), name, form, level);
    if (isModel(raw)) return this.#value(raw.toJSON(), name, form, level + 1);
    const copy: Record<string, Json> = {};
    for (const key of Object.keys(raw)) {
      const shown = this.#name(key, form);
      const value = this.#value(raw[key], factsWithin(name, key), form, level + 1);
      if (shown === '__proto__') Object.defineProperty(copy, shown, {value, ...OWN});
      else copy[shown] = value;
    }
    return copy;
  }

  /** A name of a field as it is shown. The records of a list have the same few. */
  #name(key: string, form: Form): string {
    const names = this.#names[form];
    const met = names.get(key);
    if (met !== undefined) return met;
    const shown = form === 'line' ? this.line(key) : this.exact(key);
    if (names.size < MOST_NAMES && key.length <= LONGEST_NAME) names.set(key, shown);
    return shown;
  }

  /** What names look like depends on the secrets that are known. */
  #forgetNames(): void {
    this.#names.exact.clear();
    this.#names.line.clear();
  }

  #string(raw: string, name: NameFacts, form: Form): string {
    if (this.#allowed.size > 0 && this.#allowed.get(raw)?.has(name.name) === true) return raw;
    if (isBytes(name.name, raw)) return raw;
    const text = form === 'line' ? strippedLine(raw) : raw;
    const shown = this.#fields.masked(name, text);
    if (shown !== text) return shown;
    if (name.isIdentifier && isIdentifierLike(text)) return this.#known.mask(text);
    const isWords = !this.#numbersAreOurs && name.isProse;
    if (form === 'line') return isWords ? maskLongNumbers(this.#masked(text)) : this.#masked(text);
    if (!isWords) return this.exact(raw);
    const stripped = this.line(raw); // in free text, numbers are also found behind invisible characters
    return maskLongNumbers(stripped) === strippedLine(raw) ? raw : maskLongNumbers(this.exact(raw));
  }

  #number(raw: number | bigint | ExactNumber, name: NameFacts): Json {
    const text = String(raw);
    const shown = this.#fields.masked(name, text);
    if (shown !== text) return shown;
    const isLong = !name.isIdentifier && text.length >= 6;
    if (isLong && (this.#known.isIn(text) || this.#learned.isIn(text) || isCardNumber(text)))
      return maskNumber(text);
    return typeof raw === 'bigint' ? new ExactNumber(text) : raw;
  }
}

/** Compact or indented JSON that cannot control a terminal; it parses to the same value. */
export function safeJson(value: Printable, indent?: number): string {
  return escapedJson(exactJson(value ?? null, indent));
}

/** Bytes in base64 that are verified or sent again: changing one character would corrupt them. */
const isBytes = (name: string, text: string): boolean =>
  name === 'body_base64' && /^[A-Za-z0-9+/]*={0,2}$/.test(text);

/** An object that says how it is written. */
const isModel = (raw: object): raw is {toJSON(): Json} => 'toJSON' in raw && typeof raw.toJSON === 'function';

/** A header as it was received. */
const isPair = (item: Json): item is [name: string, value: string] =>
  Array.isArray(item) && item.length === 2 && item.every((part) => typeof part === 'string');
