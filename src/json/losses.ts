import {ownJson} from '../narrow.ts';

/** Something in JSON that its parsed form does not show. */
export interface Loss {
  /** Such as `data.amount_in_minor_units`; empty for the whole body. */
  path: string;
  /**
   * `number`: it has another value once parsed. `duplicate_key`: the last of several values counts. `too_deep`: the
   * body is nested too deeply to be shown.
   */
  kind: 'number' | 'duplicate_key' | 'too_deep';
  /** The number as it was sent. */
  sent: string | null;
}

/** Far deeper than any event, but not deep enough to overflow a stack. */
export const MOST_LEVELS = 200;
const MOST_LOSSES = 20;
const MOST_SHOWN = 60;

/** The first loss of one of these kinds in text that is known to be JSON. */
export const unshownIn = (json: string, kinds: readonly Loss['kind'][]): Loss | undefined =>
  lossesIn(json, kinds)[0];

/** An open object or array: the name or position of the value that is being read. */
interface Level {
  /** Undefined for an array. */
  names: Names | undefined;
  at: string | number;
}

/** Most objects have few names, so a Set for each would take longer than everything else. */
const FEW = 8;

class Names {
  readonly #few: string[] = [];
  #all: Set<string> | undefined;

  /** False for a name that was added before. */
  add(name: string): boolean {
    if (this.#all !== undefined) return this.#all.size < this.#all.add(name).size;
    if (this.#few.includes(name)) return false;
    this.#few.push(name);
    if (this.#few.length > FEW) this.#all = new Set(this.#few);
    return true;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const ZERO = 0x30;
const POINT = 0x2e;

/** Scans text that is known to be JSON once, without recursion. */
export function lossesIn(text: string, kinds?: readonly Loss['kind'][]): Loss[] {
  const lost: Loss[] = [];
  const levels: Level[] = [];
  const note = (kind: Loss['kind'], sent: string | null) => {
    if (lost.length < MOST_LOSSES && kinds?.includes(kind) !== false)
      lost.push({path: pathOf(levels), kind, sent});
  };
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const level = levels.at(-1);
    if (code === 0x7b || code === 0x5b) {
      if (levels.length === MOST_LEVELS) return [...lost, {path: '', kind: 'too_deep', sent: null}];
      levels.push(code === 0x7b ? {names: new Names(), at: ''} : {names: undefined, at: 0});
    } else if (code === 0x7d || code === 0x5d) levels.pop();
    else if (code === 0x2c && typeof level?.at === 'number') level.at += 1;
    else if (code === QUOTE) {
      const end = endOfString(text, at);
      const after = afterBlanks(text, end);
      if (level?.names !== undefined && text[after] === ':') {
        level.at = nameIn(text.slice(at, end));
        if (!level.names.add(level.at)) note('duplicate_key', null);
        at = after;
      } else at = end - 1;
    } else if (code === MINUS || isDigit(code)) {
      const end = endOfNumber(text, at);
      const sent = text.slice(at, end);
      if (!isExact(sent)) note('number', sent.length > MOST_SHOWN ? `${sent.slice(0, MOST_SHOWN)}…` : sent);
      at = end - 1;
    }
  }
  return lost;
}

function endOfString(text: string, start: number): number {
  const quote = text.indexOf('"', start + 1);
  if (text.charCodeAt(quote - 1) !== BACKSLASH) return quote + 1; // the usual case, and much faster
  for (let at = start + 1; ; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code === BACKSLASH) at += 1;
  }
}

function afterBlanks(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) <= 0x20) at += 1;
  return at;
}

const isDigit = (code: number): boolean => code >= ZERO && code <= 0x39;

function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (/[0-9.eE+-]/.test(text.charAt(at))) at += 1;
  return at;
}

/** Decimal literals up to this length that have no exponent are read back exactly. */
const SHORT = 15;

/**
 * Whether text that is known to be JSON has a number that may lose digits: a long one, or one with an exponent. Allocates
 * nothing and takes a fifth of the time of `JSON.parse`, since it runs for each answer.
 */
export function hasLongNumber(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if (isDigit(code)) {
      const start = at;
      let next = text.charCodeAt(at + 1);
      while (isDigit(next) || next === POINT) next = text.charCodeAt((at += 1) + 1);
      if (at - start >= SHORT || next === 0x65 || next === 0x45) return true;
    }
  }
  return false;
}

const nameIn = (quoted: string): string =>
  quoted.includes('\\') ? ownJson<string>(quoted) : quoted.slice(1, -1);

const pathOf = (levels: readonly Level[]): string => levels.map(({at}) => String(at)).join('.');

/** Whether a double represents the number as it was sent: 0.1 does, 9007199254740993 does not. */
export function isExact(sent: string): boolean {
  if (sent.length < 16 && /^-?\d+$/.test(sent)) return true;
  const read = Number(sent);
  return Number.isFinite(read) && canonical(sent) === canonical(String(read));
}

/** Whether two JSON numbers have the same value, in any form. */
export const isSameNumber = (a: string, b: string): boolean => canonical(a) === canonical(b);

/** Digits without leading and trailing zeros, and the power of ten of the last one. */
function canonical(number: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const all = whole + fraction;
  let [from, to] = [0, all.length]; // a pattern for the zeros at the end takes quadratic time
  while (all.charCodeAt(from) === ZERO) from += 1;
  while (to > from && all.charCodeAt(to - 1) === ZERO) to -= 1;
  if (from === to) return '0';
  return `${sign}${all.slice(from, to)}e${Number(exponent) - fraction.length + (all.length - to)}`;
}
