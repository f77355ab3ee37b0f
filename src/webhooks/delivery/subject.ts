import {idText} from '../../contract/ids.ts';
import {isObject, type Json} from '../../narrow.ts';

/**
 * The object that an event is about: `payout 5f0c6d3e-…`. Undefined if no `…_id` field of its data contains an id: a
 * sender may put any JSON there.
 */
export function subjectOf(event: Json): string | undefined {
  const data = isObject(event) && isObject(event['data']) ? event['data'] : {};
  for (const [name, value] of Object.entries(data)) {
    const id = name.endsWith('_id') ? idText(value) : undefined;
    if (id !== undefined) return `${name.slice(0, -'_id'.length)} ${id}`;
  }
  return undefined;
}
