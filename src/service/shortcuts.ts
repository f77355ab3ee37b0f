import {findOperation} from './routes.ts';
import type {ServiceFile} from './service-file.ts';

/** A service file with another route for one operation; omitted parts are as in the contract. */
export function withRoute(
  file: ServiceFile,
  id: string,
  {method, path}: {readonly method?: string | undefined; readonly path?: string | undefined},
): ServiceFile {
  const declared = findOperation(id);
  const route = `${(method ?? declared?.method ?? 'POST').toUpperCase()} ${path ?? declared?.path ?? '/'}`;
  return {...file, routes: {...file.routes, [id]: route}};
}

/**
 * A service file with another name for one field: `payouts.create.metadata`, or `payouts.amount_in_minor_units` for
 * requests and answers. A plain name for a field within an object stays in that object.
 */
export function withField(file: ServiceFile, name: string, wire: string): ServiceFile {
  const [holder, field] = splitName(name);
  const parents = field.split('.').slice(0, -1);
  const path = wire.includes('.') ? wire : [...parents, wire].join('.');
  return {...file, fields: {...file.fields, [holder]: {...file.fields?.[holder], [field]: path}}};
}

/** A service file without the settings of these routes and fields; parts that become empty are removed. */
export function without(
  file: ServiceFile,
  names: {readonly routes: readonly string[]; readonly fields: readonly string[]},
): ServiceFile {
  const gone = new Set(names.fields.map((name) => splitName(name).join(' ')));
  const fields = Object.entries(file.fields ?? {}).map(
    ([holder, own]) => [holder, omit(own, (field) => gone.has(`${holder} ${field}`))] as const,
  );
  const left = {
    ...file,
    routes: omit(file.routes ?? {}, (id) => names.routes.includes(id)),
    fields: Object.fromEntries(fields.filter(([, own]) => Object.keys(own).length > 0)),
  };
  return Object.fromEntries(
    Object.entries(left).filter(([, part]) => typeof part !== 'object' || Object.keys(part).length > 0),
  );
}

/**
 * `payouts.create.metadata`: the operation (or the resource, if the second word is not one of its verbs), and the
 * field.
 */
function splitName(name: string): [holder: string, field: string] {
  const [resource = '', verb = '', ...rest] = name.split('.');
  return findOperation(`${resource}.${verb}`) !== undefined && rest.length > 0
    ? [`${resource}.${verb}`, rest.join('.')]
    : [resource, [verb, ...rest].join('.')];
}

const omit = <T>(record: Readonly<Record<string, T>>, isGone: (name: string) => boolean): Record<string, T> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !isGone(name)));
