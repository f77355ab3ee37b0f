import {unwrapRecord} from './envelope.ts';
import {isSameId} from '../../contract/ids.ts';
import {isList, isObject, type JsonFields, type Json} from '../../narrow.ts';
import {objectIn} from '../../service/paths.ts';
import type {Sanitizer} from '../../sanitize/sanitizer.ts';
import type {Answer} from './answer.ts';

/** Whether a success answer contains what was requested. If not, the answer is treated as lost. */
export type Readable = (answer: Answer<Json>) => boolean;

const isJson: Readable = (answer) => answer.json !== undefined;

/** A write that returns no record: an empty body is fine, but a page of HTML does not come from the service. */
export const isAcknowledged: Readable = (answer) => answer.json !== undefined || answer.empty === true;

/** A deletion: as a write that returns no record, unless the service denies it. */
export const isDeleted: Readable = (answer) => {
  const record = unwrapRecord(answer.json);
  return isAcknowledged(answer) && !(isObject(record) && record['deleted'] === false);
};

/**
 * The answer to a create must have a usable id, otherwise the record would be lost. Everything else may be
 * unexpected.
 */
export const holdsRecord =
  (sanitizer: Sanitizer): Readable =>
  (answer) => {
    const record = unwrapRecord(answer.json);
    return isObject(record) && isUsableId(record['id'], sanitizer);
  };

/** Four times the length of a UUID. */
const LONGEST_ID = 144;

/**
 * Whether an id can be shown, typed as an argument and put into a path. The interface document promises a UUID; any
 * visible ASCII is accepted unless it would be masked or read as a flag.
 */
export const isUsableId = (id: Json, sanitizer: Sanitizer): id is string =>
  typeof id === 'string' &&
  /^[!-,.-~][!-~]*$/.test(id) &&
  id.length <= LONGEST_ID &&
  !/^\.{1,2}$/.test(id) &&
  sanitizer.token(id) === id;

/**
 * A record that was read by its id must not have another id, and must not be inside another object; the interface
 * document does not promise that it has an id.
 */
export const isRecord =
  (asked: string | undefined): Readable =>
  (answer) =>
    isJson(answer) && otherIdIn(answer.json, asked) === undefined && !isWrapped(answer.json, asked);

/** Whether the answer has no id at its place, but contains the record with the requested id. */
function isWrapped(json: Json, asked: string | undefined): boolean {
  const record = unwrapRecord(json);
  if (asked === undefined || !isObject(record) || record['id'] !== undefined) return false;
  const isAsked = ({id}: JsonFields): boolean => typeof id === 'string' && isSameId(id, asked);
  return objectIn(record, isAsked) !== undefined;
}

/** The id of the record, if it is not the requested one. */
export function otherIdIn(json: Json, asked: string | undefined): string | undefined {
  const record = unwrapRecord(json);
  if (asked === undefined || !isObject(record)) return undefined;
  const id = record['id'] || asked; // an empty id does not count
  if (typeof id !== 'string') return typeof id;
  return isSameId(id, asked) ? undefined : id;
}

/** Whether it is the record with this id. */
export const isRecordOf = (record: Json, id: string): boolean =>
  isObject(record) && typeof record['id'] === 'string' && isSameId(record['id'], id);

/** Whether a page of a list has the record with this id. */
export function hasRecord(page: Json, id: string): boolean {
  const items = isObject(page) ? page['data'] : page;
  return isList(items) && items.some((item) => isRecordOf(item, id));
}
