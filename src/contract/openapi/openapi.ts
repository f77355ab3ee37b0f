import {must} from '../../narrow.ts';
import {SERVICE_ERRORS, SHARED_ERRORS, type ServiceErrorCode} from '../error-codes.ts';
import {EVENT_TYPES, WEBHOOK_HEADERS} from '../events.ts';
import {LIMITS} from '../limits.ts';
import {fieldOrigin} from '../origin/field-origins.ts';
import {
  queryProperties,
  schemaComponents,
  schemaRef,
  spellOutChoices,
  type OpenApi,
} from './openapi-schemas.ts';
import type {Operation} from '../operations/operation.ts';
import {assumed} from '../origin/origin.ts';
import {allOperations, type OperationId} from '../operations/operations.ts';
import {DESCRIPTIONS} from './descriptions.ts';
import {RESOURCES} from '../operations/resources.ts';
import type {SchemaName} from '../schemas/registry.ts';

/**
 * The whole service as an OpenAPI 3.1 document, generated from the contract. `x-origin` distinguishes what the
 * service's interface document gives (its section) from what is assumed (the row of docs/internals/assumptions.md).
 * Loads zod.
 *
 * @param server the base URL to name; if absent, it is relative to where the document is served
 */
export function openApiDocument(server = '/') {
  const responses: OpenApi = {};
  const paths: Record<string, OpenApi> = {};
  for (const {id, operation} of allOperations()) {
    const at = (paths[operation.path] ??= pathItem(operation.path));
    at[operation.method.toLowerCase()] = operationObject(id, operation, responses);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Money Movement Service',
      version: '1.0.0', // interface document, "Versioning"
      description: INTRODUCTION,
      license: {name: 'Apache License 2.0', identifier: 'Apache-2.0'},
    },
    servers: [{url: server}],
    security: [{apiKey: []}],
    tags: Object.entries(RESOURCES).map(([name, description]) => ({name, description})),
    paths,
    webhooks: Object.fromEntries(
      Object.entries(EVENT_TYPES).map(([type, {description, data}]) => [
        type,
        webhook(type, description, data),
      ]),
    ),
    components: {
      schemas: spellOutChoices(schemaComponents()),
      responses: Object.fromEntries(Object.entries(responses).sort(([a], [b]) => (a < b ? -1 : 1))),
      parameters: {IdempotencyKey: idempotencyKey},
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'x-api-key',
          description:
            'Keys that begin with live_ are for production, those that begin with test_ for the sandbox.',
        },
      },
    },
  };
}

const INTRODUCTION =
  'Generated from the contract of remit by `npm run generate`; do not edit. `x-origin` says where a route or field ' +
  "comes from: `given` with the section of the service's interface document, or `assumed` with the row of " +
  'docs/internals/assumptions.md.';

/** Interface document, "Idempotency on create payin and create payout"; the format is assumption 45. */
const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'One key per intended action. A request with a known key is answered with the record of that key.',
  schema: {type: 'string', minLength: 1, maxLength: LIMITS.idempotencyKeyLength, pattern: '^[!-~]+$'},
};

function pathItem(path: string): OpenApi {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  if (names.length === 0) return {};
  return {
    parameters: names.map((name) => ({name, in: 'path', required: true, schema: schemaRef('Uuid')})),
  };
}

function operationObject(id: OperationId, operation: Operation, responses: OpenApi): OpenApi {
  const {summary, origin, prefix, key, query, body} = operation;
  const parameters = [
    ...(key === undefined ? [] : [{$ref: '#/components/parameters/IdempotencyKey'}]),
    ...(query === undefined ? [] : queryParameters(id, query, operation)),
  ];
  return {
    operationId: id,
    summary,
    description: DESCRIPTIONS[id],
    tags: [id.split('.')[0]],
    'x-origin': origin,
    ...(prefix === undefined ? {} : {'x-prefix-origin': prefix.origin}),
    ...(parameters.length === 0 ? {} : {parameters}),
    ...(body === undefined
      ? {}
      : {requestBody: {required: !operation.emptyBody, content: json(schemaRef(body))}}),
    responses: {...successes(operation), ...failures(operation, responses)},
  };
}

function queryParameters(id: string, query: SchemaName, operation: Operation): OpenApi[] {
  return Object.entries(queryProperties(query)).map(([name, schema]) => ({
    name,
    in: 'query',
    required: false,
    schema: name === 'limit' ? {...schema, default: LIMITS.pageSizeDefault} : schema,
    'x-origin': fieldOrigin(id, name, operation),
  }));
}

const OUTCOMES: Readonly<Record<number, string>> = {
  200: 'Done. For a create with a known key: the existing record.',
  201: 'Done.',
  202: 'Accepted; processing continues.',
  204: 'Done, without a body.',
  207: 'Done, but only in part: see `warning`.',
};

function successes({ok, key}: Operation): OpenApi {
  return Object.fromEntries(
    Object.entries(ok).map(([status, schema]) => {
      const description = status === '200' && key === undefined ? 'Done.' : OUTCOMES[Number(status)];
      if (schema === null) return [status, {description}];
      const body = schemaRef(schema);
      return [
        status,
        {description, content: json(status === '207' ? {allOf: [body, {required: ['warning']}]} : body)},
      ];
    }),
  );
}

/** The answers by status; each set of codes is a component. */
function failures({fails}: Operation, responses: OpenApi): OpenApi {
  const codes = [...SHARED_ERRORS, ...fails];
  const statuses = [...new Set(codes.map((code) => SERVICE_ERRORS[code].status))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const own = codes.filter((code) => SERVICE_ERRORS[code].status === status);
      const name = own.map(pascalCase).join('Or');
      responses[name] ??= failure(own);
      return [status, {$ref: `#/components/responses/${name}`}];
    }),
  );
}

function failure(codes: readonly ServiceErrorCode[]): OpenApi {
  const schema = {allOf: [schemaRef('ErrorBody'), {properties: {error_code: {enum: codes}}}]};
  return {
    description: codes.join(', '),
    content: json(schema),
    'x-origin': SERVICE_ERRORS[must(codes[0], 'code of a failure')].origin,
  };
}

const pascalCase = (code: string) =>
  code.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Interface document, "Events"; the format of the timestamp is assumption 36. */
function webhook(type: string, description: string, data: SchemaName): OpenApi {
  const event = {properties: {type: {const: type}, data: schemaRef(data)}};
  const header = (name: string, text: string, schema: OpenApi, more: OpenApi = {}): OpenApi => ({
    name,
    in: 'header',
    required: true,
    description: text,
    schema: {type: 'string', ...schema},
    ...more,
  });
  return {
    post: {
      operationId: `on.${type}`,
      summary: description,
      tags: ['eventTypes'],
      security: [],
      parameters: [
        header(
          WEBHOOK_HEADERS.signature,
          'HMAC-SHA256 over {timestamp}.{raw body} with the signing secret of the endpoint, in lower-case hexadecimal.',
          {pattern: '^[0-9a-f]{64}$'},
        ),
        header(
          WEBHOOK_HEADERS.timestamp,
          'Unix time in seconds.',
          {pattern: '^[0-9]+$'},
          {'x-origin': assumed(36)},
        ),
      ],
      requestBody: {required: true, content: json({allOf: [schemaRef('WebhookEvent'), event]})},
      responses: {
        '2XX': {description: `Delivered, when it comes within ${LIMITS.webhookResponseMs / 1000} seconds.`},
        '4XX': {description: 'Not delivered; it is sent again.'},
      },
    },
  };
}

const json = (schema: OpenApi): OpenApi => ({'application/json': {schema}});
