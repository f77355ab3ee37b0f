import type {OperationId} from '../contract/operations/operations.ts';
import {recordFieldsOf} from '../contract/operations/record-fields.ts';
import {requestFieldsOf} from '../contract/origin/field-origins.ts';
import type {Mapping, Name, Words} from './mapping.ts';
import {firstPart, type Path, pathOf} from './paths.ts';
import {operationOf, paramsOf, patternOf, type Route, routeOf} from './routes.ts';
import {filtersHere, itemsPathOf} from './paging.ts';
import type {BodyRule, ServiceFile} from './service-file.ts';

/** Everything known about an operation at a service, prepared once. */
export interface Compiled {
  readonly id: OperationId;
  readonly canonical: Route;
  readonly wire: Route;
  readonly canonicalPattern: RegExp;
  readonly wirePattern: RegExp;
  /** Whether the path of the contract has parameters. */
  readonly hasParams: boolean;
  /** Parameters of the path on the wire. */
  readonly wireParams: readonly string[];
  readonly isList: boolean;
  /** A list that has an order. */
  readonly isSorted: boolean;
  /** Filters that are not sent. */
  readonly unsent: readonly string[];
  readonly body: BodyRule | undefined;
  readonly request: Mapping;
  /** What a canonical body must not have, because the service would read a field of another name in it. */
  readonly foreign: readonly ForeignPlace[];
  readonly answer: Mapping;
  /** The id of a record, under its name on the wire. */
  readonly idOnWire: Path;
  /** Where the record is in an answer, in the contract and on the wire. */
  readonly canonicalRecord: Path;
  readonly wireRecord: Path | undefined;
  /** Path to the items of a list on the wire; undefined unless the service file sets it. */
  readonly wireItems: string | undefined;
}

/** Where the service has a field that remit knows by another name, and the contract has none. */
export interface ForeignPlace extends Name {
  /** The wire path, or the first part of it that is not a field of the contract. */
  readonly place: Path;
}

export function compile(id: OperationId, file: ServiceFile): Compiled {
  const operation = operationOf(id);
  const wire = routeOf(id, file);
  const {method, path} = operation;
  const isList = operation.pages === 'cursor' || id === 'eventTypes.list';
  const envelope = file.envelopes?.record;
  const record = typeof envelope === 'string' ? envelope : envelope?.[id];
  const request = mappingOf(id, file, 'request');
  const answer = mappingOf(id, file, 'answer');
  const idName = answer.names.flat().find(({canonical}) => canonical.join('.') === 'id');
  return {
    id,
    wire,
    isList,
    isSorted: operation.pages === 'cursor',
    canonical: {method, path},
    body: file.bodies?.[id],
    unsent: isList ? filtersHere(id, file) : [],
    canonicalPattern: patternOf(path),
    wirePattern: patternOf(wire.path),
    hasParams: paramsOf(path).length > 0,
    wireParams: paramsOf(wire.path),
    ...{request, foreign: foreignPlaces(id, request)},
    ...{answer, idOnWire: idName?.wire ?? ['id']},
    canonicalRecord: Object.values(operation.ok).some((name) => name === 'MoveEnvelope') ? ['data'] : [],
    wireRecord: record === undefined ? undefined : pathOf(record),
    wireItems: itemsPathOf(id, file),
  };
}

/**
 * What differs in the requests or answers of an operation. A field counts if the contract has it there: `metadata` of
 * a payout is a request field, and its answer has `client_metadata`.
 */
