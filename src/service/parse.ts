import {allOperations, type OperationId} from '../contract/operations/operations.ts';
import {RECORD_FIELDS} from '../contract/operations/record-fields.ts';
import {requestFieldsOf} from '../contract/origin/field-origins.ts';
import {RemitError} from '../errors.ts';
import {isList, isObject} from '../narrow.ts';
import {keyLines, type KeyLines} from './lines.ts';
import {OWN_HEADERS} from './own-headers.ts';
import {findOperation, paramsOf, routeOf, sameRoutes} from './routes.ts';
import {serviceSchema, STATUSES_OF} from './schema.ts';
import type {ServiceFile} from './service-file.ts';
import {isAmountField, isAmountUnit, isTimeField, isTimeUnit} from './units.ts';
import {firstIssue, type Issue} from './validate.ts';

/**
 * Parses a service file.
 * @param name name of the file, for messages
 * @throws {RemitError} SERVICE_FILE with file, line, key and what is allowed
 */
export function parseServiceFile(text: string, name: string): ServiceFile {
  let value: unknown;
  try {
    value = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch (cause) {
    throw refused(name, undefined, `is not JSON: ${(cause as Error).message}`, cause);
  }
  refuseDeep(value, name);
  const lines = keyLines(text);
  if (lines.repeated !== undefined)
    throw refused(name, {path: lines.repeated.path, line: lines.repeated.line}, 'occurs twice');
  return checkService(value, name, lines);
}

/** Checks a value that is a service file: a parsed one, or one stored in a profile. */
export function checkService(value: unknown, name: string, lines?: KeyLines): ServiceFile {
  refuseDeep(value, name);
  const issue = firstIssue(value, serviceSchema()) ?? issueWithin(value as ServiceFile);
  if (issue !== undefined)
    throw refused(name, {path: issue.path, line: lines?.lineOf(issue.path)}, issue.allowed);
  return withoutSchema(value as ServiceFile); // checked against the schema above
}

/** The deepest meaningful file has a request body in `bodies`; a thousand levels could not be stored and read again. */
const LEVELS = 32;

function refuseDeep(value: unknown, name: string): void {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > LEVELS) throw refused(name, undefined, `has more than ${LEVELS} levels of objects and lists`);
    level = level.flatMap((one) => (isList(one) ? one : isObject(one) ? Object.values(one) : []));
  }
}

/** The address of the schema, for editors. */
const withoutSchema = (file: ServiceFile): ServiceFile =>
  Object.fromEntries(Object.entries(file).filter(([name]) => name !== '$schema'));

/** Checks that involve more than one value, which no schema covers. */
function issueWithin(file: ServiceFile): Issue | undefined {
  return (
    issueInRoutes(file) ??
    issueInFields(file) ??
    issueInUnits(file) ??
    issueInStatuses(file) ??
    issueInHeaders(file) ??
    issueInErrors(file) ??
    issueInWebhooks(file)
  );
}

function issueInRoutes(file: ServiceFile): Issue | undefined {
  for (const id of Object.keys(file.routes ?? {}) as OperationId[]) {
    const {path} = routeOf(id, file);
    const known = paramsOf(findOperation(id)!.path); // the schema allows only known ids
    const other = paramsOf(path).find((name) => !known.includes(name));
    const at = ['routes', id];
    if (other !== undefined || paramsOf(path).length !== new Set(paramsOf(path)).size)
      return {
        path: at,
        allowed: `may have ${known.length === 0 ? 'no {parameter}' : `{${known.join('}, {')}}, each once`}`,
      };
    if (/[{}]/.test(path.replaceAll(/\{\w+\}/g, '')))
      return {path: at, allowed: 'has a { or } that is not closed'};
    if (path.startsWith('//') || hasDots(path))
      return {path: at, allowed: 'must begin with exactly one / and have no . or .. segments'};
  }
  for (const {id} of allOperations()) {
    if (file.bodies?.[id] === undefined) continue;
    if (requestFieldsOf(id).length > 0)
      return {path: ['bodies', id], allowed: `cannot be set: ${id} has fields of its own`};
    if (routeOf(id, file).method === 'GET')
      return {path: ['bodies', id], allowed: 'cannot be set: a GET has no body'};
  }
  for (const [name, prefix] of Object.entries(file.prefixes ?? {}))
    if (hasDots(prefix)) return {path: ['prefixes', name], allowed: 'must have no . or .. segments'};
  if (file.prefixes?.webhookEndpoints === '')
    return {
      path: ['prefixes', 'webhookEndpoints'],
      allowed: 'must not be empty: it is the whole path of a list',
    };
  const same = sameRoutes(file);
  if (same === undefined) return undefined;
  const [first, second] = same;
  const at = file.routes?.[second] !== undefined ? second : first;
  return {
    path: file.routes?.[at] === undefined ? ['prefixes'] : ['routes', at],
    allowed: `makes ${first} and ${second} the same request`,
  };
}

