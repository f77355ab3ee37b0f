import type {Config} from '@oclif/core';
import {allOperations, type OperationId} from '../../contract/operations/operations.ts';
import type {SchemaName} from '../../contract/schemas/registry.ts';
import {RemitError} from '../../errors.ts';
import {nearest} from '../../nearest.ts';
import {routeOf} from '../../service/routes.ts';
import type {ServiceFile} from '../../service/service-file.ts';
import {flagFactsOf, type CommandFacts} from './catalogue.ts';
import type {OutputSchema} from './outputs/published.ts';
import type {JsonObject} from '../../narrow.ts';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** The request and the answers of an operation, as JSON Schema. */
export interface OperationSchema {
  operation: OperationId;
  method: string;
  path: string;
  idempotency_key: string | null;
  query: JsonObject | null;
  body: JsonObject | null;
  /** The schemas by HTTP status; null for an answer without a body. */
  answers: Record<string, JsonObject | null>;
}

/** A command: what it takes, and the operations it calls. */
export interface CommandSchema extends CommandFacts {
  /** Flags and arguments as one object, as JSON Schema. */
  input: JsonObject;
  /** What it prints: the document of `-o json` and a line of `-o ndjson`. */
  output: OutputSchema | null;
  operation_schemas: OperationSchema[];
}

/**
 * The schemas of `payouts.create` (an operation) or `payouts create` (a command). Loads zod.
 * @throws RemitError USAGE if it is neither, with a similar one as the hint
 */
export async function schemaOf(
  words: readonly string[],
  config: Config,
  service: ServiceFile,
): Promise<OperationSchema | CommandSchema> {
  const name = words.join(' ');
  const toJson = await jsonSchemas();
  const operation = allOperations().find(({id}) => id === name);
  if (operation !== undefined) return operationSchema(operation.id, service, toJson);
  const command = config.findCommand(words.join(':'));
  if (command !== undefined) {
    const facts = flagFactsOf(command);
    const called = allOperations().filter(({id}) => facts.operations.includes(id));
    const {outputSchema} = await import('./outputs/published.ts');
    return {
      ...facts,
      input: inputSchema(facts),
      output: outputSchema(command.id) ?? null,
      operation_schemas: called.map(({id}) => operationSchema(id, service, toJson)),
    };
  }
  const operations = allOperations().map(({id}): string => id);
  const commands = config.commandIDs.map((id) => id.replaceAll(':', ' '));
  const [first, second] = words.length > 1 ? [commands, operations] : [operations, commands];
  const near = nearest(name, first) ?? nearest(name, second);
  throw new RemitError('USAGE', `there is no operation or command ${JSON.stringify(name)}`, {
    hint: (commands) =>
      near === undefined ? commands.read('help', 'operations') : commands.read('schema', ...near.split(' ')),
  });
}

function operationSchema(id: OperationId, service: ServiceFile, toJson: ToJson): OperationSchema {
  const found = allOperations().find((one) => one.id === id);
  if (found === undefined) throw new Error(`unknown operation ${id}`);
  const {key, query, body, ok} = found.operation;
  const {method, path} = routeOf(id, service);
  return {
    ...{operation: id, method, path, idempotency_key: key ?? null},
    query: query === undefined ? null : toJson(query, 'input'),
    body: body === undefined ? null : toJson(body, 'input'),
    answers: Object.fromEntries(
      Object.entries(ok).map(([status, name]) => [status, name === null ? null : toJson(name, 'output')]),
    ),
  };
}

type ToJson = (name: SchemaName, io: 'input' | 'output') => JsonObject;

async function jsonSchemas(): Promise<ToJson> {
  const [z, {SCHEMAS}, {tidySchema}] = await Promise.all([
    import('zod'),
    import('../../contract/schemas/registry.ts'),
    import('../../contract/openapi/openapi-schemas.ts'),
  ]);
  return (name, io) => ({
    $schema: DIALECT,
    title: name,
    ...tidySchema(z.toJSONSchema(SCHEMAS[name], {io, unrepresentable: 'any'})),
  });
}

/** What a program may pass: property names are those of flags and arguments. */
function inputSchema({args, flags}: CommandFacts): JsonObject {
  const properties: Record<string, JsonObject> = {};
  for (const {name, options, repeats, description} of args)
    properties[name] = propertyOf({type: 'string', options, multiple: repeats, description});
  for (const {name, type, options, multiple, description} of flags)
    properties[name] = propertyOf({
      type: type === 'boolean' ? 'boolean' : 'string',
      options,
      multiple,
      description,
    });
  const required = [...args, ...flags].filter((one) => one.required).map(({name}) => name);
  return {$schema: DIALECT, type: 'object', properties, required, additionalProperties: false};
}

function propertyOf({
  type,
  options,
  multiple,
  description,
}: Pick<CommandFacts['flags'][number], 'options' | 'multiple' | 'description'> & {type: string}): JsonObject {
  const one = {type, ...(options === null ? {} : {enum: options})};
  const shape = multiple ? {type: 'array', items: one} : one;
  return description === null ? shape : {...shape, description};
}
