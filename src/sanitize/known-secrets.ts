import {escapeRegExp} from './secret-names.ts';
import {maskNumber, UUID} from './secret-shapes.ts';

/** Masking shorter values everywhere would hide harmless text; they are still masked in their own field. */
const MIN_SECRET = 6;
/**
 * Maximum number of remembered numbers from answers, to mask where they are repeated; the oldest are dropped first.
 */
const MOST = 500;

/**
 * Exact values that must not be shown: the active key, and secrets and numbers in a request or answer. They are found
 * in any case, percent-encoded, in base64 and in hexadecimal; numbers also in groups.
 */
export class KnownSecrets {
  readonly #secrets = new Set<string>();
  /** Secrets in all their forms, in lower case, and how each is shown; made when a text is checked. */
  #masks: Map<string, string> | undefined;
  #forms: readonly string[] = [];
  #numbers: readonly string[] = [];
  /** Made when a text contains one of the forms, or may contain a number. */
  #pattern: RegExp | undefined;

  /** Returns whether a value is new. */
  add(values: Iterable<string>): boolean {
    let isNew = false;
    for (const value of values) {
      if (value.length < MIN_SECRET || this.#secrets.has(value)) continue;
      this.#secrets.add(value);
      this.#masks = undefined;
      this.#pattern = undefined;
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
    const low = text.toLowerCase(); // much faster than the pattern, and most texts contain nothing
    if (this.#forms.some((form) => low.includes(form))) return true;
    if (this.#numbers.length === 0) return false;
    for (const [found] of text.matchAll(this.#compiled())) if (!isUuid(found)) return true;
    return false;
  }

  mask(text: string): string {
    if (!this.isIn(text)) return text;
    const masks = this.#prepared();
    return text.replace(this.#compiled(), (found) =>
      isUuid(found) ? found : (masks.get(found.toLowerCase()) ?? maskNumber(found.replace(/\D/g, ''))),
    );
  }

  #prepared(): ReadonlyMap<string, string> {
    if (this.#masks !== undefined) return this.#masks;
    const secrets = [...this.#secrets];
    const shown = secrets.flatMap((secret) =>
      [...formsOf(secret)].map((form) => [form.toLowerCase(), maskNumber(secret)] as const),
    );
    this.#masks = new Map(shown);
    this.#forms = [...this.#masks.keys()];
    this.#numbers = secrets.filter((secret) => NUMBER.test(secret));
    return this.#masks;
  }

  #compiled(): RegExp {
    if (this.#pattern !== undefined) return this.#pattern;
    const words = [...this.#forms].sort((a, b) => b.length - a.length).map(escapeRegExp); // a secret that contains another comes first
    const digits = this.#numbers.length > 0 ? [UUID, ...this.#numbers.map(groupedDigits)] : [];
    this.#pattern = new RegExp([...words, ...digits].join('|'), 'gi');
    return this.#pattern;
  }
}

const NUMBER = /^[\d -]+$/;

const WHOLE_UUID = new RegExp(`^${UUID}$`, 'i');
const isUuid = (text: string): boolean => WHOLE_UUID.test(text);

const groupedDigits = (number: string): string =>
  `(?<!\\d)${[...number.replace(/\D/g, '')].join('[ .\\u00a0-]?')}(?!\\d)`;

/**
 * The forms in which a service or a library may repeat a secret. A plain number may be grouped, and is never part of
 * an id.
 */
function formsOf(secret: string): Set<string> {
  const hex = Buffer.from(secret).toString('hex');
  const forms = new Set([secret, encodeURIComponent(secret), hex, ...base64Forms(secret)]);
  if (NUMBER.test(secret)) forms.delete(secret);
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
