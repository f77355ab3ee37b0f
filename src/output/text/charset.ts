/** Whether the terminal shows more than ASCII, by the usual precedence of the locale variables. */
export function isUtf8(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || '';
  return /utf-?8/i.test(locale);
}
