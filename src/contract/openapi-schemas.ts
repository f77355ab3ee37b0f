import * as z from 'zod';
import {fieldOrigin} from './field-origins.ts';
import {allOperations} from './operations.ts';
import {AmountMinor, CurrencyCode, Metadata, Timestamp, Uuid} from './schemas/fields.ts';
import {SCHEMAS, type SchemaName} from './schemas/registry.ts';

export type Json = {[key: string]: unknown};

/** Parts that many schemas share; each is a component. */
const PARTS = {Uuid, AmountMinor, CurrencyCode, Metadata, Timestamp};

const refTo = (name: string) => `#/components/schemas/${name}`;
export const schemaRef = (name: SchemaName | keyof typeof PARTS): Json => ({$ref: refTo(name)});

/** Every schema as JSON Schema 2020-12: bodies as a caller writes them, answers as a reader receives them. */
export function schemaComponents(): Json {
  const registry = z.registry<{id: string}>();
  for (const [id, schema] of Object.entries<z.ZodType>({...PARTS, ...SCHEMAS})) registry.add(schema, {id});
  const [input, output] = (['input', 'output'] as const).map(
    (io) => z.toJSONSchema(registry, {io, uri: refTo}).schemas as Json,
  );
  const operations = allOperations().map(({operation}) => operation);
  const bodies = new Set<string | undefined>(operations.map(({body}) => body));
  const queries = new Set<string | undefined>(operations.map(({query}) => query));
  const components: Json = {};
  for (const name of [...Object.keys(PARTS), ...Object.keys(SCHEMAS)].sort()) {
    if (queries.has(name)) continue; // they become parameters
    components[name] = tidy((bodies.has(name) ? input : output)![name]);
  }
  markOrigins(components);
  return components;
}

/** The query of a list, field by field; values are parsed, so they have their own types. */
export function queryProperties(name: SchemaName): Record<string, Json> {
  const {properties} = z.toJSONSchema(SCHEMAS[name], {io: 'output'});
  return tidy(properties) as Record<string, Json>;
}

/** Sets the origin of every request field, as `x-origin` in the schema. */
function markOrigins(components: Json): void {
  for (const {id, operation} of allOperations())
    if (operation.body !== undefined)
      for (const branch of branchesOf(components[operation.body] as Json)) markFields(id, branch, '');
}

function markFields(id: string, schema: Json, prefix: string): void {
  for (const [name, field] of Object.entries((schema['properties'] ?? {}) as Record<string, Json>)) {
    const origin = fieldOrigin(id, `${prefix}${name}`);
    const marked = field['x-origin'];
    if (marked !== undefined && JSON.stringify(marked) !== JSON.stringify(origin))
      throw new Error(`${id}.${prefix}${name} has another origin in an operation with the same schema`);
    field['x-origin'] = origin;
    markFields(id, field, `${prefix}${name}.`);
  }
}

/** The schema itself, or the branches of a union. */
const branchesOf = (schema: Json): Json[] => (schema['oneOf'] as Json[] | undefined) ?? [schema];

/** Removes what adds nothing: `$id`, open objects, patterns that repeat a format. */
export function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (typeof value !== 'object' || value === null) return value;
  const schema = value as Json;
  const kept = Object.entries(schema).filter(([key, inner]) => {
    if (key === '$id' || key === '$schema') return false;
    if (key === 'additionalProperties') return JSON.stringify(inner) !== '{}';
    if (key === 'minimum') return inner !== -Number.MAX_SAFE_INTEGER;
    if (key === 'pattern') return !['date', 'date-time', 'uuid', 'email'].includes(String(schema['format']));
    return true;
  });
  return Object.fromEntries(kept.map(([key, inner]) => [key, tidy(inner)]));
}
