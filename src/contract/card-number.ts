/** A card number as it is sent, without spaces and hyphens; undefined if it has other characters. */
export function digitsOf(typed: string): string | undefined {
  const digits = typed.replace(/[\s-]/g, '');
  return /^\d+$/.test(digits) ? digits : undefined;
}
