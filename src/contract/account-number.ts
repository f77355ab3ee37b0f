/** An account or card number as it is sent, without spaces and hyphens; undefined if it has other characters. */
export function digitsOf(typed: string): string | undefined {
  const digits = typed.replace(/[\s-]/g, '');
  return /^\d+$/.test(digits) ? digits : undefined;
}

/** The ABA number of a bank in the United States. */
export const ROUTING_NUMBER = /^\d{9}$/;

const ABA_WEIGHTS = [3, 7, 1];

/** Whether the last digit of an ABA number agrees with the others: their weighted sum is a multiple of 10. */
export const hasValidChecksum = (routingNumber: string): boolean =>
  [...routingNumber].reduce((sum, digit, i) => sum + Number(digit) * (ABA_WEIGHTS[i % 3] ?? 0), 0) % 10 === 0;
