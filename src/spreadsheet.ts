/**
 * Text that a spreadsheet may run as a formula: it begins with = + - or @, in any width, possibly after invisible
 * characters, or with a tab or a line break, which some programs skip.
 */
const FORMULA = /^[\t\r\n]|^[\s\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u2212]/u;

export const isFormula = (text: string): boolean => FORMULA.test(text);

/** A cell of a CSV for people: a formula gets a leading apostrophe, which turns it into text. */
export const quoteFormula = (text: string): string => (isFormula(text) ? `'${text}` : text);
