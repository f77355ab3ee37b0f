import {cursorNameOf, orderOf} from '../../src/service/paging.ts';
import fc from 'fast-check';
import {requestFieldsOf} from '../../src/contract/origin/field-origins.ts';
import {allOperations} from '../../src/contract/operations/operations.ts';
import {RECORD_FIELDS} from '../../src/contract/operations/record-fields.ts';
import {RemitError} from '../../src/errors.ts';
import {checkService} from '../../src/service/file/parse.ts';
import {type Schema, serviceSchema, STATUSES_OF} from '../../src/service/file/schema.ts';
import {AMOUNT_UNITS, type ServiceFile, TIME_UNITS} from '../../src/service/service-file.ts';
import {isAmountField, isTimeField} from '../../src/service/units.ts';
import {seeded} from '../batch/harness.ts';

/**
 * A service file drawn from the published JSON Schema. Where the schema leaves names open, they come from the contract:
 * fields, statuses and the parameters of a path. A part that contradicts the others is left out.
 */
export function randomService(seed: number): ServiceFile {
  const random = seeded(seed);
  const share = random(); // of the keys; some files are nearly empty, others nearly whole
  let file: ServiceFile = {};
  for (const [name, schema] of shuffled(Object.entries(serviceSchema().properties ?? {}), random)) {
    if (name === '$schema') continue;
    for (let n = 0; n < 4; n++) {
      if (random() > share) continue;
      const next = merged(file, {[name]: partOf(name, schema, random)});
      if (isValid(next)) file = next;
    }
  }
  return file;
}

const RESOURCES = Object.keys(RECORD_FIELDS);
const OPERATIONS = allOperations();

function partOf(name: string, schema: Schema, random: () => number): unknown {
  if (name === 'routes') return drawRoute(random);
  if (name === 'fields') return drawField(random);
  if (name === 'filters') return drawFilter(random);
  if (name === 'units') return drawUnit(random);
  if (name === 'statuses') return drawStatus(random);
  return draw(schema, random);
}

/** A value that the schema allows; of an object, some of its properties. */
function draw(schema: Schema, random: () => number): unknown {
  if (schema.anyOf !== undefined) return draw(pick(schema.anyOf, random), random);
  if (schema.enum !== undefined) return pick(schema.enum, random);
  if (schema.type === 'integer') {
    const {minimum = 1, maximum = 100} = schema;
    return minimum + Math.floor(random() * (maximum - minimum + 1));
  }
  if (schema.type !== 'object') return text(schema.pattern ?? '^[a-z]{1,9}$', random);
  const own = Object.entries(schema.properties ?? {}).filter(() => random() < 0.5);
  const drawn: Record<string, unknown> = Object.fromEntries(
    own.map(([name, inner]) => [name, draw(inner, random)]),
  );
  if (typeof schema.additionalProperties === 'object' && schema.propertyNames !== undefined)
    drawn[String(draw(schema.propertyNames, random))] = draw(schema.additionalProperties, random);
  return drawn;
}

/** Strings drawn before, by pattern: drawing is slow, and names need not be new. */
const texts = new Map<string, string[]>();
function text(pattern: string, random: () => number): string {
  let known = texts.get(pattern);
  if (known === undefined)
    texts.set(pattern, (known = fc.sample(fc.stringMatching(new RegExp(pattern)), {seed: 1, numRuns: 60})));
  return pick(known, random);
}

const word = (random: () => number): string => pick(WORDS, random) + (random() < 0.3 ? '_x' : '');
const WORDS = 'alpha beta gamma delta kappa sigma omega state total party route label stamp kind flag'.split(
  ' ',
);

function drawRoute(random: () => number): Record<string, string> {
  const {id, operation} = pick(OPERATIONS, random);
  const method =
    operation.method === 'GET' || operation.method === 'DELETE'
      ? operation.method
      : pick(['POST', 'PUT', 'PATCH'], random);
  const params = [...operation.path.matchAll(/\{\w+\}/g)].map(([param]) => param);
  const kept = operation.method !== 'GET' || random() < 0.8 ? params : params.slice(1);
  return {[id]: `${method} /${[word(random), ...kept.flatMap((param) => [param, word(random)])].join('/')}`};
}

function drawField(random: () => number): unknown {
  const resource = pick(RESOURCES, random);
  const field = pick(fieldsOf(resource), random);
  if (field === undefined) return {};
  const path = random() < 0.7 ? word(random) : `${word(random)}.${word(random)}`;
  return {[resource]: {[field]: path}};
}

function drawFilter(random: () => number): unknown {
  const resource = pick(['payouts', 'payins'], random);
  const filter = pick(['status', 'created_from', 'created_to'], random);
  return {[resource]: {[filter]: random() < 0.3 ? false : word(random)}};
}

