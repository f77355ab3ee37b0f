import {isUsableId} from '../../../client/answers/readable.ts';
import type {ServiceRecord} from '../../../client/answers/record.ts';
import {RemitError} from '../../../errors.ts';
import {messageOf} from '../../../narrow.ts';
import type {Context} from '../../core/context.ts';
import {listedEndpoints, readEndpoint} from '../endpoints.ts';
import {nameDropped, type DropReason, type DropReport} from './dropped.ts';
import {forget, save, type HeldEndpoint} from './endpoint-note.ts';
import {deleteCommand, removeEndpoint} from './remove-endpoint.ts';

/** The service may still be working on a request whose sender was killed; after this time it is not. */
const REQUEST_MS = 10 * 60_000;

/** An endpoint that a killed listener left, as the service has it. */
export interface FoundEndpoint {
  id: string;
  record: ServiceRecord;
}

/**
 * What the service has of a left endpoint. Before its answer the listener had only its description, and more than one
 * may exist if the service repeated the creation.
 * @returns undefined if it cannot be read now, after a warning
 */
export async function findLeft(context: Context, held: HeldEndpoint): Promise<FoundEndpoint[] | undefined> {
  const {endpoint_id: id, url} = held.note;
  try {
    return id === null ? await listed(context, held) : await known(context, id);
  } catch (error) {
    if (context.stop.signal.aborted) throw error;
    const what = id === null ? `for ${url}` : id;
    context.out.warn(`the endpoint ${what} of an earlier listener could not be read: ${messageOf(error)}`);
    return undefined;
  }
}

async function known(context: Context, id: string): Promise<FoundEndpoint[]> {
  try {
    return [{id, record: await readEndpoint(context, id)}];
  } catch (error) {
    if (error instanceof RemitError && error.code === 'NOT_FOUND') return [];
    throw error;
  }
}

async function listed(context: Context, {note}: HeldEndpoint): Promise<FoundEndpoint[]> {
  const {url, description} = note;
  const found: FoundEndpoint[] = [];
  if (description === undefined) return found;
  for await (const record of listedEndpoints(context, context.stop.signal)) {
    const isIts = record.url === url && record.description === description;
    if (isIts && isUsableId(record.id, context.out.sanitizer)) found.push({id: record.id, record});
  }
  return found;
}

/** Whether an endpoint has the URL that its listener gave it. */
export const isUnchanged = ({note}: HeldEndpoint, {record}: FoundEndpoint): boolean =>
  record.url === note.url;

/**
 * Removes an endpoint that this listener does not use, and names the deliveries that are dropped with it. With a live
 * key it is only named, and nothing is dropped.
 */
export async function removeLeftOver(
  context: Context,
  held: HeldEndpoint,
  {reason, ...report}: DropReport & {reason: DropReason},
): Promise<void> {
  const found = await findLeft(context, held);
  if (found === undefined) return;
  const {endpoint_id: id, holder} = held.note;
  if (found.length === 0) {
    if (id !== null) {
      await nameDropped(context, report, {id, reason: 'deleted'});
      forget(held);
    } else if (context.clock.now() - Date.parse(holder.since) > REQUEST_MS) forget(held);
    return;
  }
  for (const one of found) {
    const isOnly = found.length === 1;
    if (isUnchanged(held, one)) await removeFound(context, held, one.id, {...report, reason, isOnly});
    else {
      context.out.warn(
        `the endpoint ${one.id} of an earlier listener now has another URL, so it was not removed`,
      );
      forget({...held, note: {...held.note, secret_file: undefined}}); // it is used for something else now
    }
  }
}

async function removeFound(
  context: Context,
  held: HeldEndpoint,
  id: string,
  {reason, isOnly, ...report}: DropReport & {reason: DropReason; isOnly: boolean},
): Promise<void> {
  const {profile, out} = context;
  if (profile.mode !== 'test') {
    out.warn(`an earlier listener left the endpoint ${id} for ${held.note.url}`);
    out.hint(deleteCommand(context, id));
    return;
  }
  if (isOnly && held.note.endpoint_id === null) {
    held.note = {...held.note, endpoint_id: id}; // after a crash, a description would find nothing that is deleted
    save(held);
  }
  const end = await removeEndpoint(context, held, id);
  if (end === 'left') return;
  if (end === 'removed') out.note(`Removed the endpoint ${id}, which an earlier listener left.`);
  await nameDropped(context, report, {id, reason}); // `missing`: it was found a moment ago
  forget(held);
}
