import {readJsonExactly} from '../json/exact.ts';
import {lossesIn} from '../json/losses.ts';
import {isList, isObject, type Json, must, ownJson} from '../narrow.ts';
import {escapedJson} from './harmful.ts';
import {safeJson, Sanitizer} from './sanitizer.ts';

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

interface Token {
  text: string;
  /** The white space before it. */
  blanks: string;
}

/**
 * JSON of a service as it was sent: its digits, escape sequences, spaces, and names that occur twice. Protected values
 * are masked as everywhere, and invisible characters become escape sequences.
 * @param isIndented keeps line breaks, and makes some if there are none: one value per line; otherwise all is on one line
 * @returns undefined if the text is not JSON, or is nested too deeply to be shown
 */
export function jsonAsSent(text: string, isIndented: boolean): string | undefined {
  try {
    JSON.parse(text);
  } catch {
    return undefined;
  }
  if (lossesIn(text, ['too_deep']).length > 0) return undefined;
  const tokens = tokensOf(text);
  const sent = new Reader(tokens).value();
  const sanitizer = new Sanitizer();
  sanitizer.learn(sent);
  const isOneLine = !/[\r\n]/.test(text.trim());
  const writer = new Writer(tokens, isIndented ? (isOneLine ? 'indented' : 'lines') : 'one line');
  writer.value(sent, sanitizer.value(sent), 0);
  return writer.text;
}

function tokensOf(json: string): Token[] {
  let end = 0;
  return Array.from(json.matchAll(TOKEN), ({0: text, index}) => {
    const blanks = json.slice(end, index);
    end = index + text.length;
    return {text, blanks};
  });
}

class Tokens {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  protected next(): Token {
    const token = must(this.#tokens[this.#at], 'token');
    this.#at += 1;
    return token;
  }

  protected isAt(pattern: RegExp): boolean {
    return pattern.test(must(this.#tokens[this.#at], 'token').text);
  }
}

/** Reads an object as a list with an object for each field, so that no name hides another. */
class Reader extends Tokens {
  value(): Json {
    const {text} = this.next();
    if (text !== '{' && text !== '[') return readJsonExactly(text);
    const items: Json[] = [];
    while (!this.isAt(END)) {
      if (this.isAt(COMMA)) this.next();
      items.push(text === '{' ? this.#field() : this.value());
    }
    this.next();
    return items;
  }

  #field(): Json {
    const name = ownJson<string>(this.next().text);
    this.next(); // the colon
    return Object.fromEntries([[name, this.value()]]);
  }
}

const END = /^[}\]]$/;
const COMMA = /^,$/;

/** Writes the tokens of a text, and what is shown in place of masked values. */
class Writer extends Tokens {
  text = '';
  readonly #form: 'indented' | 'lines' | 'one line';

  constructor(tokens: readonly Token[], form: 'indented' | 'lines' | 'one line') {
    super(tokens);
    this.#form = form;
  }

  /** @param shown the same value after masking */
  value(sent: Json, shown: Json, level: number): void {
    if (!isList(sent) || !isList(shown)) return this.#write(sent === shown ? undefined : shown);
    const isFields = this.isAt(/^\{$/);
    this.#write();
    for (let nth = 0; !this.isAt(END); nth += 1) {
      if (this.isAt(COMMA)) this.#write();
      this.#newLine(level + 1);
      if (isFields) this.#field(sent[nth], shown[nth], level + 1);
      else this.value(sent[nth], shown[nth], level + 1);
      if (this.isAt(END)) this.#newLine(level);
    }
    this.#write();
  }

  #field(sent: Json, shown: Json, level: number): void {
    const [[name, value], [shownName, shownValue]] = [entryOf(sent), entryOf(shown)];
    this.#write(name === shownName ? undefined : shownName);
    this.#write();
    if (this.#form === 'indented') this.text += ' ';
    this.value(value, shownValue, level);
  }

  /** The next token, or what is shown in its place. */
  #write(shown?: Json): void {
    const {blanks, text} = this.next();
    if (this.text !== '' && this.#form !== 'indented') this.text += this.#blanks(blanks);
    this.text += shown === undefined ? escapedJson(text) : safeJson(shown);
  }

  #blanks(sent: string): string {
    if (this.#form === 'one line') return /[\t\r\n]/.test(sent) ? ' ' : sent;
    return sent.replaceAll(/\r\n?/g, '\n').replaceAll('\t', '  ');
  }

  #newLine(level: number): void {
    if (this.#form === 'indented') this.text += `\n${'  '.repeat(level)}`;
  }
}

function entryOf(field: Json): [name: string, value: Json] {
  return must(isObject(field) ? Object.entries(field)[0] : undefined, 'field');
}
