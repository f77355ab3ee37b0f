/** What does not print, or would break a line: control and format characters, line separators, variation selectors. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}\ufe00-\ufe0f]/u;
const ESCAPED = /[\p{C}\p{Zl}\p{Zp}\ufe00-\ufe0f'\\]/gu;
const NAMED: Readonly<Record<string, string>> = {'\n': 'n', '\r': 'r', '\t': 't', "'": "'", '\\': '\\'};

/** Quotes one word for any POSIX shell, if necessary: for scripts. */
export const posixWord = (word: string): string =>
  /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/**
 * Quotes one word of a command that is shown, if necessary. Characters that do not print become escape sequences, which
 * bash, zsh and ksh read: the command stays on its line, and it is still correct when it is typed.
 */
export const shellWord = (word: string): string =>
  UNPRINTABLE.test(word)
    ? `$'${word.replaceAll(ESCAPED, (found) => `\\${NAMED[found] ?? codeOf(found)}`)}'`
    : posixWord(word);

function codeOf(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length <= 4 ? `u${code.padStart(4, '0')}` : `U${code.padStart(8, '0')}`;
}
