import {readJsonExactly} from '../json/exact.ts';
import {lossesIn} from '../json/losses.ts';
import {isList, isObject, must} from '../narrow.ts';
import {escapedJson} from './harmful.ts';
import {safeJson, Sanitizer} from './sanitizer.ts';

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/**
 * JSON of a service with the digits and escape sequences with which it was sent; only its white space is replaced.
 * Protected values are masked as everywhere, and invisible characters become escape sequences. If a name occurs twice
 * in an object, only the last value is shown, because the others cannot be masked by their position.
 * @param isIndented one value per line; otherwise all on one line
 * @returns undefined if the text is not JSON, or is nested too deeply to be shown
 */
export function jsonAsSent(text: string, isIndented: boolean): string | undefined {
  let json: unknown;
  try {
    json = readJsonExactly(text);
  } catch {
    return undefined;
  }
  const lost = new Set(lossesIn(text, ['too_deep', 'duplicate_key']).map(({kind}) => kind));
  if (lost.has('too_deep')) return undefined;
  const sanitizer = new Sanitizer();
  sanitizer.learn(json);
  const shown = sanitizer.value(json);
  if (lost.has('duplicate_key')) return safeJson(shown, isIndented ? 2 : undefined);
  const writer = new Writer(text.match(TOKEN) ?? [], isIndented);
  writer.value(json, shown, 0);
  return writer.text;
}

/** Writes the tokens of a text, and what is shown in place of masked values. */
class Writer {
  text = '';
  readonly #tokens: readonly string[];
  readonly #isIndented: boolean;
  #at = 0;

  constructor(tokens: readonly string[], isIndented: boolean) {
    this.#tokens = tokens;
    this.#isIndented = isIndented;
  }

  /** @param shown the same value after masking */
  value(sent: unknown, shown: unknown, level: number): void {
    const start = this.#at;
    if (isList(sent) && isList(shown)) return this.#items(sent, shown, level);
    if (isObject(sent) && isObject(shown)) {
      const [names, shownNames] = [Object.keys(sent), Object.keys(shown)];
      if (names.length === shownNames.length)
        return this.#fields(
          sent,
          shown,
          {names: new Map(names.map((name, nth) => [name, nth])), shownNames},
          level,
        );
    }
    this.#skip();
    const raw = this.#tokens.slice(start, this.#at).join('');
    this.text += sent === shown ? escapedJson(raw) : safeJson(shown);
  }

  #items(sent: readonly unknown[], shown: readonly unknown[], level: number): void {
    this.#block(level, (nth) => this.value(sent[nth], shown[nth], level + 1));
  }

  #fields(
    sent: Readonly<Record<string, unknown>>,
    shown: Readonly<Record<string, unknown>>,
    {names, shownNames}: {names: ReadonlyMap<string, number>; shownNames: readonly string[]},
    level: number,
  ): void {
    this.#block(level, () => {
      const token = this.#next();
      const name = String(JSON.parse(token));
      const shownName = must(shownNames[must(names.get(name), 'name')], 'shown name');
      this.text += name === shownName ? escapedJson(token) : safeJson(shownName);
      this.text += this.#isIndented ? `${this.#next()} ` : this.#next();
      this.value(sent[name], shown[shownName], level + 1);
    });
  }

  /** An object or a list, with its brackets and commas. */
  #block(level: number, item: (nth: number) => void): void {
    this.text += this.#next();
    for (let nth = 0; !/^[}\]]$/.test(this.#peek()); nth += 1) {
      if (this.#peek() === ',') this.text += this.#next();
      this.#newLine(level + 1);
      item(nth);
      if (/^[}\]]$/.test(this.#peek())) this.#newLine(level);
    }
    this.text += this.#next();
  }

  /** The value that begins here. */
  #skip(): void {
    for (let open = 0; ;) {
      const token = this.#next();
      if (token === '{' || token === '[') open += 1;
      if (token === '}' || token === ']') open -= 1;
      if (open === 0) return;
    }
  }

  #newLine(level: number): void {
    if (this.#isIndented) this.text += `\n${'  '.repeat(level)}`;
  }

  #next(): string {
    const token = this.#peek();
    this.#at += 1;
    return token;
  }

  #peek(): string {
    return must(this.#tokens[this.#at], 'token');
  }
}
