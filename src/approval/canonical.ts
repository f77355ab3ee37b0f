/** What a signed document may contain. Numbers are whole, so that each has one form. */
export type Canonical = string | number | null | readonly Canonical[] | {readonly [name: string]: Canonical};

/** RFC 8785: members sorted by UTF-16 code units, no spaces, strings as `JSON.stringify` writes them. */
export function canonicalJson(value: Canonical): string {
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw new TypeError(`${value} has no canonical form`);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, inner]) => `${JSON.stringify(name)}:${canonicalJson(inner)}`).join(',')}}`;
}

const isList = (value: Canonical): value is readonly Canonical[] => Array.isArray(value);
