/** What a `Link` header (RFC 8288) says about the next page. */
export interface LinkHeader {
  /** Address of the next page. */
  readonly next?: string;
  /** Every part of a header was read, and none is the next page. */
  readonly isEnd?: true;
}

/** Longer headers are not read; Node.js accepts 16 KiB of headers in all. */
const LONGEST = 20_000;
const TARGET = /\s{0,9}<([^<>]*)>/y;
const PARAM = /\s{0,9};\s{0,9}([\w!#$%&'*+.^`|~-]+)(?:\s{0,9}=\s{0,9}("(?:[^"\\]|\\.)*"|[^\s",;]+))?/y;
const END_OF_LINK = /[\s;]{0,9}(?:,\s{0,9}|$)/y;

/** Reads all links of a header. A part that cannot be read may be the next page, so it leaves the end open. */
export function readLinkHeader(header: string): LinkHeader {
  if (header.trim() === '' || header.length > LONGEST) return {};
  let at = 0;
  const read = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(header) ?? undefined;
    if (found !== undefined) at = pattern.lastIndex;
    return found;
  };
  let next: string | undefined;
  while (at < header.length) {
    const target = read(TARGET)?.[1];
    if (target === undefined) return withNext(next);
    let rel: string | undefined;
    for (let param = read(PARAM); param !== undefined; param = read(PARAM))
      if (param[1]?.toLowerCase() === 'rel') rel ??= unquoted(param[2] ?? '');
    if (read(END_OF_LINK) === undefined) return withNext(next);
    if (rel?.toLowerCase().split(/\s/).includes('next') === true) next ??= target;
  }
  return next === undefined ? {isEnd: true} : {next};
}

const withNext = (next: string | undefined): LinkHeader => (next === undefined ? {} : {next});

const unquoted = (value: string): string =>
  value.startsWith('"') ? value.slice(1, -1).replaceAll(/\\(.)/g, '$1') : value;
