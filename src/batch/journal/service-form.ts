import {createHash} from 'node:crypto';
import {requestFieldsOf} from '../../contract/origin/field-origins.ts';
import {isCredentialHeader} from '../../service/credential-headers.ts';
import {firstPart} from '../../service/paths.ts';
import {operationOf, routeOf} from '../../service/routes.ts';
import type {ServiceFile} from '../../service/service-file.ts';
import type {RequestForm} from './facts.ts';
import type {Journal} from './journal.ts';
import {type Kind, KINDS} from '../model/kinds.ts';

/** Units of amounts and times that need no conversion. */
const USUAL_UNITS: ReadonlySet<string> = new Set(['minor', 'iso']);

/**
 * The route and the fields of a create, as far as a service file sets them. The metadata field is not included; a batch
 * is bound to it separately.
 */
export function requestForm(kind: Kind, service: ServiceFile): RequestForm {
  const {topic, operations} = KINDS[kind];
  const {create} = operations;
  const fields = new Set(requestFieldsOf(create));
  const isSent = (path: string) => path !== 'metadata' && fields.has(firstPart(path));
  const {method, path} = routeOf(create, service);
  const usual = operationOf(create);
  const isUsual = method === usual.method && path === usual.path;
  const body = service.bodies?.[create];
  return Object.fromEntries([
    ...(isUsual ? [] : [[routeKey(kind), `${method} ${path}`] as const]),
    ...(body === undefined ? [] : [[`bodies.${create}`, JSON.stringify(body)] as const]),
    ...sorted({...service.fields?.[topic], ...service.fields?.[create]})
      .filter(([field, name]) => isSent(field) && name !== field)
      .map(([field, name]) => [`fields.${topic}.${field}`, name] as const),
    ...sorted(service.units ?? {})
      .filter(([name, unit]) => isOf(topic, name) && isSent(fieldOf(name)) && !USUAL_UNITS.has(unit))
      .map(([name, unit]) => [`units.${name}`, unit] as const),
  ]);
}

/**
 * The headers that a service file adds, by name, each with a fingerprint of its value: a value may be a secret, and the
 * journal stores none. Of a credential only the name counts.
 */
export function headersForm({headers}: ServiceFile): RequestForm {
  const lower = Object.entries(headers?.send ?? {}).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  return Object.fromEntries(
    sorted(Object.fromEntries(lower)).map(([name, value]) => [
      name,
      isCredentialHeader(name) ? 'any' : createHash('sha256').update(value).digest('hex').slice(0, 16),
    ]),
  );
}

export const routeKey = (kind: Kind): string => `routes.${KINDS[kind].operations.create}`;

/**
 * The settings of a service file that decide how the record of a row is compared with it: empty for a service that
 * follows the contract.
 */
function readingOf(kind: Kind, {fields = {}, units = {}, envelopes = {}, metadata}: ServiceFile): string {
  const {topic, party, operations} = KINDS[kind];
  const compared = new Set([...COMPARED, party]);
  const isCompared = (path: string) => compared.has(firstPart(path));
  const {record} = envelopes;
  const envelope = typeof record === 'object' ? record[operations.create] : record;
  const reading = {
    fields: sorted(fields[topic] ?? {}).filter(([field, name]) => isCompared(field) && name !== field),
    units: sorted(units).filter(([name]) => isOf(topic, name) && isCompared(fieldOf(name))),
    envelope,
    reference: metadata?.reference,
  };
  const isUsual = reading.fields.length + reading.units.length === 0;
  return isUsual && envelope === undefined && reading.reference === undefined ? '' : JSON.stringify(reading);
}

const COMPARED = [
  'amount_in_minor_units',
  'amount_in_cents',
  'currency_code',
  'rail',
  'subaccount_id',
  'client_metadata',
];

/**
 * Whether the service file has changed since the records of the batch were compared with their rows: they must be read
 * again before any of them is released.
 */
export const mustReadAgain = (journal: Journal, kind: Kind, service: ServiceFile): boolean =>
  (journal.fact('reading') ?? '') !== readingOf(kind, service);

/** All records of the batch were compared with their rows under this service file. */
export function noteReading(journal: Journal, kind: Kind, service: ServiceFile): void {
  if (mustReadAgain(journal, kind, service)) journal.setFact('reading', readingOf(kind, service));
}

const sorted = (object: Readonly<Record<string, string>>): [string, string][] =>
  Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1));

const isOf = (topic: string, name: string): boolean => name.startsWith(`${topic}.`);
const fieldOf = (name: string): string => name.slice(name.indexOf('.') + 1);
