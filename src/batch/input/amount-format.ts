import {AmountError, type NumberFormat, parseMajor} from '../../money/amount.ts';

/** An amount in the file that has only one reading. */
interface Example {
  line: number;
  text: string;
}

/** Facts about how the amounts of a file are read that need more than one amount. */
export interface FoundFormat {
  /** Undefined: no amount shows it. */
  format: NumberFormat | undefined;
  /** Set if amounts contradict each other; then an amount is read only if it is unambiguous by itself. */
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
 * Determines the decimal sign of a file, comma or point, from amounts that have only one reading: 1,497.13 and 12.50
 * have a decimal point, 1.497,13 and 12,50 a decimal comma. The decimals of the currency count: 1,497 is 1497 USD,
 * but proves nothing in KWD, which has three decimals. Neither does 1.497 USD: it is more often a calculated amount
 * with one decimal too many than a number of thousands.
 */
export class AmountFormats {
  #point: Example | undefined;
  #comma: Example | undefined;

  get hasPoint(): boolean {
    return this.#point !== undefined;
  }

  /** Adds an amount that was read with a decimal point. */
  notePoint(text: string, line: number): void {
    this.#point ??= {text, line};
  }

  /** Adds an amount that is read after the others. */
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
