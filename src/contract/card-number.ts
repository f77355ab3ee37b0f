/** A card number as it is sent, without spaces and hyphens; undefined if it has other characters. */
export function digitsOf(typed: string): string | undefined {
  const digits = typed.replace(/[\s-]/g, '');
  return /^\d+$/.test(digits) ? digits : undefined;
}

/** A card is valid until the end of its month, in UTC. */
export const hasCardExpired = (
  {exp_month: month, exp_year: year}: {exp_month: number; exp_year: number},
  nowMs: number,
): boolean => Date.UTC(year, month, 1) <= nowMs; // its months begin with 0, so this is the next one
