/** Excel computes with 64-bit floating point and shows at most this many digits. */
const EXCEL_DIGITS = 15;
/** Above this, the fifteenth digit is worth a thousandth or more, so rounding to it could change an amount. */
const LARGE = 1e12;
/** One more than the largest whole number of fifteen digits. */
const FIRST_INEXACT = 1e15;

/**
 * The number of a cell as Excel shows it: rounded to fifteen digits, so that 0.30000000000000004 is 0.3. Undefined if
 * it is not a number, or so large that rounding could change an amount.
 */
export function decimalOf(stored: string): string | undefined {
  if (!/^-?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/iu.test(stored)) return undefined;
  const value = Number(stored);
  if (!Number.isFinite(value)) return undefined;
  const rounded = Number(value.toPrecision(EXCEL_DIGITS));
  if (Math.abs(value) >= LARGE && (rounded !== value || Math.abs(value) >= FIRST_INEXACT)) return undefined;
  return withoutExponent(String(rounded));
}

/** `1e-7` -> `0.0000001`. Numbers below 10^15 have no positive exponent. */
function withoutExponent(text: string): string {
  const [, sign = '', whole, fraction = '', exponent] = /^(-?)(\d)(?:\.(\d+))?e-(\d+)$/u.exec(text) ?? [];
  if (whole === undefined) return text;
  return `${sign}0.${'0'.repeat(Number(exponent) - 1)}${whole}${fraction}`;
}

export const decimalsIn = (decimal: string): number => decimal.split('.')[1]?.length ?? 0;
