import {isList, isObject, type Json, type JsonFields} from '../../../narrow.ts';

// Finds fields and lists in answers of unknown shape.

export interface Leaf {
  /** Names joined with dots. */
  readonly path: string;
  readonly name: string;
  readonly value: Json;
}

const DEEPEST = 3;

/** All values in an object and its nested objects, with their paths. Lists are values; their items are not included. */
export function shapeLeavesOf(value: Json, prefix = '', depth = 0): Leaf[] {
  if (!isObject(value) || depth >= DEEPEST) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = prefix + name;
    return [{path, name, value: inner}, ...shapeLeavesOf(inner, `${path}.`, depth + 1)];
  });
}

/** The values that are text. */
export const textLeavesOf = (value: Json): (Leaf & {readonly value: string})[] =>
  shapeLeavesOf(value).flatMap((leaf) =>
    typeof leaf.value === 'string' ? [{...leaf, value: leaf.value}] : [],
  );

const ITEMS = /^(data|items|results|records|entries|list|content|values|objects|elements|rows)$/i;

/** The items of a list and the path to them, which is empty if the answer itself is the list. Undefined unless exactly one list fits. */
export function itemsIn(wire: Json, noun: string): {path: string; items: readonly JsonFields[]} | undefined {
  if (isList(wire)) return {path: '', items: wire.filter(isObject)};
  const lists = shapeLeavesOf(wire).filter(({value}) => isList(value) && value.every(isObject));
  const named = lists.filter(({name}) => ITEMS.test(name) || sameName(name, noun));
  const [only, second] = named.length > 0 ? named : lists;
  if (only === undefined || second !== undefined || !isList(only.value)) return undefined;
  return {path: only.path, items: only.value.filter(isObject)};
}

/** Whether a path can be written in a service file. */
export const isPath = (path: string): boolean =>
  /^[A-Za-z_][A-Za-z0-9_-]{0,63}(\.[A-Za-z_][A-Za-z0-9_-]{0,63}){0,4}$/.test(path);

/** Whether two names have the same letters and digits, such as `payeeId` and `payee_id`. */
export const sameName = (one: string, other: string): boolean => plain(one) === plain(other);

const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** The first three different values, as evidence: `12550, "125.50"`. */
export const shown = (values: readonly Json[]): string =>
  [...new Set(values.map((value) => JSON.stringify(value)))].slice(0, 3).join(', ');
