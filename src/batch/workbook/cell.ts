/** A cell of a sheet that is not empty. */
export interface SheetCell {
  /** 0 for column A. */
  column: number;
  kind: 'text' | 'number' | 'boolean' | 'error' | 'iso-date' | 'no-result';
  /** The text as stored: `0.30000000000000004`, `1` for TRUE, `#N/A`. */
  text: string;
  /** Index into the formats of the workbook. */
  style: number;
  /** The text is the result of a formula when the workbook was last saved. */
  isFormula: boolean;
  /** A part of its text is struck through; its style may be as well. */
  isStruck: boolean;
}

export interface SheetRow {
  /** 1 for the first row, as the sheet shows it. */
  number: number;
  isHidden: boolean;
  cells: SheetCell[];
}

/** Excel has no more columns (XFD). */
export const MOST_COLUMNS = 16_384;
/** Excel has no more rows. */
export const MOST_ROWS = 1_048_576;

const LETTERS = 26;
const CODE_OF_A = 65;

/** 0 -> `A`, 27 -> `AB`. */
export function columnLetters(column: number): string {
  let letters = '';
  for (let rest = column + 1; rest > 0; rest = Math.floor((rest - 1) / LETTERS))
    letters = String.fromCharCode(CODE_OF_A + ((rest - 1) % LETTERS)) + letters;
  return letters;
}

/** `AB12` -> column 27, row 12; undefined if it is not the name of a cell. */
export function cellPlace(name: string): {column: number; row: number} | undefined {
  const [, letters, digits] = /^([A-Z]{1,3})([1-9]\d{0,6})$/.exec(name) ?? [];
  if (letters === undefined || digits === undefined) return undefined;
  let column = 0;
  for (const letter of letters) column = column * LETTERS + letter.charCodeAt(0) - CODE_OF_A + 1;
  const row = Number(digits);
  return column > MOST_COLUMNS || row > MOST_ROWS ? undefined : {column: column - 1, row};
}

/** The name of a sheet as Excel writes it before a cell: `Payouts`, `'Nov 2026'`. */
export const quotedSheet = (name: string): string =>
  /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(name) ? name : `'${name.replaceAll("'", "''")}'`;