/** Segments that clients and servers resolve, so that another path would be requested. */
const hasDots = (path: string): boolean => path.split('/').some((part) => part === '.' || part === '..');

function issueInFields(file: ServiceFile): Issue | undefined {
  for (const [holder, names] of Object.entries(file.fields ?? {})) {
    const [resource = '', verb] = holder.split('.');
    const known = fieldsOf(resource, verb === undefined ? undefined : holder);
    const wires = new Map<string, string>();
    for (const [field, wire] of Object.entries(names)) {
      const path = ['fields', holder, field];
      const [first = ''] = field.split('.');
      if (!known.has(first))
        return {path, allowed: `is not a field of ${holder}; known: ${[...known].sort().join(', ')}`};
      const other = wires.get(wire);
      if (other !== undefined && !areApart(resource, field, other))
        return {path, allowed: `has the same name on the wire as ${other}`};
      wires.set(wire, field);
      const unit = `${resource}.${field}`;
      if (isAmountField(field) && field !== wire && file.units?.[unit] === undefined)
        return {
          path,
          allowed: `renames an amount, so its unit must be stated: add "units": {"${unit}": "minor" or "major"}`,
        };
    }
  }
  return undefined;
}

/**
 * `metadata` of a payout occurs only in its requests, `client_metadata` only in its answers, so both may have the
 * same name.
 */
function areApart(resource: string, a: string, b: string): boolean {
  const answers = new Set<string>(RECORD_FIELDS[resource as keyof typeof RECORD_FIELDS]); // the schema allows only known resources
  const requests = new Set(
    allOperations().flatMap(({id}) => (id.startsWith(`${resource}.`) ? requestFieldsOf(id) : [])),
  );
  const isIn = (set: ReadonlySet<string>) => set.has(a) && set.has(b);
  return !isIn(answers) && !isIn(requests);
}

function fieldsOf(resource: string, operation: string | undefined): Set<string> {
  const operations = allOperations().filter(({id}) =>
    operation === undefined ? id.startsWith(`${resource}.`) : id === operation,
  );
  const requests = operations.flatMap(({id, operation: {path}}) => [
    ...requestFieldsOf(id),
    ...paramsOf(path),
  ]);
  const answers = operation === undefined ? RECORD_FIELDS[resource as keyof typeof RECORD_FIELDS] : []; // the schema allows only known resources
  return new Set([...requests.map((field) => field.split('.')[0]!), ...answers]); // split returns at least one part
}

function issueInUnits(file: ServiceFile): Issue | undefined {
  for (const [name, unit] of Object.entries(file.units ?? {})) {
    const [resource = '', field = ''] = name.split('.');
    const path = ['units', name];
    if (!fieldsOf(resource, undefined).has(field)) return {path, allowed: `is not a field of ${resource}`};
    if (isAmountField(field) && !isAmountUnit(unit))
      return {path, allowed: 'is an amount, but has a unit for times'};
    if (isTimeField(field) && !isTimeUnit(unit))
      return {path, allowed: 'is a time, but has a unit for amounts'};
    if (!isAmountField(field) && !isTimeField(field))
      return {path, allowed: 'is neither an amount nor a time'};
  }
  return undefined;
}

