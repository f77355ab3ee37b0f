import {AmountError, type NumberFormat, parseMajor} from '../../money/amount.ts';

/** An amount of the file that can be read in one way only. */
interface Example {
  line: number;
  text: string;
}

/** How the amounts of a file are read that no amount alone can tell. */
export interface FoundFormat {
  /** Undefined: no amount shows it. */
  format: NumberFormat | undefined;
  /** Where amounts contradict each other: then those that fit the format are read if they are certain on their own. */
  doubt: string | undefined;
}

const POINT: NumberFormat = '1,234.56';
const COMMA: NumberFormat = '1.234,56';

/** False for 1,497 and 1.497: thousands, or three decimals, or two with a digit too many. */
export const isCertain = (amount: string): boolean => !/^[1-9]\d{0,2}[.,]\d{3}$/.test(amount);

/** Amounts that are read after all others: 1,497 and 1.497 may be thousands or decimals. */
export const waitsForOthers = (amount: string): boolean =>
  amount.includes(',') || /^[1-9]\d{0,2}(?:\.\d{3})+$/.test(amount);

/**
 * Finds out which of comma and point is the decimal sign of a file, from amounts that have one reading only: 1,497.13
 * and 12.50 have a decimal point, 1.497,13 and 12,50 a decimal comma. The decimals of the currency count: 1,497 is
 * 1497 USD, and in KWD, with three decimals, it proves nothing. Neither does 1.497 USD, which is more often a
 * calculated amount with a decimal too many than a thousand.
 */
export class AmountFormats {
  #point: Example | undefined;
  #comma: Example | undefined;

  get hasPoint(): boolean {
    return this.#point !== undefined;
  }

  /** Takes an amount that was read with a decimal point. */
  notePoint(text: string, line: number): void {
    this.#point ??= {text, line};
  }

  /** Takes an amount that waits for others. */
  note(text: string, currency: string, line: number): void {
    if (this.#point !== undefined && this.#comma !== undefined) return;
    if (/^[1-9]\d{0,2}\.\d{3}$/.test(text)) return;
    const [point, comma] = [fits(text, currency, POINT), fits(text, currency, COMMA)];
    if (point && !comma) this.#point ??= {text, line};
    if (comma && !point) this.#comma ??= {text, line};
  }

  found(): FoundFormat {
    const [point, comma] = [this.#point, this.#comma];
    if (point !== undefined && comma !== undefined)
      return {
        format: POINT,
        doubt: `the file has a decimal point in some amounts (${point.text} on line ${point.line}) and a decimal comma in others (${comma.text} on line ${comma.line}); correct the wrong ones, or declare --number-format`,
      };
    return {format: point !== undefined ? POINT : comma !== undefined ? COMMA : undefined, doubt: undefined};
  }
}

function fits(text: string, currency: string, format: NumberFormat): boolean {
  try {
    parseMajor(text, currency, format);
    return true;
  } catch (error) {
    if (error instanceof AmountError) return false;
    throw error;
  }
}
