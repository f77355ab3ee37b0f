import {currenciesOfSign} from '../../money/currency-signs.ts';

/** How a number is shown by its format. */
export interface ShownAs {
  /**
   * `plain`: digits, perhaps with separators and a currency sign. `text`: as typed. `other`: a percentage, a fraction,
   * thousands and so on: what is shown differs from what is stored.
   */
  kind: 'general' | 'plain' | 'text' | 'date' | 'time' | 'date-time' | 'scientific' | 'other';
  /** Most decimals that are shown. */
  decimals: number;
  /** Decimals that are always shown: 2 for `0.00`. */
  fixedDecimals: number;
  /** Digits that are always shown: 5 for `00000`, which shows 123 as 00123. */
  digits: number;
  /** Nothing but digits is shown: no separators, signs or text. */
  isBare: boolean;
  /** Currency signs and codes that it shows: `€`, `USD`. */
  signs: readonly string[];
  /** A text is not shown as it is: `"1"@` shows 10.50 as 110.50. */
  changesText: boolean;
}

const shown = (kind: ShownAs['kind']): ShownAs => ({
  kind,
  decimals: 0,
  fixedDecimals: 0,
  digits: 1,
  isBare: false,
  signs: [],
  changesText: false,
});

export const GENERAL: ShownAs = {...shown('general'), isBare: true};

/** Formats without a code of their own in the file (ECMA-376, 18.8.30). Others of these ids depend on the language. */
const BUILT_IN: ReadonlyMap<number, string> = new Map([
  [0, 'General'],
  [1, '0'],
  [2, '0.00'],
  [3, '#,##0'],
  [4, '#,##0.00'],
  [5, '$#,##0'],
  [6, '$#,##0'],
  [7, '$#,##0.00'],
  [8, '$#,##0.00'],
  [9, '0%'],
  [10, '0.00%'],
  [11, '0.00E+00'],
  [12, '# ?/?'],
  [13, '# ??/??'],
  [14, 'mm-dd-yy'],
  [15, 'd-mmm-yy'],
  [16, 'd-mmm'],
  [17, 'mmm-yy'],
  [18, 'h:mm AM/PM'],
  [19, 'h:mm:ss AM/PM'],
  [20, 'h:mm'],
  [21, 'h:mm:ss'],
  [22, 'm/d/yy h:mm'],
  [37, '#,##0'],
  [38, '#,##0'],
  [39, '#,##0.00'],
  [40, '#,##0.00'],
  [41, '#,##0'],
  [42, '$#,##0'],
  [43, '#,##0.00'],
  [44, '$#,##0.00'],
  [45, 'mm:ss'],
  [46, '[h]:mm:ss'],
  [47, 'mm:ss.0'],
  [48, '##0.0E+0'],
  [49, '@'],
]);
/** Dates in the languages of East Asia and Thailand. */
const isDateOfOtherLanguage = (id: number): boolean =>
  (id >= 27 && id <= 36) || (id >= 50 && id <= 58) || (id >= 67 && id <= 81);

/** Excel has no longer formats. What reads a format takes time with the square of its length. */
const LONGEST_FORMAT = 255;

/** @param code as in the file, if it has one for this id */
export function readFormat(id: number, code: string | undefined): ShownAs {
  if (code !== undefined && code.length > LONGEST_FORMAT) return {...shown('other'), changesText: true};
  if (code !== undefined) return {...readCode(code), signs: signsOf(code), changesText: changesText(code)};
  const text = BUILT_IN.get(id); // each program shows these with the currency of its own language
  if (text !== undefined) return readCode(text);
  return shown(isDateOfOtherLanguage(id) ? 'date' : 'other');
}

/** A part of a format that shows itself: "text", \x, _x (a space of this width), *x (fills the cell). */
const LITERALS = /"[^"]*"|\\.|_.|\*./gu;
const CURRENCY = /\[\$[^\]-]*(?:-[^\]]*)?\]|[$€£¥]/gu;
const ELAPSED = /\[(?:h+|m+|s+)\]/iu;
const CONDITION = /\[[<>=][^\]]*\]/u;

