import {isList, isObject, type JsonObject} from '../../../narrow.ts';
import type {OpenApiDocument} from './document.ts';
import {sameName} from '../survey/shapes.ts';

const DEEPEST = 8;
/** Schemas that are followed for one sample. */
const MOST = 10_000;

/** A value that fits a schema. A schema within itself gives null. */
export const sampleOf = (document: OpenApiDocument, schema: unknown): unknown =>
  new Sampler(document).sample(schema);

/** What a value is a part of. `nth` makes records differ from each other. */
interface SamplePart {
  readonly nth: number;
  readonly name: string;
  readonly depth: number;
}

class Sampler {
  readonly #document: OpenApiDocument;
  /** The schemas around the present one. */
  readonly #around = new Set<JsonObject>();
  #left = MOST;

  constructor(document: OpenApiDocument) {
    this.#document = document;
  }

  sample(schema: unknown, place: SamplePart = {nth: 0, name: '', depth: 0}): unknown {
    const own = this.#document.follow(schema);
    this.#left -= 1;
    if (this.#left < 0 || place.depth > DEEPEST || this.#around.has(own)) return null;
    this.#around.add(own);
    const value = this.#valueOf(this.#joined(own), place);
    this.#around.delete(own);
    return value;
  }

  #valueOf(schema: JsonObject, {nth, name, depth}: SamplePart): unknown {
    const within = depth + 1;
    const branch = schema['properties'] === undefined ? this.#branchOf(schema) : undefined;
    if (branch !== undefined) return this.sample(branch, {nth, name, depth: within});
    const example =
      schema['const'] ?? schema['example'] ?? (isList(schema['enum']) ? schema['enum'][0] : undefined);
    const type = typeOf(schema);
    if (type === 'object') {
      const {properties} = schema;
      const entries = Object.entries(isObject(properties) ? properties : {}).slice(0, this.#left);
      const values = this.#shared(entries, ([inner, one]) =>
        this.sample(one, {nth, name: inner, depth: within}),
      );
      return Object.fromEntries(entries.map(([inner], at) => [inner, values[at]]));
    }
    if (type === 'array')
      return this.#shared([0, 1], (at) =>
        this.sample(schema['items'], {nth: at, name: name.replace(/s$/, ''), depth: within}),
      );
    if (type === 'boolean') return false;
    if (type === 'integer' || type === 'number') return sampleNumber(schema, type, name, example);
    return sampleText(schema, name, nth, example);
  }

  /** The first of `oneOf` or `anyOf` that is neither null nor around. */
  #branchOf(schema: JsonObject): unknown {
    const branches = schema['oneOf'] ?? schema['anyOf'];
    return isList(branches)
      ? branches.find((one) => {
          const own = this.#document.follow(one);
          return own['type'] !== 'null' && !this.#around.has(own);
        })
      : undefined;
  }

  /** A schema with all parts of its `allOf`, and of theirs; later ones count. */
  #joined(schema: JsonObject): JsonObject {
    if (!isList(schema['allOf'])) return schema;
    const parts = new Set<JsonObject>();
    const open = [schema];
    for (let part = open.pop(); part !== undefined && this.#left > 0; part = open.pop()) {
      if (parts.has(part)) continue;
      this.#left -= 1;
      parts.add(part);
      if (isList(part['allOf']))
        for (const one of part['allOf'].toReversed()) open.push(this.#document.follow(one));
    }
    const whole: Record<string, unknown> = {};
    const properties: Record<string, unknown> = {};
    for (const part of parts) {
      Object.assign(whole, part);
      if (isObject(part['properties'])) Object.assign(properties, part['properties']);
    }
    const isEmpty = Object.keys(properties).length === 0;
    return {...whole, allOf: undefined, ...(isEmpty ? {} : {type: 'object', properties})};
  }

  /** Gives each item its share of what is left, so that a large one does not leave the others without a value. */
  #shared<Item>(items: readonly Item[], valueOf: (item: Item) => unknown): unknown[] {
    return items.map((item, at) => {
      const share = Math.ceil(this.#left / (items.length - at));
      const others = this.#left - share;
      this.#left = share;
      const value = valueOf(item);
      this.#left = others + Math.max(0, this.#left);
      return value;
    });
  }
}

const typeOf = ({type, properties, items}: JsonObject): unknown => {
  const types = isList(type) ? type.filter((one) => one !== 'null') : [type];
  return types[0] ?? (isObject(properties) ? 'object' : items === undefined ? 'string' : 'array');
};

/** `integer` gives a whole number, `number` one with decimals. */
function sampleNumber(schema: JsonObject, type: string, name: string, example: unknown): number {
  if (typeof example === 'number') return example;
  if (/(_at|At|_on|date|time|created|updated)$/.test(name))
    return /milli/i.test(String(schema['description'])) ? 1_700_000_000_000 : 1_700_000_000;
  return type === 'number' ? 125.5 : 12_550;
}

function sampleText(schema: JsonObject, name: string, nth: number, example: unknown): string {
  if (name === 'id' || /(_id|Id)$/.test(name) || schema['format'] === 'uuid')
    return `0192a000-0000-7000-8000-00000000000${nth + 1}`;
  if (schema['format'] === 'date-time' || /(_at|At)$/.test(name)) return `2026-01-0${nth + 1}T00:00:00.000Z`;
  if (typeof example === 'string') return example;
  const words = JSON.stringify([schema['pattern'], schema['description'], schema['format']]);
  if (/amount|balance|value/i.test(name)) return /\.|decimal|major/i.test(words) ? '125.50' : '12550';
  return sameName(name, 'currency_code') || name === 'currency' ? 'USD' : `${name}-${nth + 1}`;
}
