import {readJsonExactly} from '../../json/exact.ts';
import {type Loss, lossesIn, MOST_LEVELS} from '../../json/losses.ts';
import type {JsonValue} from '../../narrow.ts';
import {cleanLine} from '../../sanitize/harmful.ts';
import {readJson} from '../verify/event.ts';

export interface ReadBody {
  /** The body as JSON, with the digits of each number as they were sent; null if it is not JSON, or nested too deeply. */
  body: JsonValue;
  lost: Loss[];
}

/**
 * Finds what the parsed form of a verified body does not show.
 * @param json the bytes as JSON, if they were parsed before
 */
export function readBody(bytes: Uint8Array, json = readJson(bytes)): ReadBody {
  if (json === undefined) return {body: null, lost: []};
  const lost = lossesIn(json.text);
  const kinds = new Set(lost.map(({kind}) => kind));
  if (kinds.has('too_deep')) return {body: null, lost};
  return {body: kinds.has('number') ? readJsonExactly(json.text) : json.value, lost};
}

/** One line for each loss, for people. */
export function lossText({path: sentPath, kind, sent}: Loss): string {
  const path = cleanLine(sentPath); // its names come from the sender
  if (kind === 'too_deep')
    return `the body is nested more than ${MOST_LEVELS} levels deep, and is not shown as JSON`;
  if (kind === 'duplicate_key') return `${path} occurs more than once: the last value counts`;
  return `${path} was sent as ${sent}: most programs read ${Number(sent)}`;
}
