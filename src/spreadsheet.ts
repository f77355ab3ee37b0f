/**
 * What a spreadsheet may run as a formula: a text that begins with = + - or @, in any width, also after characters that do
 * not show; and one that begins with a tab or a line break, after which some programs read on.
 */
const FORMULA = /^[\t\r\n]|^[\s\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b\u2212]/u;

export const isFormula = (text: string): boolean => FORMULA.test(text);

/** A cell of a CSV for people: a formula gets an apostrophe, which makes it text. */
export const quoteFormula = (text: string): string => (isFormula(text) ? `'${text}` : text);
