import * as z from 'zod';
import {tidySchema} from '../../../contract/openapi/openapi-schemas.ts';
import {isList, isObject, type JsonObject} from '../../../narrow.ts';
import type {Printed} from './forms.ts';
import {OUTPUTS} from './outputs.ts';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** What a command prints, as JSON Schema. */
export interface OutputSchema {
  /** The document of `-o json`; null if there is none. */
  json: JsonObject | null;
  /** A line of `-o ndjson`; null if there is none. */
  ndjson: JsonObject | null;
}

const toJson = (schema: z.ZodType): JsonObject => {
  const json = opened(tidySchema(z.toJSONSchema(schema, {io: 'output', unrepresentable: 'any'})));
  if (!isObject(json)) throw new Error('a schema is an object');
  return json;
};

/** Removes `additionalProperties: false`: a later version may add fields. */
function opened(value: unknown): unknown {
  if (isList(value)) return value.map(opened);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(
    ([name, inner]) => name !== 'additionalProperties' || inner !== false,
  );
  return Object.fromEntries(kept.map(([name, inner]) => [name, opened(inner)]));
}

function formsOf<T>(printed: Printed, convert: (schema: z.ZodType) => T, many: (item: T) => T) {
  switch (printed.form) {
    case 'none':
      return {json: null, ndjson: null};
    case 'document':
      return {json: convert(printed.schema), ndjson: convert(printed.schema)};
    case 'list':
      return {json: many(convert(printed.schema)), ndjson: convert(printed.schema)};
    case 'lines':
      return {
        json: printed.document === undefined ? null : convert(printed.document),
        ndjson: convert(printed.schema),
      };
  }
}

const arrayOf = (items: JsonObject): JsonObject => ({type: 'array', items});

/** The output of one command, whose id is `payouts:create`; undefined if it is not described. */
export function outputSchema(command: string): OutputSchema | undefined {
  const printed = OUTPUTS[command];
  return printed === undefined ? undefined : formsOf(printed, toJson, arrayOf);
}

/** All commands in one document: `docs/reference/output.schema.json`. */
export function outputsDocument(): JsonObject {
  const names = new Map<z.ZodType, string>();
  const defs: Record<string, JsonObject> = {};
  const commands: Record<string, unknown> = {};
  for (const [id, printed] of Object.entries(OUTPUTS).toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const command = id.replaceAll(':', ' ');
    const refer = (schema: z.ZodType): JsonObject => {
      let name = names.get(schema);
      if (name === undefined) {
        name = command in defs ? `${command} (line)` : command;
        names.set(schema, name);
        defs[name] = toJson(schema);
      }
      return {$ref: `#/$defs/${name.replaceAll(' ', '%20')}`};
    };
    commands[command] = formsOf(printed, refer, arrayOf);
  }
  return {
    $schema: DIALECT,
    title: 'What each command of remit prints with -o json, and a line of -o ndjson',
    commands,
    $defs: defs,
  };
}
