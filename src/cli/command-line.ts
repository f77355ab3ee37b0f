/** The exact words to type: `payouts create --payee … --idempotency-key …`, quoted for a POSIX shell. */
export function commandLine(
  id: string,
  argv: readonly string[],
  changes: {without?: readonly string[]; add?: readonly string[]} = {},
): string {
  const kept = withoutFlags(argv, changes.without ?? []);
  const end = kept.indexOf('--');
  const at = end === -1 ? kept.length : end;
  const words = ['remit', ...id.split(':'), ...kept.slice(0, at), ...(changes.add ?? []), ...kept.slice(at)];
  return words.map(quote).join(' ');
}

/** Drops flags that take a value, in both spellings. */
function withoutFlags(argv: readonly string[], names: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at]!;
    if (word === '--') return [...kept, ...argv.slice(at)];
    if (names.includes(word)) at += 1;
    else if (!names.some((name) => word.startsWith(`${name}=`))) kept.push(word);
  }
  return kept;
}

/** One word as a POSIX shell reads it. */
export const quote = (word: string): string =>
  /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
