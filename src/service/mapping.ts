import {isObject, type Json, type JsonFields, type JsonValue} from '../narrow.ts';
import {type Path, valueAt, withoutValue} from './paths.ts';
import type {Unit} from './service-file.ts';
import {fromUnit, toUnit} from './units.ts';

/** How one kind of object differs on the wire. */
export interface Mapping {
  /** Fields within objects come before those of the objects. */
  readonly names: readonly (readonly Name[])[];
  readonly units: readonly {readonly field: string; readonly unit: Unit}[];
  readonly words: readonly Words[];
  /** The metadata key of a reference: the path of the metadata in the canonical object, and the key on the wire. */
  readonly reference: {readonly holder: string; readonly key: string} | undefined;
}

export interface Name {
  readonly canonical: Path;
  readonly wire: Path;
}

/** Other values of a field. */
export interface Words {
  readonly field: string;
  readonly toWire: ReadonlyMap<Json, string | boolean>;
  readonly toCanonical: ReadonlyMap<Json, string | boolean>;
}

/** Metadata key that carries the reference. */
const REFERENCE_KEY = 'remit_reference';

export const mapsNothing = ({names, units, words, reference}: Mapping): boolean =>
  names.length + units.length + words.length === 0 && reference === undefined;

/** Why an object could not be written in the service's form. */
export class Unwritable extends Error {
  override readonly name = 'Unwritable';
  readonly field: string;

  constructor(field: string, why: string) {
    super(why);
    this.field = field;
  }
}

/**
 * An object of the contract in the service's form.
 * @throws {Unwritable} for a value that cannot be written exactly, and for two fields that would have the same name
 */
export function toWire(object: JsonFields, mapping: Mapping): JsonFields {
  let wire: Draft = {...object};
  const {currency_code: currency} = object;
  for (const {field, unit} of mapping.units) {
    const value = ownValue(wire, field);
    if (value === undefined || value === null) continue;
    const written = toUnit(value, unit, currency);
    if (written === undefined)
      throw new Unwritable(field, `${field} cannot be written as ${unit}${needs(unit)}`);
    wire[field] = written;
  }
  for (const {field, toWire: words} of mapping.words) {
    const value = wire[field];
    if (words.has(value)) wire[field] = words.get(value);
  }
  if (mapping.reference !== undefined) renameKey(wire, mapping.reference, 'out');
  for (const level of mapping.names) wire = renamed(wire, level, 'out');
  return wire;
}

/** A copy that is changed in place: a batch makes two for each row, and a copy for each change would cost most of its time. */
type Draft = Record<string, Json>;

/** JSON may have a property `__proto__`, which is not the prototype. */
function setOwn(draft: Draft, name: string, value: Json): void {
  if (name === '__proto__')
    Object.defineProperty(draft, name, {value, enumerable: true, configurable: true, writable: true});
  else draft[name] = value;
}

const ownValue = (object: JsonFields, name: string): Json =>
  Object.hasOwn(object, name) ? object[name] : undefined;

/**
 * Renames values in a copy of an object, or returns the object itself if it has none of them. All of them are removed
 * before any is added, so that two names can be swapped. Objects with the same name are merged.
 */
function renamed(object: Draft, names: readonly Name[], direction: 'in' | 'out'): Draft {
  const renaming = renamingOf(names, direction);
  const {plain, moves} = renaming;
  let moved = plain.size === 0 ? object : inPlace(object, renaming, direction);
  if (moves.length === 0) return moved;
  const found: {from: Path; to: Path; value: JsonValue}[] = [];
  for (const {from, to} of moves) {
    const value = valueAt(object, from);
    if (value !== undefined) found.push({from, to, value});
  }
  if (found.length === 0) return moved;
  moved = withoutAll(moved === object ? {...object} : moved, found);
  for (const {from, to, value} of found) {
    const inTheWay = direction === 'out' ? valueOnTheWay(moved, to) : undefined;
    if (inTheWay !== undefined) throw bothGiven(from.join('.'), inTheWay.join('.'), to.join('.'));
    const there = valueAt(moved, to);
    if (isObject(there) && isObject(value)) put(moved, to, {...there, ...value});
    else if (there === undefined || direction === 'in') put(moved, to, value);
    else throw bothGiven(from.join('.'), to.join('.'));
  }
  return moved;
}

/** Sets a value; objects on the way are copied. */
function put(draft: Draft, path: Path, value: JsonValue, at = 0): void {
  const first = path[at] ?? '';
  if (at + 1 === path.length) setOwn(draft, first, value);
  else {
    const inner = ownValue(draft, first);
    const copy: Draft = isObject(inner) ? {...inner} : {};
    put(copy, path, value, at + 1);
    setOwn(draft, first, copy);
  }
}

