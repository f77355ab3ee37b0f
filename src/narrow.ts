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

/** `String` of a value that is expected to be text, a number or a boolean. */
export const stringOf = (value: unknown): string => String(value);

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

/** A value that was read from JSON, or that is written as JSON. */
export type JsonValue = string | number | boolean | null | ExactNumber | readonly Json[] | JsonFields;

/** A value of JSON, or undefined where there is none, such as an absent field or an empty body. */
export type Json = JsonValue | undefined;

/** What is written as JSON: a value of it, or an object of ours, whose interface does not say so. */
export type Printable = Json | object;

/** The fields of a parsed JSON object. A field that is undefined is absent. */
export interface JsonFields {
  readonly [name: string]: Json;
}

/** A record that was read with other types than its service sent has what was received under this name. */
export const RECEIVED = Symbol('as received');

/** Whether a record was read with other types than its service sent. */
export const differsFromReceived = (record: object): record is JsonFields & {readonly [RECEIVED]: Json} =>
  RECEIVED in record;

/** The record with every value that the service sent: for printing it, and for comparing it with a request. */
export function asReceived(record: JsonFields): Json {
  if (!differsFromReceived(record)) return record;
  const received = record[RECEIVED];
  if (!isObject(received)) return received;
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, value === undefined ? received[name] : value]),
  );
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

/** The fields of a record as they were received. */
export const receivedFields = (record: JsonFields): JsonFields => asObject(asReceived(record));

/** The object itself, or one without fields. */
export const asObject = (value: Json): JsonFields => (isObject(value) ? value : {});

/** The objects of a list, without what is no object. */
export const objectsIn = (list: readonly Json[]): JsonFields[] =>
  list.flatMap((item) => (isObject(item) ? [item] : []));

/** Array.isArray loses the type of the elements. */
export const isList = (value: unknown): value is readonly Json[] => Array.isArray(value);

/** The message of a thrown value. */
export const messageOf = (thrown: unknown): string =>
  thrown instanceof Error ? thrown.message : String(thrown);
