import {SERVICE_ERRORS} from '../../contract/error-codes.ts';
import {SECRET_ENCODINGS, SIGNATURE_ENCODINGS, TIMESTAMP_FORMATS} from '../../contract/signature-form.ts';
import {ID_FORMATS} from '../../contract/ids.ts';
import {LIFECYCLES} from '../../contract/lifecycle.ts';
import {allOperations, OPERATIONS} from '../../contract/operations/operations.ts';
import {isReadOperation} from '../routes.ts';
import {AMOUNT_UNITS, PAGED_BY, TIME_UNITS} from '../service-file.ts';

/** The subset of JSON Schema that service files need; `validate.ts` implements it. */
export interface Schema {
  readonly $schema?: string;
  readonly title?: string;
  /** What is allowed, in words: it becomes part of the error. */
  readonly description?: string;
  readonly type?: 'object' | 'string' | 'integer';
  readonly enum?: readonly (string | false)[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly propertyNames?: Schema;
  readonly additionalProperties?: false | Schema;
  readonly anyOf?: readonly Schema[];
}

const LONGEST_KEY = 255;
/** 22 characters of base64url contain 132 bits of a hash. */
const SHORTEST_KEY = 22;

const FIELD = '[A-Za-z_][A-Za-z0-9_-]{0,63}';
const path: Schema = {
  type: 'string',
  pattern: `^${FIELD}(\\.${FIELD}){0,4}$`,
  description: 'a field name, or a path of names joined with dots',
};
const token: Schema = {
  type: 'string',
  pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$",
  description: 'the name of an HTTP header',
};
const PATH = '/[A-Za-z0-9_.~{}/-]*';
const readRoute: Schema = {
  type: 'string',
  pattern: `^(GET )?${PATH}$`,
  description: 'a GET and a path, because the operation only reads, such as "GET /v1/payouts"',
};
const word: Schema = {type: 'string', pattern: '^[A-Za-z0-9_.:-]{1,100}$', description: 'a word'};
const prefix: Schema = {
  type: 'string',
  pattern: '^(/[A-Za-z0-9_.~-]+)*$',
  description: 'a path prefix with a leading slash and no trailing slash',
};

const object = (properties: Readonly<Record<string, Schema>>, description?: string): Schema => ({
  type: 'object',
  ...(description === undefined ? {} : {description}),
  properties,
  additionalProperties: false,
});
const map = (names: Schema, values: Schema, description: string): Schema => ({
  ...{type: 'object', description, propertyNames: names, additionalProperties: values},
});

/** Published as docs/reference/service.schema.json. */
export function serviceSchema(): Schema {
  const operations = allOperations().map(({id}) => id);
  const reads = operations.filter(isReadOperation);
  const resources = Object.keys(OPERATIONS);
  const operation: Schema = {enum: operations, description: 'an operation, such as payouts.create'};
  const resource: Schema = {enum: resources, description: 'a resource, such as payouts'};
  const resourceOrOperation: Schema = {
    enum: [...resources, ...operations],
    description: 'a resource or an operation',
  };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'remit service file: how a service differs from the interface that remit assumes',
    ...object({
      $schema: {type: 'string', description: 'address of this schema, for editors'},
      routes: {
        ...map(
          operation,
          {
            type: 'string',
            pattern: `^((POST|PUT|PATCH|DELETE) )?${PATH}$`,
            description:
              'a method and a path, such as "POST /v1/payouts/{id}/approve", and not a GET, because the operation changes data',
          },
          'method and path by operation; a path parameter that a read omits is sent in its query',
        ),
        properties: Object.fromEntries(reads.map((id) => [id, readRoute])),
      },
      prefixes: object(
        {api: prefix, treasury: prefix, webhookEndpoints: prefix},
        'replacements for /api, /api/treasury and /api/webhooks/endpoints',
      ),
      bodies: map(
        operation,
        {
          anyOf: [{enum: ['none']}, {type: 'object'}],
          description: '"none" for a request without a body, or the JSON object that is always sent',
        },
        'the body of an operation that has no fields, such as an approve',
      ),
      fields: map(
        resourceOrOperation,
        map(
          {pattern: '^[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*){0,3}$', description: 'the name of a field'},
          path,
          'the name on the wire, by canonical name',
        ),
        'field names by resource (requests and answers) or by operation (requests)',
      ),
      filters: map(
        resource,
        map(
          {pattern: '^[a-z][a-z0-9_]*$', description: 'the name of a filter'},
          {
            anyOf: [path, {enum: [false]}],
            description: 'a query parameter, or false if the service cannot filter by it',
          },
          'the query parameter, by canonical name; false: remit filters the records itself',
        ),
        'filters of lists, by resource',
      ),
      units: map(
        {pattern: `^(${resources.join('|')})\\.[a-z][a-z0-9_.]*$`, description: 'resource.field'},
        {
          enum: [...AMOUNT_UNITS, ...TIME_UNITS],
          description:
            'an amount: minor (12550), minor-text ("12550"), major ("125.50") or major-number (125.5); a time: iso, seconds or milliseconds',
        },
        'format of amounts and times, by resource and canonical field',
      ),
      envelopes: object({
        record: {
          anyOf: [
            {type: 'string', pattern: `^(${FIELD}(\\.${FIELD}){0,4})?$`},
            map(operation, {type: 'string', pattern: `^(${FIELD}(\\.${FIELD}){0,4})?$`}, 'by operation'),
          ],
          description: 'path to the record in an answer, for all operations or by operation',
        },
        list: {
          anyOf: [path, map(resourceOrOperation, path, 'by resource or operation')],
          description: 'path to the items of a list, for all lists, or by resource or operation',
        },
        next: {...path, description: 'path to the cursor, or the address, of the next page'},
        more: {...path, description: 'path to a boolean: whether more pages exist'},
        total: {...path, description: 'path to the number of records in the whole list'},
      }),
      paging: object({
        by: {
          enum: PAGED_BY,
          description:
            'how the next page is requested: cursor, page (its number), offset (the number of records before it), id (of the last record), link (the Link header), or none if the service always sends the whole list',
        },
        first: {type: 'integer', minimum: 0, maximum: 1, description: 'number of the first page, 0 or 1'},
        max: {type: 'integer', minimum: 1, maximum: 10_000, description: 'maximum page size, 1 to 10000'},
        min: {type: 'integer', minimum: 1, maximum: 10_000, description: 'minimum page size, 1 to 10000'},
        cursor: {...path, description: 'query parameter of the cursor'},
        limit: {...path, description: 'query parameter of the page size'},
        order: {
          anyOf: [
            {enum: [false]},
            object({
              ...{name: path, asc: word, desc: word},
              default: {enum: ['asc', 'desc'], description: 'asc or desc: the order of a list without it'},
            }),
          ],
          description:
            'query parameter of the sort order and its values, or false if the service cannot sort',
        },
      }),
      errors: object({
        code: path,
        message: path,
        details: path,
        codes: map(
          word,
          {enum: Object.keys(SERVICE_ERRORS), description: 'a documented error code'},
          'documented error codes by the code on the wire',
        ),
      }),
      statuses: map(
        resource,
        map(word, word, 'canonical statuses by the status on the wire'),
        'statuses by resource',
      ),
      headers: object({
        requestId: token,
        send: map(
          token,
          {type: 'string', pattern: '^[!-~]([ -~]{0,998}[!-~])?$', description: 'visible ASCII characters'},
          'headers sent with every request',
        ),
      }),
      keys: object({
        header: token,
        format: {enum: ['any', 'uuid'], description: 'any or uuid'},
        maxLength: {
          ...{type: 'integer', minimum: SHORTEST_KEY, maximum: LONGEST_KEY},
          description: `the longest key, ${SHORTEST_KEY} to ${LONGEST_KEY} characters`,
        },
        horizon: {
          ...{type: 'string', pattern: '^[1-9][0-9]{0,5}(s|m|h|d)$'},
          description: 'how long the service remembers a key, such as 12h',
        },
      }),
      metadata: object({
        reference: {...word, pattern: '^[A-Za-z0-9_.:-]{1,40}$', description: 'a metadata key'},
      }),
      webhooks: object(
        {
          signatureHeader: token,
          timestampHeader: token,
          idHeader: token,
          timestampPart: {
            ...{type: 'string', pattern: '^[A-Za-z0-9_-]{1,32}$'},
            description: 'the name of the timestamp within the signature header, such as t',
          },
          timestamp: {
            enum: [...TIMESTAMP_FORMATS, 'none'],
            description: 'seconds, milliseconds, iso8601 or none',
          },
          signaturePrefix: {
            ...{type: 'string', pattern: '^[!-+.-~]{1,32},?$'},
            description: 'what precedes a signature, such as v1= or v1,',
          },
          signatureEncoding: {enum: SIGNATURE_ENCODINGS, description: 'hex or base64'},
          signed: {
            type: 'string',
            pattern: '^[ -z|~]{0,32}(\\{id\\}[ -z|~]{0,32})?(\\{timestamp\\}[ -z|~]{0,32})?\\{payload\\}$',
            description: 'the signed text, such as "{timestamp}.{payload}"',
          },
          secretEncoding: {
            enum: SECRET_ENCODINGS,
            description: 'text, or base64 if the key is what the secret decodes to, without whsec_',
          },
          secret: {...path, description: 'path to the signing secret in a record of an endpoint'},
          active: {
            anyOf: [path, object({field: path, on: word, off: word})],
            description: 'path to the flag that an endpoint is active, or {"field", "on", "off"}',
          },
        },
        'how webhooks are signed, and what differs in endpoints',
      ),
      ids: object({format: {enum: ID_FORMATS, description: 'uuid or any'}}, 'what ids look like'),
    }),
  };
}

/** Statuses that a resource has, for the canonical side of `statuses`. */
export const STATUSES_OF: Readonly<Record<string, readonly string[]>> = {
  payins: Object.keys(LIFECYCLES.payin.next),
  payouts: Object.keys(LIFECYCLES.payout.next),
  moves: Object.keys(LIFECYCLES.move.next),
  accountTransfers: Object.keys(LIFECYCLES.accountTransfer.next),
  payeePaymentMethods: Object.keys(LIFECYCLES.paymentMethod.next),
  payerPaymentMethods: Object.keys(LIFECYCLES.paymentMethod.next),
};