function issueInStatuses(file: ServiceFile): Issue | undefined {
  for (const [resource, words] of Object.entries(file.statuses ?? {})) {
    const known = STATUSES_OF[resource];
    for (const [wire, status] of Object.entries(words))
      if (known !== undefined && !known.includes(status))
        return {path: ['statuses', resource, wire], allowed: `must be one of ${known.join(', ')}`};
  }
  return undefined;
}

const UUID_LENGTH = 36;

function issueInHeaders({headers, keys}: ServiceFile): Issue | undefined {
  const key = keys?.header?.toLowerCase();
  const own = Object.keys(headers?.send ?? {}).find(
    (name) => OWN_HEADERS.has(name.toLowerCase()) || name.toLowerCase() === key,
  );
  if (own !== undefined)
    return {path: ['headers', 'send', own], allowed: 'is a header that remit sets itself'};
  if (keys?.format === 'uuid' && (keys.maxLength ?? UUID_LENGTH) < UUID_LENGTH)
    return {path: ['keys', 'maxLength'], allowed: `must be at least ${UUID_LENGTH}, the length of a UUID`};
  if (key !== undefined && key !== 'idempotency-key' && OWN_HEADERS.has(key))
    return {path: ['keys', 'header'], allowed: 'is a header that remit uses for something else'};
  return undefined;
}

/** What the client takes for a code where no path names its place. */
const CODE = /^[A-Za-z][A-Za-z0-9_.-]{0,99}$/;

function issueInErrors({errors: {code, codes = {}} = {}}: ServiceFile): Issue | undefined {
  const odd = code === undefined ? Object.keys(codes).find((name) => !CODE.test(name)) : undefined;
  if (odd === undefined) return undefined;
  return {path: ['errors', 'codes', odd], allowed: 'does not look like a code; set errors.code to its place'};
}

function issueInWebhooks({webhooks = {}, fields}: ServiceFile): Issue | undefined {
  const {timestamp, timestampHeader, timestampPart, signaturePrefix, signed, secret, active} = webhooks;
  const at = (key: string, allowed: string): Issue => ({path: ['webhooks', key], allowed});
  if (timestampPart !== undefined && timestampHeader !== undefined)
    return at('timestampPart', 'cannot be set together with timestampHeader');
  if (timestampPart !== undefined && signaturePrefix === undefined)
    return at('timestampPart', 'needs signaturePrefix, which tells signatures from the timestamp');
  const isSigned = (signed ?? '{timestamp}').includes('{timestamp}');
  if (timestamp === 'none' && isSigned) return at('timestamp', 'is none, but {timestamp} is signed');
  if (timestamp !== 'none' && !isSigned)
    return at('signed', 'has no {timestamp}, so timestamp must be none: what is not signed can be forged');
  if (typeof active === 'object' && Object.keys(active).length < 3)
    return at('active', 'must have field, on and off');
  const own = fields?.['webhookEndpoints'] ?? {};
  if (secret !== undefined && own['signing_secret'] !== undefined)
    return at('secret', 'is also set by fields.webhookEndpoints.signing_secret');
  if (active !== undefined && own['is_active'] !== undefined)
    return at('active', 'is also set by fields.webhookEndpoints.is_active');
  return undefined;
}

function refused(
  name: string,
  at: {path: readonly string[]; line: number | undefined} | undefined,
  what: string,
  cause?: unknown,
): RemitError {
  const key = at === undefined ? undefined : at.path.join('.');
  const place = `${name}${at?.line === undefined ? '' : `:${at.line}`}`;
  return new RemitError(
    'SERVICE_FILE',
    `${place}: ${key === undefined || key === '' ? 'the file' : key} ${what}`,
    {
      cause,
      details: {file: name, line: at?.line ?? null, key: key ?? null},
    },
  );
}
