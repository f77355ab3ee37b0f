/**
 * Invisible characters that change what a reader sees. A terminal executes escape sequences; bidi marks can make one
 * id or amount look like another; zero-width, tag and variation characters hide text.
 */

type Range = readonly [first: number, last: number];

/** Line and paragraph breaks of every kind; a carriage return would let text overwrite the start of its line. */
const BREAKS: readonly Range[] = [
  [0x0a, 0x0d],
  [0x85, 0x85],
  [0x2028, 0x2029],
];

/** C0 (except tab and breaks), DEL and C1, Unicode's default-ignorable characters, and interlinear marks. */
const INVISIBLE: readonly Range[] = [
  [0x00, 0x08],
  [0x0e, 0x1f],
  [0x7f, 0x84],
  [0x86, 0x9f],
  [0xad, 0xad], // soft hyphen
  [0x034f, 0x034f],
  [0x061c, 0x061c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f], // zero width, and marks of direction
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xd800, 0xdfff], // halves of a character, where they stand alone
  [0xfe00, 0xfe0f], // variation selectors
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff], // tags, and more variation selectors
];
const TAB: Range = [0x09, 0x09];
const LINE_FEED = 0x0a;

/** A pattern, made when it is first used: most texts are plain. */
function anyOf(ranges: readonly Range[], rest = ''): () => RegExp {
  let pattern: RegExp | undefined;
  return () =>
    (pattern ??= new RegExp(
      `[${ranges.map(([first, last]) => `\\u{${first.toString(16)}}-\\u{${last.toString(16)}}`).join('')}]${rest}`,
      'gu',
    ));
}

const anyBreak = anyOf([TAB, ...BREAKS], '+');
const oddBreak = anyOf([[LINE_FEED + 1, 0x0d], ...BREAKS.slice(1)]);
const anyInvisible = anyOf(INVISIBLE);
const anyHarmful = anyOf([TAB, ...BREAKS, ...INVISIBLE]);
/** JSON.stringify escapes C0 itself; the line feeds of its indentation remain. */
const unescaped = anyOf([...BREAKS, ...INVISIBLE].filter(([, last]) => last > 0x1f));
const anyUnseen = anyOf([TAB, ...BREAKS, ...INVISIBLE], '|[\\p{C}\\u2800]');
const PLAIN = /^[\x20-\x7e]*$/;

/** Whether the text contains nothing that hides text or controls a terminal, so it can be shown unchanged. */
export const isPrintable = (text: string): boolean => PLAIN.test(text) || text.search(anyHarmful()) < 0;

/**
 * The first character that a reader cannot see: what is stripped here, and in addition unassigned and private characters
 * and the blank Braille pattern. Two names that differ only in such characters look the same.
 */
export const firstUnseen = (text: string): string | undefined =>
  PLAIN.test(text) ? undefined : text.match(anyUnseen())?.[0];

/** Puts a text on one line: breaks and tabs become a space, everything invisible is removed. */
export const strippedLine = (text: string): string =>
  PLAIN.test(text) ? text : text.replace(anyBreak(), ' ').replace(anyInvisible(), '');

/** The text for a cell or a card, without surrounding spaces. */
export const cleanLine = (text: string): string => strippedLine(text).trim();

/** Keeps line feeds and tabs, for text that is laid out here. */
export const strippedLines = (text: string): string =>
  PLAIN.test(text)
    ? text
    : text.replaceAll('\r\n', '\n').replace(oddBreak(), '\n').replace(anyInvisible(), '');

/** Replaces each harmful character with U+FFFD, so that a changed word never equals a known one. */
export const markedToken = (text: string): string =>
  PLAIN.test(text) ? text : text.replace(anyHarmful(), '\ufffd');

/** Writes what JSON.stringify leaves unchanged as escape sequences; the JSON parses to the same value. */
export const escapedJson = (json: string): string =>
  PLAIN.test(json)
    ? json
    : json.replace(unescaped(), (found) =>
        Array.from({length: found.length}, (_, at) => `\\u${hexDigits(found.charCodeAt(at), 4)}`).join(''),
      );

/** Escapes YAML, whose escape sequences contain code points. */
export const escapedYaml = (yaml: string): string =>
  yaml.replace(unescaped(), (found) => `\\U${hexDigits(found.codePointAt(0) ?? 0, 8)}`);

const hexDigits = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');
