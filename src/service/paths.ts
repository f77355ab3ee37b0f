import {isObject} from '../narrow.ts';

/** A JSON object on the wire. */
export type Json = Readonly<Record<string, unknown>>;
export type Path = readonly string[];

export const pathOf = (text: string): Path => (text === '' ? [] : text.split('.'));

/** The value at a path; undefined if there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  let found = value;
  for (const name of path) {
    if (!isObject(found) || !Object.hasOwn(found, name)) return undefined;
    found = found[name];
  }
  return found;
}

/** The object with a value at a path; missing objects on the way are created. */
export function withValue(object: Json, [first = '', ...rest]: Path, value: unknown): Json {
  if (rest.length === 0) return {...object, [first]: value};
  const inner = Object.hasOwn(object, first) ? object[first] : undefined;
  return {...object, [first]: withValue(isObject(inner) ? inner : {}, rest, value)};
}

/** The object without the value at a path, and without objects that become empty. */
export function withoutValue(object: Json, [first = '', ...rest]: Path): Json {
  if (!Object.hasOwn(object, first)) return object;
  const {[first]: inner, ...others} = object;
  if (rest.length === 0) return others;
  if (!isObject(inner)) return object;
  const left = withoutValue(inner, rest);
  return Object.keys(left).length === 0 ? others : {...object, [first]: left};
}

/**
 * A record together with the fields outside its envelope. Needed for webhook endpoints: the signing secret is returned
 * once, and some services send it next to the record instead of in it.
 */
export function withBeside(record: Json, answer: Json, envelope: string | undefined): Json {
  const beside = Object.entries(answer).filter(([name]) => name !== envelope && !Object.hasOwn(record, name));
  return beside.length === 0 ? record : {...record, ...Object.fromEntries(beside)};
}

/** All values that are not objects, with the names that lead to them joined by dots, as in a query. */
export const leavesOf = (object: Json, before = ''): [name: string, value: unknown][] =>
  Object.entries(object).flatMap(([name, value]) =>
    isObject(value) ? leavesOf(value, `${before}${name}.`) : [[before + name, value]],
  );