function mappingOf(id: OperationId, file: ServiceFile, side: 'request' | 'answer'): Mapping {
  const [resource = ''] = id.split('.');
  const {fields = {}, units = {}, statuses = {}, metadata} = file;
  const known = new Set(side === 'request' ? requestFieldsOf(id) : recordFieldsOf(resource));
  const isHere = (field: string) => known.has(firstPart(field));
  const params = side === 'request' ? paramsOf(operationOf(id).path) : [];
  const names = {
    ...fields[resource],
    ...(resource === 'webhookEndpoints' ? endpointNames(file) : {}),
    ...(side === 'request' ? fields[id] : {}),
  };
  if (side === 'request' && operationOf(id).pages === 'cursor') {
    // A field of the records and the filter by it have separate names.
    for (const name of Object.keys(names)) if (!params.includes(name)) delete names[name];
    Object.assign(names, fields[id], filterNames(resource, file));
  }
  const own = Object.entries(units).filter(([name]) => name.startsWith(`${resource}.`));
  const given = Object.hasOwn(statuses, resource) ? statuses[resource] : undefined;
  const words =
    given !== undefined
      ? wordsOf(resource, given)
      : resource === 'webhookEndpoints'
        ? activeWords(file)
        : undefined;
  const holder = side === 'request' ? 'metadata' : 'client_metadata';
  const isTransfer = resource === 'payins' || resource === 'payouts';
  return {
    names: inLevels(
      Object.entries(names)
        .filter(([field, wire]) => field !== wire && (isHere(field) || params.includes(field)))
        .map(([field, wire]) => ({canonical: pathOf(field), wire: pathOf(wire)})),
    ),
    units: own
      .map(([name, unit]) => ({field: name.slice(resource.length + 1), unit}))
      .filter(({field}) => isHere(field)),
    words: words !== undefined && known.has(words.field) ? [words] : [],
    reference:
      isTransfer && metadata?.reference !== undefined && known.has(holder)
        ? {holder, key: metadata.reference}
        : undefined,
  };
}

function foreignPlaces(id: OperationId, {names}: Mapping): ForeignPlace[] {
  const fields = requestFieldsOf(id);
  const isKnown = (path: Path) =>
    fields.some((field) => field === path.join('.') || field.startsWith(`${path.join('.')}.`));
  return names.flat().flatMap((name) => {
    const places = name.wire.map((_, at) => name.wire.slice(0, at + 1));
    const place = places.find((path) => !isKnown(path));
    return place === undefined ? [] : [{...name, place}];
  });
}

function filterNames(resource: string, {filters = {}}: ServiceFile): Record<string, string> {
  const own = Object.hasOwn(filters, resource) ? (filters[resource] ?? {}) : {};
  const sent = Object.entries(own).filter((entry): entry is [string, string] => entry[1] !== false);
  return Object.fromEntries(sent);
}

/** Where the secret and the active flag of an endpoint are. */
function endpointNames({webhooks: {secret, active} = {}}: ServiceFile): Record<string, string> {
  const flag = typeof active === 'object' ? active.field : active;
  return {
    ...(secret === undefined ? {} : {signing_secret: secret}),
    ...(flag === undefined ? {} : {is_active: flag}),
  };
}

function activeWords({webhooks: {active} = {}}: ServiceFile): Words | undefined {
  if (typeof active !== 'object') return undefined;
  const {on, off} = active;
  const toWire = new Map([
    [true, on],
    [false, off],
  ]);
  const toCanonical = new Map([
    [on, true],
    [off, false],
  ]);
  return {field: 'is_active', toWire, toCanonical};
}

function inLevels(names: readonly Name[]): Name[][] {
  const levels: Name[][] = [];
  for (const name of names) (levels[name.canonical.length] ??= []).push(name);
  return levels.filter((level) => level !== undefined).reverse(); // levels without names are holes in the array
}

function wordsOf(resource: string, words: Readonly<Record<string, string>>): Words {
  const toWireWord = new Map<string, string>();
  for (const [wire, canonical] of Object.entries(words))
    if (!toWireWord.has(canonical)) toWireWord.set(canonical, wire);
  return {
    field: resource.endsWith('PaymentMethods') ? 'verification_status' : 'status',
    toCanonical: new Map(Object.entries(words)),
    toWire: toWireWord,
  };
}