/** The object without these values, and without objects that become empty. */
function withoutAll(draft: Draft, found: readonly {from: Path}[]): Draft {
  const gone = new Set<string>();
  for (const {from} of found) {
    const [first = ''] = from;
    const inner = from.length === 1 ? undefined : ownValue(draft, first);
    const left = isObject(inner) ? withoutValue(inner, from, 1) : {};
    if (Object.keys(left).length === 0) gone.add(first);
    else setOwn(draft, first, left);
  }
  if (gone.size === 0) return draft;
  const others: Draft = {}; // an object from which a property was deleted is slow
  for (const name of Object.keys(draft)) if (!gone.has(name)) setOwn(others, name, draft[name]);
  return others;
}

/** The names of one level for one direction. */
interface Renaming {
  /** Plain names, and which names each of the new ones replaces. */
  readonly plain: ReadonlyMap<string, string>;
  readonly back: ReadonlyMap<string, readonly string[]>;
  /** The others: a path is on one of the sides. */
  readonly moves: readonly {readonly from: Path; readonly to: Path}[];
}

/** Prepared once: a batch maps every row by the same names. */
const renamings = new WeakMap<readonly Name[], Record<'in' | 'out', Renaming>>();

function renamingOf(names: readonly Name[], direction: 'in' | 'out'): Renaming {
  let both = renamings.get(names);
  if (both === undefined) {
    const paths = names.map(({canonical, wire}) => ({from: canonical, to: wire}));
    both = {out: prepared(paths), in: prepared(paths.map(({from, to}) => ({from: to, to: from})))};
    renamings.set(names, both);
  }
  return both[direction];
}

function prepared(paths: readonly {from: Path; to: Path}[]): Renaming {
  const plain = new Map<string, string>();
  const back = new Map<string, string[]>();
  const moves: {from: Path; to: Path}[] = [];
  for (const {from, to} of paths) {
    const [old = '', name = ''] = [from[0], to[0]];
    if (from.length !== 1 || to.length !== 1) moves.push({from, to});
    else {
      plain.set(old, name);
      back.set(name, [...(back.get(name) ?? []), old]);
    }
  }
  return {plain, back, moves};
}

/** Plain names are replaced in place, so that the order of the fields does not change. */
function inPlace(object: Draft, {plain, back}: Renaming, direction: 'in' | 'out'): Draft {
  const result: Draft = {};
  for (const name of Object.keys(object)) {
    const value = object[name];
    const to = value === undefined ? undefined : plain.get(name);
    if (to === undefined) {
      const other = back.get(name)?.find((old) => valueAt(object, [old]) !== undefined);
      if (other !== undefined) {
        if (direction === 'out') throw bothGiven(other, name);
        continue; // this field is the one that the service file renames
      }
    }
    setOwn(result, to ?? name, value);
  }
  return result;
}

/** A part of a path where the object has a value that is not an object, which would be lost. */
function valueOnTheWay(object: JsonFields, path: Path): Path | undefined {
  for (let length = 1; length < path.length; length++) {
    const value = valueAt(object, path.slice(0, length));
    if (value === undefined) return undefined;
    if (!isObject(value)) return path.slice(0, length);
  }
  return undefined;
}

const bothGiven = (field: string, other: string, name = other): Unwritable =>
  new Unwritable(field, `both ${field} and ${other} are given, but ${field} is sent as ${name}`);

const needs = (unit: Unit): string =>
  unit === 'major' || unit === 'major-number' ? ' without a known currency_code' : '';

/** An object of the service with canonical names. A value that cannot be read is left out; nothing is guessed. */
export function toCanonical(object: JsonFields, mapping: Mapping): JsonFields {
  let canonical: Draft = object;
  for (const level of mapping.names) canonical = renamed(canonical, level, 'in');
  if (canonical === object) canonical = {...object};
  if (mapping.reference !== undefined) renameKey(canonical, mapping.reference, 'in');
  for (const {field, toCanonical: words} of mapping.words) {
    const value = canonical[field];
    if (words.has(value)) canonical[field] = words.get(value);
  }
  const {currency_code: currency} = canonical;
  for (const {field, unit} of mapping.units) {
    const value = ownValue(canonical, field);
    if (value === undefined || value === null) continue;
    const read = fromUnit(value, unit, currency);
    if (read === undefined) canonical = withoutAll(canonical, [{from: [field]}]);
    else canonical[field] = read;
  }
  return canonical;
}

function renameKey(
  draft: Draft,
  {holder, key}: {holder: string; key: string},
  direction: 'in' | 'out',
): void {
  const metadata = draft[holder];
  if (!isObject(metadata)) return;
  const [from, to] = direction === 'out' ? [REFERENCE_KEY, key] : [key, REFERENCE_KEY];
  if (!Object.hasOwn(metadata, from)) return;
  const entries: Draft = {};
  for (const name of Object.keys(metadata)) setOwn(entries, name === from ? to : name, metadata[name]);
  draft[holder] = entries;
}
