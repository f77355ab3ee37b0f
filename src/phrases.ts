/** `1 row`, `3 rows`, `2 deliveries`. */
export const counted = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

/** `payee, amount and currency`. */
export const listed = (words: readonly string[]): string =>
  [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((part) => part !== '').join(' and ');

/** The text with a capital letter, to begin a sentence. */
export const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);
