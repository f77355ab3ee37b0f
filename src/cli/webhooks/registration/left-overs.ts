import {unwrapRecord} from '../../../client/answers/envelope.ts';
import {isUsableId} from '../../../client/answers/readable.ts';
import {RemitError} from '../../../errors.ts';
import {messageOf} from '../../../narrow.ts';
import {selectedValue} from '../../../output/records/select.ts';
import {lifeOf, systemProbe} from '../../../store/locks/lock-holder.ts';
import type {Context} from '../../core/context.ts';
import {deleteCommand, forget, notedEndpoints, removeEndpoint, type NotedEndpoint} from './endpoint-note.ts';

/** The service may still be working on a request whose sender was killed; after this time it is not. */
const REQUEST_MS = 10 * 60_000;

/**
 * Removes endpoints of killed listeners, but only if the process is known to be dead, and id (or description), URL,
 * base URL and mode are as noted. With a live key they are only reported.
 */
export async function removeLeftOvers(context: Context): Promise<void> {
  const {profile, out} = context;
  for (const noted of notedEndpoints(context)) {
    const {base_url, mode, holder, endpoint_id: id, url} = noted.note;
    if (base_url !== profile.baseUrl || mode !== profile.mode) continue;
    if (lifeOf(holder, systemProbe) !== 'dead') continue;
    try {
      if (id === null) await removeUnanswered(context, noted);
      else await removeKnown(context, noted, id);
    } catch (error) {
      const what = id === null ? `for ${url}` : id;
      out.warn(`the endpoint ${what} of an earlier listener could not be read: ${messageOf(error)}`);
    }
  }
}

async function removeKnown(context: Context, noted: NotedEndpoint, id: string): Promise<void> {
  let found: unknown;
  try {
    found = unwrapRecord((await context.client.call('webhookEndpoints.get', {params: {id}})).data);
  } catch (error) {
    if (!(error instanceof RemitError && error.code === 'NOT_FOUND')) throw error;
    return forget(noted);
  }
  if (selectedValue(found, 'url') === noted.note.url) return removeFound(context, noted, id);
  context.out.warn(`the endpoint ${id} of an earlier listener now has another URL, so it was not removed`);
  forget({...noted, note: {...noted.note, secret_file: undefined}}); // it is used for something else now
}

/** The listener was killed before it had the answer: the endpoint exists if the service lists it. */
async function removeUnanswered(context: Context, noted: NotedEndpoint): Promise<void> {
  const {client, stop, clock, out} = context;
  const {url, description, holder} = noted.note;
  let count = 0;
  for await (const endpoint of client.webhookEndpoints.list({}, {all: true, signal: stop.signal})) {
    const id = selectedValue(endpoint, 'id');
    if (selectedValue(endpoint, 'url') !== url || selectedValue(endpoint, 'description') !== description)
      continue;
    if (!isUsableId(id, out.sanitizer) || description === undefined) continue;
    count += 1;
    await removeFound(context, noted, id);
  }
  if (count === 0 && clock.now() - Date.parse(holder.since) > REQUEST_MS) forget(noted);
}

async function removeFound(context: Context, noted: NotedEndpoint, id: string): Promise<void> {
  const {profile, out} = context;
  if (profile.mode !== 'test') {
    out.warn(`an earlier listener left the endpoint ${id} for ${noted.note.url}`);
    out.hint(deleteCommand(context, id));
    return;
  }
  const end = await removeEndpoint(context, noted, id);
  if (end === 'removed') out.note(`Removed the endpoint ${id}, which an earlier listener left.`);
  if (end === 'missing') forget(noted); // it was found a moment ago
}
