import * as z from 'zod';
import {isList, isObject, stringOf} from '../../narrow.ts';
import {fieldOrigin} from '../origin/field-origins.ts';
import {allOperations} from '../operations/operations.ts';
import {AmountMinor, CurrencyCode, Metadata, Timestamp, Uuid} from '../schemas/fields.ts';
import {SCHEMAS, type SchemaName} from '../schemas/registry.ts';

export type OpenApi = {[key: string]: unknown};

/** The keywords of JSON Schema that our schemas use. */
export interface JsonSchema extends OpenApi {
  $ref?: string;
  oneOf?: JsonSchema[];
  anyOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  type?: string | string[];
  format?: string;
  items?: JsonSchema;
  enum?: unknown[];
  deprecated?: boolean;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
}
export type Schemas = Record<string, JsonSchema>;

/** Parts that many schemas share; each is a component. */
const PARTS = {Uuid, AmountMinor, CurrencyCode, Metadata, Timestamp};

const refTo = (name: string) => `#/components/schemas/${name}`;
export const schemaRef = (name: SchemaName | keyof typeof PARTS): OpenApi => ({$ref: refTo(name)});

/** Every schema as JSON Schema 2020-12: bodies as a caller writes them, answers as a reader receives them. */
export function schemaComponents(): Schemas {
  const registry = z.registry<{id: string}>();
  for (const [id, schema] of Object.entries<z.ZodType>({...PARTS, ...SCHEMAS})) registry.add(schema, {id});
  const schemas = (io: 'input' | 'output'): OpenApi => z.toJSONSchema(registry, {io, uri: refTo}).schemas;
  const [input, output] = [schemas('input'), schemas('output')];
  const operations = allOperations().map(({operation}) => operation);
  const bodies = new Set<string | undefined>(operations.map(({body}) => body));
  const queries = new Set<string | undefined>(operations.map(({query}) => query));
  const components: Schemas = {};
  for (const name of [...Object.keys(PARTS), ...Object.keys(SCHEMAS)].sort()) {
    if (queries.has(name)) continue; // they become parameters
    components[name] = tidySchema((bodies.has(name) ? input : output)[name]);
  }
  markOrigins(components);
  return components;
}

/**
 * A body that needs one of several fields, as one complete object for each of them. The short form, branches that are
 * only `required`, is dropped by generators, and their types then allow a body without any of the fields.
 */
export function spellOutChoices(components: Schemas): Schemas {
  const spelled = Object.entries(components).map(([name, schema]): [string, JsonSchema] => {
    const {anyOf, properties, required = [], ...rest} = schema;
    const fields = anyOf?.map((branch) => branch.required?.[0]) ?? [];
    if (properties === undefined || fields.length === 0) return [name, schema];
    const branches = fields.map((field = '') => ({
      ...rest,
      title: `${name}, ${field}`,
      properties: {...properties, [field]: withoutNull(properties[field])},
      required: [...required, field],
    }));
    const description = `At least one of ${fields.join(' and ')} is required; if both are sent, they must be equal.`;
    return [name, {description, anyOf: branches}];
  });
  return Object.fromEntries<JsonSchema>(spelled);
}

/** A required field that accepts null would not be required. */
function withoutNull(field: JsonSchema = {}): JsonSchema {
  const [only, ...more] = field.anyOf?.filter(({type}) => type !== 'null') ?? [];
  if (only === undefined || more.length > 0) return field;
  const rest = Object.entries(field).filter(([keyword]) => keyword !== 'anyOf');
  return {...only, ...Object.fromEntries(rest)};
}

/** The query of a list, field by field; values are parsed, so they have their own types. */
export const queryProperties = (name: SchemaName): Schemas =>
  tidySchema(z.toJSONSchema(SCHEMAS[name], {io: 'output'})).properties ?? {};

/** Sets the origin of every request field, as `x-origin` in the schema. */
function markOrigins(components: Schemas): void {
  for (const {id, operation} of allOperations())
    if (operation.body !== undefined)
      for (const branch of branchesOf(components[operation.body])) markFields(id, branch, '');
}

function markFields(id: string, schema: JsonSchema, prefix: string): void {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const origin = fieldOrigin(id, `${prefix}${name}`);
    const marked = field['x-origin'];
    if (marked !== undefined && JSON.stringify(marked) !== JSON.stringify(origin))
      throw new Error(`${id}.${prefix}${name} has another origin in an operation with the same schema`);
    field['x-origin'] = origin;
    markFields(id, field, `${prefix}${name}.`);
  }
}

/** The schema itself, or the branches of a union. */
const branchesOf = (schema: JsonSchema = {}): JsonSchema[] => schema.oneOf ?? [schema];

/** What zod makes has the keywords of `JsonSchema`. */
export const tidySchema = (schema: unknown): JsonSchema => tidy(schema) as JsonSchema;

/** Removes what adds nothing: `$id`, open objects, patterns that repeat a format. */
function tidy(value: unknown): unknown {
  if (isList(value)) return value.map(tidy);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key, inner]) => {
    if (key === '$id' || key === '$schema') return false;
    if (key === 'additionalProperties') return JSON.stringify(inner) !== '{}';
    if (key === 'minimum') return inner !== -Number.MAX_SAFE_INTEGER;
    if (key === 'pattern') return !['date', 'date-time', 'uuid', 'email'].includes(stringOf(value['format']));
    return true;
  });
  return Object.fromEntries(kept.map(([key, inner]) => [key, tidy(inner)]));
}
