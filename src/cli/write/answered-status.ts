import type {Result} from '../../client/requests/resource.ts';
import type {Lifecycle} from '../../contract/lifecycle.ts';
import {plainValue} from '../../output/records/view.ts';
import {endedAs} from '../../phrases.ts';
import {type Tracked, unknownStatus} from '../core/unknown-status.ts';
import {withDoctor} from '../core/way-out.ts';
import type {Context} from '../core/context.ts';
import type {ServiceRecord} from '../../client/answers/record.ts';

/** The intended effect of a write on a record that has a lifecycle. */
export type Meant = 'created' | 'approved' | 'canceled';

/** The record of a write, and the HTTP status; with 202 the service continues, so the record's own may still change. */
type Answered = Pick<Result<ServiceRecord>, 'data' | 'status'>;

/** Whether an approval left a record as it was created. */
export const isStillCreated = (meant: Meant, {initial}: Lifecycle, {data, status}: Answered): boolean =>
  meant === 'approved' && status !== 202 && data.status === initial;

/**
 * How the status in the answer to a write differs from the intended one; undefined if it does not. A status that is
 * missing or unknown proves neither an approval nor a cancellation, and a missing one not even that a new record waits
 * for an approval.
 * @param isNew no earlier request can have approved the record
 */
export function unintendedStatus(
  meant: Meant,
  {noun, isNew, ...tracked}: Tracked & {noun: string; isNew: boolean},
  {data: record, status: http}: Answered,
): string | undefined {
  const {status} = record;
  if (isContinuing(http, status)) return undefined;
  const known = status !== undefined && Object.hasOwn(tracked.lifecycle.next, status);
  if (meant === 'canceled')
    return status !== undefined && /^cancell?ed$/i.test(status)
      ? undefined
      : `the ${noun} was not canceled: its status is ${status === undefined ? 'unknown' : plainValue(status)}`;
  if (status === 'failed' || status === 'canceled') return `the ${noun} ${endedAs(status)}`;
  if (meant === 'approved')
    return known
      ? undefined
      : `whether the ${noun} was approved is unknown: it ${withoutStatus(tracked, record)}`;
  if (status === undefined)
    return `the ${noun} was created, but whether it needs an approval is unknown: it ${withoutStatus(tracked, record)}`;
  return isNew && known && status !== tracked.lifecycle.initial
    ? `the ${noun} is ${status}, although no approval was requested: the service approved it by itself`
    : undefined;
}

/** With 202 the service continues, so that any status may be right; a missing one is still unknown. */
export const isContinuing = (http: number, status: string | undefined): boolean =>
  http === 202 && status !== undefined;

/** Describes a status that is missing, unreadable or unknown, with the setting that may correct it. */
const withoutStatus = (tracked: Tracked, record: ServiceRecord): string =>
  unknownStatus(tracked, record) ?? 'has no status that can be read';

/** The command that reads the record, and `doctor` if a service file may be missing. */
export const hintAfter = (
  {commands}: Pick<Context, 'commands'>,
  next: string,
  tracked: Tracked,
  record: ServiceRecord,
): string => (unknownStatus(tracked, record) === undefined ? next : withDoctor(next, commands));
