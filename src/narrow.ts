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

/** Parses JSON that others may have written. */
export const parseJson = (text: string): JsonValue => JSON.parse(text) as JsonValue;

/** Parses JSON that remit wrote. */
export const ownJson = <T>(text: string): T => JSON.parse(text) as T;

/** The port of a server that listens on TCP. */
export function portOf(server: {address(): unknown}): number {
  const address = server.address();
  if (isObject(address) && typeof address['port'] === 'number') return address['port'];
  throw new Error('internal error: the server does not listen on a port');
}

let written = 0;

/** How often an `ExactNumber` was given to `JSON.stringify`, which cannot write its digits. */
export const exactNumbersWritten = (): number => written;

/**
 * A JSON number that a double does not count exactly, such as 9007199254740993 or 1e400. `String(number)` has its digits,
 * and a whole one is a bigint to `BigInt()` and to operators.
 */
export class ExactNumber {
  /** The literal as it was sent. */
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }

  [Symbol.toPrimitive](hint: string): string | number | bigint {
    if (hint === 'string') return this.text;
    return /^-?\d{1,40}$/.test(this.text) ? BigInt(this.text) : Number(this.text);
  }

  /** The closest double, as without this class. */
  toJSON(): number {
    written += 1;
    return Number(this.text);
  }
}

/** The result of parsing JSON. */
export type JsonValue = string | number | boolean | null | ExactNumber | readonly JsonValue[] | JsonFields;

/** The fields of a parsed JSON object. A field that is undefined is absent. */
export interface JsonFields {
  readonly [name: string]: JsonValue | undefined;
}

/** The fields of an object that is written as JSON. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A value of which no part may be changed. */
export type DeepReadonly<T> = JsonFields extends T
  ? T
  : T extends object
    ? {readonly [Name in keyof T]: DeepReadonly<T[Name]>}
    : T;

/** Not an array, null or a number. The value is known to come from JSON. */
export const isObject = (value: unknown): value is JsonFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactNumber);

/** Array.isArray loses the type of the elements. */
export const isList = (value: unknown): value is readonly JsonValue[] => Array.isArray(value);

/** The message of a thrown value. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);
