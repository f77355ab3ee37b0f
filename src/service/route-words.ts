import type {OperationId} from '../contract/operations/operations.ts';
import {isList, isObject, type Json} from '../narrow.ts';
import {lenientForm, routeOf} from './routes.ts';
import type {ServiceFile} from './service-file.ts';

/** How words begin with which services name an approval. */
const APPROVAL = /^(?:approv|releas|confirm|authori[sz]|execut)/i;
const LIKE_CANCELLATION = /^(?:cancel|void)/i;
/** The whole words of a cancel; others that begin alike may be something else, such as `cancel_hold`. */
const CANCELLATION = /^(?:cancel(?:s|ed|led)?|cancell?ations?|void(?:s|ed)?)$/i;
/** What a cancel may name besides: `void-payout`. */
const PAYMENT = /^(?:payout|payin|payment|transfer)s?$/i;

/** `cancel-payout`, `cancel_payout` and `cancelPayout` alike. */
const partsOf = (word: string): string[] =>
  word.split(/[-_.\s]|(?<=[a-z])(?=[A-Z])/).filter((part) => part !== '');

/** `canceled` and `cancel-payout`, but not `cancel-hold`. */
function isCancellation(word: string): boolean {
  const parts = partsOf(word);
  return (
    parts.some((part) => CANCELLATION.test(part)) &&
    parts.every((part) => CANCELLATION.test(part) || PAYMENT.test(part))
  );
}

/** Where a write says what it does: its last segment that is not a placeholder. */
const lastWordOf = (path: string): string =>
  path.split('/').findLast((part) => part !== '' && !part.startsWith('{')) ?? '';

/** What a body sets, at any depth: texts, and the names of flags; empty for anything else. */
const wordsIn = (value: Json, name = ''): string[] => {
  if (isList(value)) return value.flatMap((one) => wordsIn(one, name));
  if (isObject(value)) return Object.entries(value).flatMap(([inner, one]) => wordsIn(one, inner));
  return [typeof value === 'string' ? value : value === true ? name : ''];
};

/**
 * A word of another action in a route or a constant body: an approval that is sent as something else, or a cancel; and in
 * a cancel, a word that only begins like one.
 */
export function wordOfAnother(id: OperationId, {bodies, ...file}: ServiceFile): string | undefined {
  const isCancel = id.endsWith('.cancel');
  const isAnother = (word: string): boolean =>
    (!id.endsWith('.approve') && partsOf(word).some((part) => APPROVAL.test(part))) ||
    (partsOf(word).some((part) => LIKE_CANCELLATION.test(part)) && !(isCancel && isCancellation(word)));
  return [lastWordOf(routeOf(id, file).path), ...wordsIn(bodies?.[id] ?? {})].find(isAnother);
}

/**
 * Whether the request of a cancel says that it cancels, and nothing else: in the last word of its path, in everything that
 * its body sets, or as the DELETE of the record. A cancel of which this is not known may move money.
 */
export function saysCancel(id: 'payins.cancel' | 'payouts.cancel', file: ServiceFile): boolean {
  const {method, path} = routeOf(id, file);
  const body = file.bodies?.[id];
  const words = isObject(body) ? wordsIn(body) : [];
  if (!words.every(isCancellation)) return false;
  if (isCancellation(lastWordOf(path)) || words.length > 0) return true;
  const record = routeOf(id === 'payins.cancel' ? 'payins.get' : 'payouts.get', file);
  return !isObject(body) && method === 'DELETE' && lenientForm(path) === lenientForm(record.path);
}
