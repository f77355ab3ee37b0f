import {isObject, type JsonObject} from '../narrow.ts';
import {type Path, valueAt, withoutValue, withValue} from './paths.ts';
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
  readonly toWire: ReadonlyMap<unknown, unknown>;
  readonly toCanonical: ReadonlyMap<unknown, unknown>;
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
export function toWire(object: JsonObject, mapping: Mapping): JsonObject {
  let wire = object;
  const {currency_code: currency} = object;
  for (const {field, unit} of mapping.units) {
    const value = valueAt(wire, [field]);
    if (value === undefined || value === null) continue;
    const written = toUnit(value, unit, currency);
    if (written === undefined)
      throw new Unwritable(field, `${field} cannot be written as ${unit}${needs(unit)}`);
    wire = withValue(wire, [field], written);
  }
  for (const {field, toWire: words} of mapping.words) {
    const value = wire[field];
    if (words.has(value)) wire = withValue(wire, [field], words.get(value));
  }
  if (mapping.reference !== undefined) wire = withKey(wire, mapping.reference, 'out');
  for (const level of mapping.names) wire = renamed(wire, level, 'out');
  return wire;
}

/**
 * Renames values of an object. All of them are removed before any is added, so that two names can be swapped. Objects
 * with the same name are merged.
 */
function renamed(object: JsonObject, names: readonly Name[], direction: 'in' | 'out'): JsonObject {
  const renaming = renamingOf(names, direction);
  const {plain, moves} = renaming;
  let moved = plain.size === 0 ? object : inPlace(object, renaming, direction);
  if (moves.length === 0) return moved;
  const found: {from: Path; to: Path; value: unknown}[] = [];
  for (const {from, to} of moves) {
    const value = valueAt(object, from);
    if (value !== undefined) found.push({from, to, value});
  }
  for (const {from} of found) moved = withoutValue(moved, from);
  for (const {from, to, value} of found) {
    const inTheWay = direction === 'out' ? valueOnTheWay(moved, to) : undefined;
    if (inTheWay !== undefined) throw bothGiven(from.join('.'), inTheWay.join('.'), to.join('.'));
    const there = valueAt(moved, to);
    if (isObject(there) && isObject(value)) moved = withValue(moved, to, {...there, ...value});
    else if (there === undefined || direction === 'in') moved = withValue(moved, to, value);
    else throw bothGiven(from.join('.'), to.join('.'));
  }
  return moved;
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
function inPlace(object: JsonObject, {plain, back}: Renaming, direction: 'in' | 'out'): JsonObject {
  const result: Record<string, unknown> = {};
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
    result[to ?? name] = value;
  }
  return result;
}

/** A part of a path where the object has a value that is not an object, which would be lost. */
function valueOnTheWay(object: JsonObject, path: Path): Path | undefined {
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
export function toCanonical(object: JsonObject, mapping: Mapping): JsonObject {
  let canonical = object;
  for (const level of mapping.names) canonical = renamed(canonical, level, 'in');
  if (mapping.reference !== undefined) canonical = withKey(canonical, mapping.reference, 'in');
  for (const {field, toCanonical: words} of mapping.words) {
    const value = canonical[field];
    if (words.has(value)) canonical = withValue(canonical, [field], words.get(value));
  }
  const {currency_code: currency} = canonical;
  for (const {field, unit} of mapping.units) {
    const value = valueAt(canonical, [field]);
    if (value === undefined || value === null) continue;
    const read = fromUnit(value, unit, currency);
    canonical = read === undefined ? withoutValue(canonical, [field]) : withValue(canonical, [field], read);
  }
  return canonical;
}

function withKey(
  object: JsonObject,
  {holder, key}: {holder: string; key: string},
  direction: 'in' | 'out',
): JsonObject {
  const metadata = object[holder];
  if (!isObject(metadata)) return object;
  const [from, to] = direction === 'out' ? [REFERENCE_KEY, key] : [key, REFERENCE_KEY];
  if (!Object.hasOwn(metadata, from)) return object;
  const entries = Object.entries(metadata).map(
    ([name, value]) => [name === from ? to : name, value] as const,
  );
  return {...object, [holder]: Object.fromEntries(entries)};
}
