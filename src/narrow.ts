/**
 * Types that hold by construction but that the compiler cannot infer: one cast or check here instead of one at each
 * use.
 */

/** Returns the value; if there is none, that is a bug in remit. `what` completes "there is no …". */
export function must<T>(value: T, what: string): NonNullable<T> {
  if (value === undefined || value === null) throw new Error(`internal error: there is no ${what}`);
  return value;
}

/** The keys of an object that has only the keys of its type, such as a literal. */
export const keysOf = <Name extends string>(literal: Readonly<Partial<Record<Name, unknown>>>): Name[] =>
  Object.keys(literal) as Name[];

/** An object with a value for each of the names. */
export const byName = <Name extends string, Value>(
  names: readonly Name[],
  valueOf: (name: Name) => Value,
): Record<Name, Value> =>
  Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, Value>;

/** The code of a thrown value: errors of Node, undici and the SQLite drivers have one, as a string. */
export function codeOf(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}

/** The stack of an error. */
export const stackOf = (thrown: unknown): string | undefined =>
  thrown instanceof Error ? thrown.stack : undefined;

/** Parses JSON that remit wrote. JSON that others may have written is `unknown`, and is checked. */
export const ownJson = <T>(text: string): T => JSON.parse(text) as T;

/** The port of a server that listens on TCP. */
export function portOf(server: {address(): unknown}): number {
  const address = server.address();
  if (isObject(address) && typeof address['port'] === 'number') return address['port'];
  throw new Error('internal error: the server does not listen on a port');
}

/** A JSON object: neither an array nor null. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Array.isArray loses the type of the elements. */
export const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** The message of a thrown value. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);
