import * as z from 'zod';
import {SERVICE_ERRORS, type ServiceErrorCode} from '../../contract/error-codes.ts';
import {openApiDocument} from '../../contract/openapi/openapi.ts';
import {
  type OpenApi,
  type JsonSchema,
  schemaRef,
  tidySchema,
} from '../../contract/openapi/openapi-schemas.ts';
import {CONTROL_ANSWERS} from './answers.ts';
import {CONTROL_BODIES, CONTROL_QUERIES} from './bodies.ts';
import {TOKEN_HEADER, controlCalls, errorsOf, type ControlCall, type ControlCallId} from './calls.ts';
import {CONTROL_DESCRIPTIONS} from './descriptions.ts';

const TAG = 'sandboxControl';

/** A schema of a control call as JSON Schema: bodies as a caller writes them, answers as a reader receives them. */
export const controlSchema = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema =>
  tidySchema(z.toJSONSchema(schema, {io}));

/** The parameters without which a call is refused: one with a default is always there only after parsing. */
export const requiredIn = (query: z.ZodType): readonly string[] =>
  controlSchema(query, 'input').required ?? [];

/** The API of the sandbox: the contract, plus the control calls under /sandbox/, which the service does not have. */
export function sandboxOpenApi(server?: string): OpenApi {
  const document = openApiDocument(server);
  const {securitySchemes, ...components} = document.components;
  return {
    ...document,
    tags: [
      ...document.tags,
      {name: TAG, description: 'Control calls of the local sandbox. The service itself has none of these.'},
    ],
    paths: {...document.paths, ...controlPaths()},
    components: {
      ...components,
      securitySchemes: {
        ...securitySchemes,
        sandboxToken: {
          type: 'apiKey',
          in: 'header',
          name: TOKEN_HEADER,
          description: 'The control token: `control_token` of the ready line, or the file next to the store.',
        },
      },
    },
  };
}

function controlPaths(): Record<string, OpenApi> {
  const paths: Record<string, OpenApi> = {};
  for (const [id, call] of controlCalls()) {
    const at = (paths[call.path] ??= pathItem(call.path));
    at[call.method.toLowerCase()] = operation(id, call);
  }
  return paths;
}

function pathItem(path: string): OpenApi {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  if (names.length === 0) return {};
  return {
    parameters: names.map((name) => ({name, in: 'path', required: true, schema: {type: 'string'}})),
  };
}

function operation(id: ControlCallId, call: ControlCall): OpenApi {
  const {summary, body, query, ok, open = false} = call;
  const [status, answer] = ok;
  return {
    operationId: `sandbox.${id}`,
    summary,
    description: CONTROL_DESCRIPTIONS[id],
    tags: [TAG],
    security: open ? [] : [{sandboxToken: []}],
    ...(query === undefined ? {} : {parameters: queryParameters(CONTROL_QUERIES[query])}),
    ...(body === undefined
      ? {}
      : {requestBody: {required: true, content: content(controlSchema(CONTROL_BODIES[body], 'input'))}}),
    responses: {
      [status]:
        answer === null
          ? {description: 'Done, without a body.'}
          : {description: 'Done.', content: content(controlSchema(CONTROL_ANSWERS[answer], 'output'))},
      ...failures(errorsOf(call)),
    },
  };
}

/** Its values are described as parsed: a limit is a number. */
function queryParameters(query: z.ZodType): OpenApi[] {
  const {properties = {}} = controlSchema(query, 'output');
  const required = requiredIn(query);
  return Object.entries(properties).map(([name, {description, ...schema}]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description === undefined ? {} : {description}),
    schema,
  }));
}

function failures(codes: readonly ServiceErrorCode[]): OpenApi {
  return Object.fromEntries(
    codes.map((code) => [
      SERVICE_ERRORS[code].status,
      {description: code, content: content(schemaRef('ErrorBody'))},
    ]),
  );
}

const content = (schema: OpenApi): OpenApi => ({'application/json': {schema}});
