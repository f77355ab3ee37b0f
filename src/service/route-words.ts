import type {OperationId} from '../contract/operations/operations.ts';
import {isObject, type JsonObject} from '../narrow.ts';
import {lenientForm, routeOf} from './routes.ts';
import type {ServiceFile} from './service-file.ts';

/** Words with which services name an approval. */
const APPROVAL = /^(?:approv|releas|confirm|authori[sz]|execut)/i;
const CANCELLATION = /^(?:cancel|void)/i;

/** Where a write says what it does: the words of its last segment that is not a placeholder. */
const lastWordsOf = (path: string): string[] =>
  (path.split('/').findLast((part) => part !== '' && !part.startsWith('{')) ?? '').split('.');

/** What a body sets: the text of a field, or the name of a flag; empty for anything else. */
const wordsIn = (body: JsonObject): string[] =>
  Object.entries(body).map(([name, value]) =>
    typeof value === 'string' ? value : value === true ? name : '',
  );

/** A word of another action: an approval that is sent as a cancel, or the reverse. */
export function wordOfAnother(id: OperationId, {bodies, ...file}: ServiceFile): string | undefined {
  const body = bodies?.[id];
  return [...lastWordsOf(routeOf(id, file).path), ...(isObject(body) ? wordsIn(body) : [])].find(
    (word) =>
      (APPROVAL.test(word) && !id.endsWith('.approve')) ||
      (CANCELLATION.test(word) && !id.endsWith('.cancel')),
  );
}

/**
 * Whether the request of a cancel says that it cancels: in the last word of its path, in everything that its body sets, or
 * as the DELETE of the record. A cancel of which this is not known may move money.
 */
export function saysCancel(id: 'payins.cancel' | 'payouts.cancel', file: ServiceFile): boolean {
  const {method, path} = routeOf(id, file);
  const body = file.bodies?.[id];
  if (lastWordsOf(path).some((word) => CANCELLATION.test(word))) return true;
  if (!isObject(body)) {
    const record = routeOf(id === 'payins.cancel' ? 'payins.get' : 'payouts.get', file);
    return method === 'DELETE' && lenientForm(path) === lenientForm(record.path);
  }
  const words = wordsIn(body);
  return words.length > 0 && words.every((word) => CANCELLATION.test(word));
}
