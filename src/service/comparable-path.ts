/** A path that every server reads in the same way, as those of the contract: nothing has to be decoded or left out. */
const PLAIN = /^(?:\/[a-z0-9_{}-]+)+$/;

/** Some proxies decode what they pass on, so a part may be encoded more than once. */
const TIMES_ENCODED = 3;

/** `%70`, `%EF%BD%90` as UTF-8, and `%u0070`, which some servers read as well. Full-width letters become plain ones. */
function decoded(path: string): string {
  let text = path;
  for (let time = 0; time < TIMES_ENCODED; time++)
    text = text
      .replaceAll(/%u([0-9a-f]{4})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
      .replaceAll(/(?:%[0-9a-f]{2})+/gi, (run) =>
        Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'),
      );
  return text.normalize('NFKC');
}

/** Its parts in lower case, without dot segments, empty parts and matrix parameters. */
function partsOf(path: string): string[] {
  const parts: string[] = [];
  for (const part of path.toLowerCase().split(/[/\\]/)) {
    const [plain = ''] = part.split(';', 1);
    if (plain === '..') parts.pop();
    else if (plain !== '' && plain !== '.') parts.push(plain);
  }
  return parts;
}

/**
 * One spelling of a path, without regard to case, percent-encoding, repeated and final slashes, dot segments, matrix
 * parameters and the suffixes .json and .xml.
 */
export const comparablePath = (path: string): string =>
  PLAIN.test(path) ? path : `/${partsOf(decoded(path)).join('/')}`.replace(/\.(?:json|xml)$/, '');

/**
 * The paths that the most lenient servers would read. Their parts have no suffix such as `.csv`. A server may cut a path
 * at an encoded blank, `?`, `#` or control character, or drop blanks and control characters.
 */
export function lenientPaths(path: string): [cut: string, joined: string] {
  if (PLAIN.test(path)) return [path, path];
  const text = decoded(path);
  const [cut = ''] = text.split(/[\s?#\p{Cc}]/u, 1);
  const [joined = ''] = text.replaceAll(/[\s\p{Cc}]/gu, '').split(/[?#]/, 1);
  return [withoutSuffixes(cut), withoutSuffixes(joined)];
}

/** `payouts.csv` and `payouts.` are `payouts`. */
const withoutSuffixes = (path: string): string =>
  `/${partsOf(path)
    .map((part) => part.replace(/^\.+/, '').split('.', 1)[0])
    .join('/')}`;
