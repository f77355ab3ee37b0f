import {isObject, type Json, type JsonFields, type JsonValue} from '../narrow.ts';

export type Path = readonly string[];

export const pathOf = (text: string): Path => (text === '' ? [] : text.split('.'));

/** The first name of a dotted path. */
export const firstPart = (text: string): string => text.split('.', 1)[0] ?? '';

/** The last name of a dotted path. */
export const lastPart = (text: string): string => text.slice(text.lastIndexOf('.') + 1);

/** The value at a path; undefined if there is none. */
export function valueAt(value: Json, path: Path): Json {
  let found = value;
  for (const name of path) {
    if (!isObject(found) || !Object.hasOwn(found, name)) return undefined;
    found = found[name];
  }
  return found;
}

/** The object with a value at a path; missing objects on the way are created. */
export function withValue(object: JsonFields, path: Path, value: Json, at = 0): JsonFields {
  const first = path[at] ?? '';
  if (at + 1 >= path.length) return {...object, [first]: value};
  const inner = Object.hasOwn(object, first) ? object[first] : undefined;
  return {...object, [first]: withValue(isObject(inner) ? inner : {}, path, value, at + 1)};
}

/** The object without the value at a path, and without objects that become empty. */
export function withoutValue(object: JsonFields, path: Path, at = 0): JsonFields {
  const first = path[at] ?? '';
  if (!Object.hasOwn(object, first)) return object;
  const inner = object[first];
  if (at + 1 < path.length) {
    if (!isObject(inner)) return object;
    const left = withoutValue(inner, path, at + 1);
    if (Object.keys(left).length > 0) return {...object, [first]: left};
  }
  const others: Record<string, Json> = {};
  for (const name of Object.keys(object)) if (name !== first) others[name] = object[name];
  return others;
}

/**
 * A record together with the fields outside its envelope. Needed for webhook endpoints: the signing secret is returned
 * once, and some services send it next to the record instead of in it.
 */
export function withBeside(record: JsonFields, answer: JsonFields, envelope: string | undefined): JsonFields {
  const beside = Object.entries(answer).filter(([name]) => name !== envelope && !Object.hasOwn(record, name));
  return beside.length === 0 ? record : {...record, ...Object.fromEntries(beside)};
}

/** All values that are not objects, with the names that lead to them joined by dots, as in a query. */
export const leavesOf = (
  object: JsonFields,
  before = '',
): [name: string, value: Exclude<JsonValue, JsonFields> | undefined][] =>
  Object.entries(object).flatMap(([name, value]) =>
    isObject(value) ? leavesOf(value, `${before}${name}.`) : [[before + name, value]],
  );

const DEEPEST_ENVELOPE = 3;

/** The path to the first object inside another one that fits, at most three levels deep; not the object itself. */
export function objectIn(
  json: JsonFields,
  fits: (inner: JsonFields) => boolean,
  levels = DEEPEST_ENVELOPE,
): Path | undefined {
  const inner = Object.entries(json).filter((entry): entry is [string, JsonFields] => isObject(entry[1]));
  const found = inner.find(([, value]) => fits(value));
  if (found !== undefined) return [found[0]];
  if (levels === 1) return undefined;
  for (const [name, value] of inner) {
    const rest = objectIn(value, fits, levels - 1);
    if (rest !== undefined) return [name, ...rest];
  }
  return undefined;
}
