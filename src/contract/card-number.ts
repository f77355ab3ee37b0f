/** A card number as it is sent, without spaces and hyphens; undefined if it has other characters. */
export function digitsOf(typed: string): string | undefined {
  const digits = typed.replace(/[\s-]/g, '');
  return /^\d+$/.test(digits) ? digits : undefined;
}

/** A card that ends before this year can never be added. */
export const FIRST_CARD_YEAR = 2026;