/** Reads the section for positive numbers. What is not understood is `other`. */
function readCode(code: string): ShownAs {
  const sections = sectionsOf(code);
  const [first = ''] = sections;
  if (sections.some((section) => CONDITION.test(section.replace(LITERALS, '')))) return shown('other');
  const around = textAround(first);
  if (around.some((text) => /\p{N}/u.test(text))) return shown('other');
  const bare = first.replace(LITERALS, '');
  if (ELAPSED.test(bare)) return shown('time');
  // eslint-disable-next-line regexp/no-super-linear-move -- a format has at most LONGEST_FORMAT characters
  const text = bare.replace(CURRENCY, '').replace(/\[[^\]]*\]/gu, '');
  if (/^\s*general\s*$/iu.test(text)) return {...GENERAL, isBare: /^general$/iu.test(first)};
  if (text.trim() === '@') return shown(isTextAsItIs(first) ? 'text' : 'other');
  if (/[0#?]\s*e[+-]/iu.test(text)) return shown('scientific');
  if (/[ymdhsbeg]|上午|下午/iu.test(text)) return dateOf(text);
  return changesNumber(around) ? shown('other') : numberOf(text, /^[0#?.]+$/u.test(first));
}

/** The fourth section is for texts; of fewer, the one with @. Without one, texts are shown as they are. */
function changesText(code: string): boolean {
  const sections = sectionsOf(code);
  const ofTexts =
    sections.length > 3 ? sections.slice(3) : sections.filter((section) => placesOf(section).includes('@'));
  return ofTexts.some((section) => !isTextAsItIs(section));
}

/** Whether a section shows nothing but a text, once, perhaps with spaces around it. */
const isTextAsItIs = (section: string): boolean => /^\s*(?:@|general)\s*$/iu.test(placesOf(section));

/** A section without colours and spaces; a character that it adds is `\u0000`. */
const placesOf = (section: string): string =>
  withShown(section, (added, digits) => digits ?? (added.trim() === '' ? '' : MARK));

function dateOf(text: string): ShownAs {
  const hasTime = /[hs]|am\/pm|a\/p/iu.test(text);
  const hasDay = /[yd]/iu.test(text) || (/m/iu.test(text) && !hasTime);
  if (/[^ymdhsapbegAPM\s\d/.,:;-]/iu.test(text.replace(/am\/pm|a\/p/giu, ''))) return shown('date-time');
  return shown(hasDay ? (hasTime ? 'date-time' : 'date') : 'time');
}

function numberOf(text: string, isBare: boolean): ShownAs {
  if (/[%/]/u.test(text)) return shown('other');
  // eslint-disable-next-line regexp/no-super-linear-backtracking -- a format has at most LONGEST_FORMAT characters
  const [, whole, decimals] = /^[^0#?.]*([0#?,]*)(?:\.([0#?]*))?[^0#?.,]*$/u.exec(text) ?? [];
  if (whole === undefined || whole.endsWith(',') || `${whole}${decimals ?? ''}` === '') return shown('other');
  return {
    kind: 'plain',
    decimals: decimals?.length ?? 0,
    fixedDecimals: decimals?.replace(/[^0]/gu, '').length ?? 0,
    digits: whole.replace(/[^0]/gu, '').length,
    isBare,
    signs: [],
    changesText: false,
  };
}

/**
 * The text that a section shows before, between and after its digits. A digit in it looks like one of the number:
 * `"1"0.00` shows 10.50 as 110.50.
 */
const textAround = (section: string): string[] =>
  withShown(section, (added, digits) => (digits === undefined ? added : MARK)).split(MARK);

/** A section in which the text that it adds, and its digits, are replaced. */
const withShown = (section: string, replace: (added: string, digits: string | undefined) => string): string =>
  section.replace(
    SHOWN_TEXT,
    (_all, quoted?: string, escaped?: string, filling?: string, sign?: string, digits?: string) =>
      replace(quoted ?? escaped ?? filling ?? sign ?? '', digits),
  );

/** Stands for digits of the number, or for text that a format adds; no format contains it. */
const MARK = '\u0000';
/** "text", \x, *x (fills the cell with x), _x (a space), [$sign-language], [Red] (nothing), digits and separators. */
const SHOWN_TEXT =
  /"([^"]*)"|\\(.)|\*(.)|_.|\[\$([^\]-]*)(?:-[^\]]*)?\]|\[[^\][]*\]|([0#?][0#?.,]*|[.,][0#?][0#?.,]*)/gu;

/** Signs and separators that belong to the number where they touch it; `Rs.` is a currency. */
const CHANGING_BEFORE = /(?:[-\u2012-\u2015\u2212(]|(?<!\p{L})[.,])\s*$/u;
const CHANGING_AFTER = /^\s*[-\u2012-\u2015\u2212).,%\u2030/]/u;
/** Words that multiply the number, or give its unit: `10 k`, `1050 cents`. */
const SCALE =
  /^\s*(?:k|m|mn|mm|mio|mrd|b|bn|bio|t|tsd|thousands?|millions?|billions?|lakhs?|crores?|c|ct|cts|cents?|pence)(?!\p{L})|^\s*¢/iu;

/** Words that give the sign of an amount, or the side of an account. */
const SIGN =
  /(?<!\p{L})(?:minus|moins|menos|meno|neg|negative|cr|dr|credit|debit|crédit|débit|haben|soll|gutschrift|less)(?!\p{L})/iu;

/** A word that touches the digits, such as `I` or `l`, may look like one of them; a currency does not. */
function touchesDigits(before: string, after: string): boolean {
  const words = [before.split(/\s/u).at(-1) ?? '', after.split(/\s/u)[0] ?? ''];
  return words.some(
    (word) => /[\p{L}\p{N}|!]/u.test(word) && currenciesOfSign(word) === undefined && !/^\p{Sc}/u.test(word),
  );
}

/** Whether the text around the digits changes the number: a sign, a separator, a percentage, a unit such as thousands. */
function changesNumber([before = '', ...others]: readonly string[]): boolean {
  const after = others.at(-1) ?? '';
  if (others.slice(0, -1).some((between) => !/^[\s'’]*$/u.test(between))) return true;
  return (
    CHANGING_BEFORE.test(before) ||
    CHANGING_AFTER.test(after) ||
    SCALE.test(after) ||
    SIGN.test(`${before} ${after}`) ||
    touchesDigits(before, after) ||
    /[%\u2030]/u.test(before)
  );
}

/** What a format shows: "text", \x, _x and *x (spaces), [$sign-language], [Red] (nothing), digits, any other character. */
// eslint-disable-next-line regexp/no-super-linear-move -- a format has at most LONGEST_FORMAT characters
const SHOWN = /"([^"]*)"|\\(.)|[_*].|\[\$([^\]-]*)(?:-[^\]]*)?\]|\[[^\]]*\]|[0#?.,]+/gu;

/** The currency signs in the section for positive numbers. Other words are ignored. */
function signsOf(code: string): string[] {
  const [first = ''] = sectionsOf(code);
  const text = first.replace(
    SHOWN,
    (_all, quoted?: string, escaped?: string, sign?: string) => quoted ?? escaped ?? ` ${sign ?? ''} `,
  );
  const words = text.replace(/\p{Cf}/gu, '').split(/[\s()+\-:]+/u);
  return words.flatMap((word) =>
    currenciesOfSign(word) === undefined
      ? [...word].filter((sign) => /\p{Sc}/u.test(sign) && currenciesOfSign(sign) !== undefined)
      : [word],
  );
}

/** Sections are separated by semicolons that are not quoted: positive; negative; zero; text. */
function sectionsOf(code: string): string[] {
  const sections: string[] = [];
  let at = 0;
  // eslint-disable-next-line regexp/no-super-linear-move -- a format has at most LONGEST_FORMAT characters
  for (const match of code.matchAll(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]|;/gu)) {
    if (match[0] !== ';') continue;
    sections.push(code.slice(at, match.index));
    at = match.index + 1;
  }
  return [...sections, code.slice(at)];
}