function drawUnit(random: () => number): Record<string, unknown> {
  const names = RESOURCES.flatMap((resource) => fieldsOf(resource).map((field) => ({resource, field})));
  const {resource, field} = pick(
    names.filter((one) => isAmountField(one.field) || isTimeField(one.field)),
    random,
  );
  return {
    [`${resource}.${field}`]: isAmountField(field) ? pick(AMOUNT_UNITS, random) : pick(TIME_UNITS, random),
  };
}

function drawStatus(random: () => number): Record<string, Record<string, string>> {
  const [resource, statuses] = pick(Object.entries(STATUSES_OF), random);
  return {[resource]: {[word(random).toUpperCase()]: pick(statuses, random)}};
}

export function fieldsOf(resource: string): string[] {
  const requests = OPERATIONS.flatMap(({id}) => (id.startsWith(`${resource}.`) ? requestFieldsOf(id) : []));
  const records = RECORD_FIELDS[resource as keyof typeof RECORD_FIELDS];
  return [...new Set([...requests.map((field) => field.split('.')[0]!), ...records])];
}

function isValid(file: ServiceFile): boolean {
  try {
    checkService(file, 'drawn');
  } catch (error) {
    if (error instanceof RemitError) return false;
    throw error;
  }
  return (
    RESOURCES.every((resource) => areApart(resource, file)) && arePagesApart(file) && areErrorsApart(file)
  );
}

/** No two fields have one place on the wire, and none is within another one. */
function areApart(resource: string, {fields, webhooks, envelopes, units}: ServiceFile): boolean {
  const active = typeof webhooks?.active === 'object' ? webhooks.active.field : webhooks?.active;
  const endpoint = {
    ...(webhooks?.secret === undefined ? {} : {signing_secret: webhooks.secret}),
    ...(active === undefined ? {} : {is_active: active}),
  };
  const own: Record<string, string> = {
    ...fields?.[resource],
    ...(resource === 'webhookEndpoints' ? endpoint : {}),
  };
  const renamed = Object.keys(own).some(
    (field) => isAmountField(field) && units?.[`${resource}.${field}`] === undefined,
  );
  const places = fieldsOf(resource).map((field) => own[field] ?? field);
  const record = envelopes?.record;
  const envelope = record === undefined ? [] : typeof record === 'string' ? [record] : Object.values(record);
  const beside = ['warning', 'data', ...envelope].filter((path) => path !== '');
  return (
    !renamed &&
    apart(places) &&
    !places.some(
      (place) =>
        beside.some((other) => isWithin(place, other) || isWithin(other, place)) && place !== 'warning',
    ) &&
    apart([...new Set(['warning', ...envelope.filter((path) => path !== '')])].slice(0, 2))
  );
}

function arePagesApart({envelopes = {}, paging = {}}: ServiceFile): boolean {
  const {list = 'data', next = 'next_cursor', more = 'has_more', total = 'total'} = envelopes;
  const {limit = 'limit'} = paging;
  const order = orderOf(paging);
  const cursor = cursorNameOf(paging);
  const queries = [cursor, limit, order.name ?? 'order'];
  const fields = RESOURCES.flatMap(fieldsOf);
  const isDistinct = order.asc === undefined || order.asc !== order.desc;
  return (
    isDistinct &&
    (order.asc === undefined) === (order.desc === undefined) &&
    (typeof list === 'string' ? [list] : ['data', ...Object.values(list)]).every((items) =>
      apart([items, next, more, total]),
    ) &&
    apart(queries) &&
    !queries.some((name) => fields.includes(name) && !['cursor', 'limit', 'order'].includes(name))
  );
}

const areErrorsApart = ({errors = {}}: ServiceFile): boolean =>
  apart([errors.code ?? 'error_code', errors.message ?? 'message', errors.details ?? 'details']);

const apart = (paths: readonly string[]): boolean =>
  paths.every((one, at) => paths.every((other, then) => at === then || !isWithin(one, other)));
const isWithin = (a: string, b: string): boolean => a === b || a.startsWith(`${b}.`);

function pick<T>(from: readonly T[], random: () => number): T {
  return from[Math.floor(random() * from.length)]!; // never empty
}

const shuffled = <T>(from: readonly T[], random: () => number): T[] =>
  from
    .map((one) => ({one, at: random()}))
    .sort((a, b) => a.at - b.at)
    .map(({one}) => one);

function merged(a: object, b: object): object {
  const both = Object.entries(b).map(([name, value]: [string, unknown]): [string, unknown] => {
    const other: unknown = Object.entries(a).find(([key]) => key === name)?.[1];
    const isPart = (part: unknown): part is object => typeof part === 'object' && part !== null;
    return [name, isPart(other) && isPart(value) ? merged(other, value) : value];
  });
  return {...a, ...Object.fromEntries(both)};
}
