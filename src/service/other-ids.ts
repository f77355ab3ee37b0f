import {isUuid} from '../contract/ids.ts';
import {isList, isObject, type Json} from '../narrow.ts';

const OWN = /^id_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;
const NO_RECORD = '00000000-0000-4000-8000-000000000000';

/** Ids of a sandbox whose service file allows ids that are not UUIDs: `id_` and the digits of the UUID. */
export const ownId = (text: string): string =>
  isUuid(text) ? `id_${text.replaceAll('-', '').toLowerCase()}` : text;

/** The id of the contract; a UUID is an id that no record has. */
export const canonicalId = (text: string): string =>
  isUuid(text) ? NO_RECORD : text.replace(OWN, '$1-$2-$3-$4-$5');

export const pathWithUsualIds = (path: string): string => path.split('/').map(canonicalId).join('/');
export const queryWithUsualIds = (query: URLSearchParams): URLSearchParams =>
  new URLSearchParams(
    [...query].map(([name, value]): [string, string] => [name, isIdName(name) ? canonicalId(value) : value]),
  );

const isIdName = (name: string): boolean => name === 'id' || name.endsWith('_id');

/** A body with other ids. Metadata belongs to the client and stays as it is. */
export function mapIds(value: Json, map: (id: string) => string): Json {
  if (isList(value)) return value.map((item) => mapIds(item, map));
  if (!isObject(value)) return value;
  const mapped = Object.entries(value).map(([name, inner]): [string, Json] => {
    if (name === 'metadata' || name === 'client_metadata') return [name, inner];
    return [name, isIdName(name) && typeof inner === 'string' ? map(inner) : mapIds(inner, map)];
  });
  return Object.fromEntries(mapped);
}
