import {isList, isObject} from '../../../narrow.ts';
import type {OpenApiDocument} from './document.ts';
import {type Json, sameName} from '../survey/shapes.ts';

const DEEPEST = 8;

/** A value that fits a schema. `nth` makes records differ from each other. */
export function sampleOf(document: OpenApiDocument, schema: unknown, nth = 0, name = '', depth = 0): unknown {
  const own = document.follow(schema);
  const whole = isList(own['allOf']) ? joinedSchema(document, own) : own;
  const branches = whole['oneOf'] ?? whole['anyOf'];
  const [branch] = isList(branches) ? branches.filter((one) => document.follow(one)['type'] !== 'null') : [];
  if (branch !== undefined && whole['properties'] === undefined)
    return sampleOf(document, branch, nth, name, depth + 1);
  if (depth > DEEPEST) return null;
  const example =
    whole['const'] ?? whole['example'] ?? (isList(whole['enum']) ? whole['enum'][0] : undefined);
  const type = typeOf(whole);
  if (type === 'object') return sampleObject(document, whole, nth, depth);
  if (type === 'array')
    return [0, 1].map((at) => sampleOf(document, whole['items'], at, name.replace(/s$/, ''), depth + 1));
  if (type === 'boolean') return false;
  if (type === 'integer' || type === 'number') return sampleNumber(whole, type, name, example);
  return sampleText(whole, name, nth, example);
}

const typeOf = ({type, properties, items}: Json): unknown => {
  const types = isList(type) ? type.filter((one) => one !== 'null') : [type];
  return types[0] ?? (isObject(properties) ? 'object' : items === undefined ? 'string' : 'array');
};

function joinedSchema(document: OpenApiDocument, schema: Json): Json {
  const parts = [
    schema,
    ...(isList(schema['allOf'])
      ? schema['allOf'].map((part) => joinedSchema(document, document.follow(part)))
      : []),
  ];
  const properties = Object.assign(
    {},
    ...parts.map((part) => (isObject(part['properties']) ? part['properties'] : {})),
  ) as Json; // objects
  const own = {...(Object.assign({}, ...parts) as Json), allOf: undefined}; // schemas
  return Object.keys(properties).length === 0 ? own : {...own, type: 'object', properties};
}

function sampleObject(document: OpenApiDocument, {properties}: Json, nth: number, depth: number): Json {
  const entries = Object.entries(isObject(properties) ? properties : {});
  return Object.fromEntries(
    entries.map(([name, schema]) => [name, sampleOf(document, schema, nth, name, depth + 1)]),
  );
}

/** `integer` gives a whole number, `number` one with decimals. */
function sampleNumber(schema: Json, type: string, name: string, example: unknown): number {
  if (typeof example === 'number') return example;
  if (/(_at|At|_on|date|time|created|updated)$/.test(name))
    return /milli/i.test(String(schema['description'])) ? 1_700_000_000_000 : 1_700_000_000;
  return type === 'number' ? 125.5 : 12_550;
}

function sampleText(schema: Json, name: string, nth: number, example: unknown): string {
  if (name === 'id' || /(_id|Id)$/.test(name) || schema['format'] === 'uuid')
    return `0192a000-0000-7000-8000-00000000000${nth + 1}`;
  if (schema['format'] === 'date-time' || /(_at|At)$/.test(name)) return `2026-01-0${nth + 1}T00:00:00.000Z`;
  if (typeof example === 'string') return example;
  const words = JSON.stringify([schema['pattern'], schema['description'], schema['format']]);
  if (/amount|balance|value/i.test(name)) return /\.|decimal|major/i.test(words) ? '125.50' : '12550';
  return sameName(name, 'currency_code') || name === 'currency' ? 'USD' : `${name}-${nth + 1}`;
}
