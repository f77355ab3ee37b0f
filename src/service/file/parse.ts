import {allOperations} from '../../contract/operations/operations.ts';
import {recordFieldsOf} from '../../contract/operations/record-fields.ts';
import {requestFieldsOf} from '../../contract/origin/field-origins.ts';
import {RemitError} from '../../errors.ts';
import {isList, isObject, type JsonValue, messageOf, parseJson} from '../../narrow.ts';
import {issueInHeaders, issueInWebhooks} from './header-issues.ts';
import {isMethodParameter, READ_AS_METHOD} from './own-headers.ts';
import {keyLines, type KeyLines} from './lines.ts';
import {cursorNameOf, orderOf} from '../paging.ts';
import {firstPart} from '../paths.ts';
import {issueInPlaces} from './place-issues.ts';
import {issueInRoutes} from './route-issues.ts';
import {paramsOf} from '../routes.ts';
import {serviceSchema} from './schema.ts';
import type {ServiceFile} from '../service-file.ts';
import {isAmountField, isAmountUnit, isTimeField, isTimeUnit} from '../units.ts';
import {firstIssue, type SchemaIssue} from './validate.ts';
import {
  issueInEnvelopes,
  issueInErrors,
  issueInNames,
  issueInPaging,
  issueInStatuses,
} from './word-issues.ts';

/**
 * Parses a service file.
 * @param name name of the file, for messages
 * @throws {RemitError} SERVICE_FILE with file, line, key and what is allowed
 */
export function parseServiceFile(text: string, name: string): ServiceFile {
  let value: JsonValue;
  try {
    value = parseJson(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch (cause) {
    throw refused(name, undefined, `is not JSON: ${messageOf(cause)}`, cause);
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

function refuseDeep(value: unknown, name: string, depth = 0): void {
  if (depth > LEVELS) throw refused(name, undefined, `has more than ${LEVELS} levels of objects and lists`);
  for (const inner of isList(value) ? value : isObject(value) ? Object.values(value) : [])
    refuseDeep(inner, name, depth + 1);
}

/** The address of the schema, for editors. */
const withoutSchema = (file: ServiceFile): ServiceFile =>
  Object.fromEntries(Object.entries(file).filter(([name]) => name !== '$schema'));

/** Checks that involve more than one value, which no schema covers. */
function issueWithin(file: ServiceFile): SchemaIssue | undefined {
  return (
    issueInNames(file) ??
    issueInRoutes(file) ??
    issueInFields(file) ??
    issueInPlaces(file) ??
    issueInFilters(file) ??
    issueInUnits(file) ??
    issueInStatuses(file) ??
    issueInErrors(file) ??
    issueInEnvelopes(file) ??
    issueInPaging(file) ??
    issueInHeaders(file) ??
    issueInWebhooks(file)
  );
}

function issueInFields(file: ServiceFile): SchemaIssue | undefined {
  for (const [holder, names] of Object.entries(file.fields ?? {})) {
    const [resource = '', verb] = holder.split('.');
    const known = fieldsOf(resource, verb === undefined ? undefined : holder);
    const wires = new Map<string, string>();
    for (const [field, wire] of Object.entries(names)) {
      const path = ['fields', holder, field];
      const [first = ''] = field.split('.');
      if (!known.has(first))
        return {
          path,
          allowed: known.has(wire)
            ? `is the wrong way round: the name in remit comes first, then the name at the service; write "${wire}": "${field}"`
            : `is not a field of ${holder}; known: ${[...known].sort().join(', ')}`,
        };
      if (first !== 'auto_approve' && wire.split('.').includes('auto_approve'))
        return {path, allowed: 'cannot be auto_approve: the service could read the value as an approval'};
      if (isMethodParameter(wire)) return {path, allowed: READ_AS_METHOD};
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

function issueInFilters(file: ServiceFile): SchemaIssue | undefined {
  for (const [resource, names] of Object.entries(file.filters ?? {})) {
    const lists = allOperations().filter(
      ({id, operation}) => id.startsWith(`${resource}.`) && operation.pages === 'cursor',
    );
    const known = lists.flatMap(({id}) => requestFieldsOf(id));
    const {limit = 'limit'} = file.paging ?? {};
    const order = orderOf(file.paging).name ?? 'order';
    const taken = new Set<string | false>([cursorNameOf(file.paging), limit, order]);
    for (const [filter, wire] of Object.entries(names)) {
      const path = ['filters', resource, filter];
      if (known.length === 0) return {path, allowed: `cannot be set: lists of ${resource} have no filters`};
      if (!known.includes(filter))
        return {path, allowed: `is not a filter of ${resource}; known: ${[...new Set(known)].join(', ')}`};
      if (wire !== false && isMethodParameter(wire)) return {path, allowed: READ_AS_METHOD};
      if (taken.has(wire)) return {path, allowed: `is the same as another parameter (${wire})`};
      if (wire !== false) taken.add(wire);
    }
  }
  return undefined;
}

/**
 * `metadata` of a payout occurs only in its requests, `client_metadata` only in its answers, so both may have the
 * same name.
 */
function areApart(resource: string, a: string, b: string): boolean {
  const answers = new Set(recordFieldsOf(resource));
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
  const answers = operation === undefined ? recordFieldsOf(resource) : [];
  return new Set([...requests.map(firstPart), ...answers]);
}

function issueInUnits(file: ServiceFile): SchemaIssue | undefined {
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
