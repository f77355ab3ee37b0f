import {must} from '../narrow.ts';
import {escapeRegExp} from './secret-names.ts';
import {maskNumber, UUID} from './secret-shapes.ts';

/** Masking shorter values everywhere would hide harmless text; they are still masked in their own field. */
const MIN_SECRET = 6;
/**
 * No key is longer. A value of an answer that is longer than an account number, a card number or an IBAN in groups is
 * masked in its own field only: a service chooses it, and each one costs time in every later text.
 */
const LONGEST_OWN = 4096;
const LONGEST_LEARNED = 64;
/**
 * Maximum number of remembered numbers from answers, to mask where they are repeated; the oldest are dropped first.
 */
const MOST = 500;

/**
 * Exact values that must not be shown: the active key, and secrets and numbers in a request or answer. They are found
 * in any case, percent-encoded, in base64 and in hexadecimal; numbers also in groups. The time grows with the length of
 * the text only, whatever the values are.
 */
export class KnownSecrets {
  readonly #longest: number;
  readonly #secrets = new Set<string>();
  /** Secrets in all their forms, in lower case, and how each is shown; made when a text is checked. */
  #masks: Map<string, string> | undefined;
  /** Longest first: a secret that contains another is masked as a whole. */
  #forms: readonly string[] = [];
  /** The digits of those that are numbers. */
  #numbers: ReadonlySet<string> = new Set();
  #mostDigits = 0;

  /** @param from who chooses the values: the user, or a service */
  constructor(from: 'user' | 'service' = 'user') {
    this.#longest = from === 'user' ? LONGEST_OWN : LONGEST_LEARNED;
  }

  /** Returns whether a value is new. */
  add(values: Iterable<string>): boolean {
    let isNew = false;
    for (const value of values) {
      if (value.length < MIN_SECRET || value.length > this.#longest || this.#secrets.has(value)) continue;
      this.#secrets.add(value);
      this.#masks = undefined;
      isNew = true;
    }
    for (const oldest of this.#secrets) {
      if (this.#secrets.size <= MOST) break;
      this.#secrets.delete(oldest);
    }
    return isNew;
  }

  isIn(text: string): boolean {
    if (this.#secrets.size === 0) return false;
    this.#prepared();
    const low = text.toLowerCase();
    return this.#forms.some((form) => low.includes(form)) || this.#hasNumber(text);
  }

  mask(text: string): string {
    if (!this.isIn(text)) return text;
    const masks = this.#prepared();
    const low = text.toLowerCase();
    const found = this.#forms.filter((form) => low.includes(form));
    const masked = found.reduce(
      (rest, form) => rest.replace(new RegExp(escapeRegExp(form), 'gi'), () => masks.get(form) ?? ''),
      text,
    );
    return this.#numbers.size === 0 ? masked : masked.replace(DIGITS, (run) => this.#maskedRun(run));
  }

  #hasNumber(text: string): boolean {
    if (this.#numbers.size === 0) return false;
    for (const [run] of text.matchAll(DIGITS)) if (this.#maskedRun(run) !== run) return true;
    return false;
  }

  /** Masks each number that is made of whole groups of digits: 1234 5678 in `90 1234 5678`, but not in `901234 5678`. */
  #maskedRun(run: string): string {
    if (isUuid(run)) return run;
    const groups = [...run.matchAll(/\d+/g)].map(({0: digits, index}) => ({digits, from: index}));
    let shown = '';
    let at = 0;
    for (let first = 0; first < groups.length; first += 1) {
      let digits = '';
      let last: number | undefined;
      for (let next = first; next < groups.length; next += 1) {
        digits += must(groups[next], 'group of digits').digits;
        if (digits.length > this.#mostDigits) break;
        if (this.#numbers.has(digits)) last = next;
      }
      if (last === undefined) continue;
      const {from, digits: end} = must(groups[last], 'group of digits');
      const number = groups.slice(first, last + 1).map((group) => group.digits);
      shown += run.slice(at, must(groups[first], 'group of digits').from) + maskNumber(number.join(''));
      at = from + end.length;
      first = last;
    }
    return shown + run.slice(at);
  }

  #prepared(): ReadonlyMap<string, string> {
    if (this.#masks !== undefined) return this.#masks;
    const secrets = [...this.#secrets];
    const shown = secrets.flatMap((secret) =>
      [...formsOf(secret)].map((form) => [form.toLowerCase(), maskNumber(secret)] as const),
    );
    this.#masks = new Map(shown);
    this.#forms = [...this.#masks.keys()].sort((a, b) => b.length - a.length);
    const numbers = secrets.filter(isNumber).map((secret) => secret.replace(/\D/g, ''));
    this.#numbers = new Set(numbers);
    this.#mostDigits = Math.max(0, ...numbers.map(({length}) => length));
    return this.#masks;
  }
}

const isNumber = (secret: string): boolean => /^[\d -]+$/.test(secret);

/** An id, or digits with single separators between them that do not reach into an id. */
const DIGITS = new RegExp(`${UUID}|\\d(?:[ .\\u00a0-]?(?!${UUID})\\d)*`, 'gi');
const WHOLE_UUID = new RegExp(`^${UUID}$`, 'i');
const isUuid = (text: string): boolean => WHOLE_UUID.test(text);

/**
 * The forms in which a service or a library may repeat a secret. A plain number may be grouped, and is never part of
 * an id.
 */
function formsOf(secret: string): Set<string> {
  const hex = Buffer.from(secret).toString('hex');
  const wellFormed = secret.replace(/\p{Surrogate}/gu, '\ufffd'); // half a character cannot be encoded
  const forms = new Set([secret, encodeURIComponent(wellFormed), hex, ...base64Forms(secret)]);
  if (isNumber(secret)) forms.delete(secret);
  return forms;
}

/**
 * Base64 of a text that contains the secret, at each of the three alignments, without the characters shared with its
 * neighbours.
 */
function base64Forms(secret: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.from('\0'.repeat(before) + secret)
      .toString('base64')
      .replace(/={1,2}$/, '');
    const whole = text.slice(
      Math.ceil((before * 4) / 3),
      Math.floor(((before + Buffer.byteLength(secret)) * 4) / 3),
    );
    return whole.length < 8 ? [] : [whole, whole.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
