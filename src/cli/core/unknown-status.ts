import type {Lifecycle} from '../../contract/lifecycle.ts';
import {plainValue} from '../../output/records/view.ts';
import type {ServiceRecord} from '../../client/answers/record.ts';

/** Records of a resource, as a service file names it. */
export interface Tracked {
  readonly resource: string;
  readonly lifecycle: Lifecycle;
}

/**
 * What a status that the contract does not have calls for: such a status ends no wait, and the service file can map it.
 * The end of a sentence about the record: `has no status; …`. Undefined for all others.
 */
export function unknownStatus({lifecycle, resource}: Tracked, record: ServiceRecord): string | undefined {
  const {status} = record;
  const set = (key: string) => `if this service differs, set ${key} in the service file`;
  if (status === undefined) return `has no status; ${set(`fields.${resource}.status`)}`;
  if (Object.hasOwn(lifecycle.next, status)) return undefined;
  const known = Object.keys(lifecycle.next).join(', ');
  const key = `statuses.${resource}.${plainValue(status)}`;
  return `is ${plainValue(status)}, which remit does not know; ${set(key)} to one of ${known}`;
}

/** Warns about each such status as soon as it is seen, and once. */
export function statusWatch(
  {out}: {out: {warn: (text: string) => void}},
  tracked: Tracked,
  until: string | undefined,
): (what: string, record: ServiceRecord) => void {
  const told = new Set<string>();
  return (what, record) => {
    if (until !== undefined && record.status === until) return;
    const words = unknownStatus(tracked, record);
    if (words === undefined || told.has(words)) return;
    told.add(words);
    out.warn(`${what} ${words}. Still waiting`);
  };
}
