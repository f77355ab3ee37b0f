/** A path such as `/api/payouts/{id}` has parameters. */
export interface TableRoute<Target> {
  readonly method: string;
  readonly path: string;
  readonly target: Target;
}

interface Pattern<Target> extends TableRoute<Target> {
  readonly pattern: RegExp;
}

/** What a method and a path name. */
export class RouteTable<Target> {
  /** Routes without parameters, by method and path. */
  readonly #fixed = new Map<string, Target>();
  readonly #patterns: Pattern<Target>[] = [];

  constructor(routes: readonly TableRoute<Target>[]) {
    for (const route of routes) {
      this.#fixed.set(`${route.method} ${route.path}`, route.target);
      const pattern = new RegExp(`^${route.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
      this.#patterns.push({...route, pattern});
    }
  }

  /** A HEAD finds the route of GET. `path` is decoded, and so are the parameters. */
  find(asked: string, path: string): {target: Target; params: Record<string, string>} | undefined {
    const method = asked === 'HEAD' ? 'GET' : asked;
    const target = this.#fixed.get(`${method} ${path}`);
    if (target !== undefined) return {target, params: {}};
    for (const route of this.#patterns) {
      const groups = route.method === method ? route.pattern.exec(path)?.groups : undefined;
      if (groups !== undefined) return {target: route.target, params: decodedValues(groups)};
    }
    return undefined;
  }

  /** The methods that a path takes. */
  methodsAt(path: string): string[] {
    return this.#patterns.filter(({pattern}) => pattern.test(path)).map(({method}) => method);
  }
}

/**
 * The path of `http://host:port/path?query`, decoded except for characters that have a meaning in a path. The percent sign
 * is one of them: parameters are decoded later, and each value only once.
 */
export function routePathOf(url: string): string {
  const from = url.indexOf('/', 8); // after the two of the scheme
  const path = /^[^?#]*/.exec(url.slice(from))?.[0] ?? '';
  return path.includes('%') ? decoded(path, (text) => decodeURI(text.replaceAll('%25', '%2525'))) : path;
}

/** The query of a URL, without its question mark. */
export function queryOf(url: string): string {
  const from = url.indexOf('?');
  return from === -1 ? '' : (url.slice(from + 1).split('#', 1)[0] ?? '');
}

const decodedValues = (params: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [name, decoded(value, decodeURIComponent)]),
  );

/** Text with a broken escape stays as it is. */
function decoded(text: string, decode: (text: string) => string): string {
  try {
    return decode(text);
  } catch {
    return text;
  }
}
