import {EVENT_TYPE_NAMES} from '../../../contract/events.ts';
import {RemitError} from '../../../errors.ts';
import {unwrapRecord} from '../../../client/answers/envelope.ts';
import {withoutCheck} from '../../../client/answers/service-error.ts';
import {selectedValue} from '../../../output/records/select.ts';
import {typePattern} from '../../../webhooks/delivery/patterns.ts';
import {secretFingerprint} from '../../../webhooks/verify/secrets.ts';
import type {Context} from '../../core/context.ts';
import {openSecretFile, type SecretFile} from '../../input/secret-file.ts';
import {mayHaveTakenEffect, sendOnce} from '../../write/send-once.ts';
import {findSigningSecret} from '../../resources/signing-secret.ts';
import {keepSecret} from '../../resources/webhook-endpoints.ts';
import {
  forget,
  nameLeft,
  nextStart,
  noteIntent,
  removeEndpoint,
  save,
  type NotedEndpoint,
} from './endpoint-note.ts';
import {nameOthers} from './own-endpoint.ts';
import {endpointsAt, hrefOf} from './same-url.ts';

export interface Registration {
  id: string;
  secret: string;
  url: string;
  /**
   * Deletes the endpoint. Names what is left, with the commands that delete it.
   * @returns ids of endpoints that exist or may exist: this one, or others that replace it
   */
  remove: () => Promise<string[]>;
}

/**
 * Creates an endpoint for the listener. A note of it is on disk before the request is sent, so that the next start
 * can remove it after a crash at any time.
 */
export async function registerEndpoint(
  context: Context,
  request: {url: string; events: readonly string[] | undefined; secretFile: string | undefined},
): Promise<Registration> {
  const {secretFile} = request;
  if (secretFile === undefined) return create(context, request, undefined);
  const file = openSecretFile(secretFile, context.runtime.cwd);
  try {
    return await create(context, request, file);
  } catch (error) {
    file.discard();
    throw error;
  }
}

async function create(
  context: Context,
  {url, events}: {url: string; events: readonly string[] | undefined},
  secretFile: SecretFile | undefined,
): Promise<Registration> {
  const noted = noteIntent(context, url, secretFile?.path);
  const answer = await send(context, noted, subscribed(events));
  const id = String(selectedValue(unwrapRecord(answer), 'id')); // an answer without it was refused earlier
  refuseOther(context, noted, {id, record: unwrapRecord(answer)});
  const secret = findSigningSecret(answer, context.out.sanitizer)?.value;
  if (secret !== undefined) context.out.sanitizer.conceal(secret);
  noted.note.endpoint_id = id;
  noted.note.fingerprint = secret && secretFingerprint(secret);
  save(noted);
  const remove = () => removeOwn(context, noted, id);
  if (secret !== undefined && written(context, secretFile, secret)) return {id, url, secret, remove};
  await remove();
  if (secret === undefined)
    throw new RemitError(
      'UNAVAILABLE',
      'the service sent no signing secret with the new endpoint, so nothing could be verified',
    );
  throw new RemitError('STATE', `the signing secret could not be written to ${secretFile?.path}`);
}

async function send(context: Context, noted: NotedEndpoint, event_types: string[]): Promise<unknown> {
  const {url, description} = noted.note;
  try {
    const sent = await sendOnce(context, {
      operation: 'webhookEndpoints.create',
      body: {url, event_types, description},
      dryRun: false,
      facts: {operation: 'create a webhook endpoint', party: ['url', url]},
      follows: ['webhookEndpoints.delete'],
      noun: 'webhook endpoint',
      checkedBy: ['webhooks', 'endpoints', 'list', '--limit', '5'],
      shownBy: (id) => ['webhooks', 'endpoints', 'get', id],
      leaves: {event_types},
    });
    return sent.dryRun === undefined ? sent.result.data : undefined;
  } catch (error) {
    if (mayHaveTakenEffect(error)) throw withNextStart(context, error);
    forget(noted);
    throw error;
  }
}

/** The endpoint may exist, and its note is on disk: the next start finds it. */
function withNextStart({profile}: Context, thrown: unknown): unknown {
  if (!(thrown instanceof RemitError && thrown.code === 'IN_DOUBT')) return thrown;
  const message = `${withoutCheck(thrown.message)}. If it exists, ${nextStart(profile)}`;
  return thrown.reworded(message, thrown.openHint);
}

/** The endpoint is deleted in the end, so it must be the one that was just created; its note finds that one later. */
function refuseOther(
  {commands, profile}: Context,
  {note}: NotedEndpoint,
  {id, record}: {id: string; record: unknown},
): void {
  const [url, description] = ['url', 'description'].map((field) => selectedValue(record, field));
  const isOther =
    (typeof url === 'string' && hrefOf(url) !== hrefOf(note.url)) ||
    (typeof description === 'string' && description !== note.description);
  if (!isOther) return;
  throw new RemitError(
    'IN_DOUBT',
    `the service answered the creation with the endpoint ${id}, which has another URL or description. If one for this listener exists, ${nextStart(profile)}`,
    {
      hint: commands.read('webhooks', 'endpoints', 'list', '--limit', '5'),
      details: {may_have_taken_effect: true, id: null},
      retryable: false,
    },
  );
}

/** After a 404 the list decides: the endpoint may be gone, replaced, or just not found. */
async function removeOwn(context: Context, noted: NotedEndpoint, id: string): Promise<string[]> {
  const end = await removeEndpoint(context, noted, id);
  if (end !== 'missing') return end === 'left' ? [id] : [];
  try {
    const ids = await endpointsAt(context, noted.note.url);
    if (ids.includes(id)) throw new RemitError('UNAVAILABLE', 'the service answered 404, but still lists it');
    context.out.warn(`the endpoint ${id} did not exist any more`);
    forget(noted);
    nameOthers(context, id, ids);
    return ids;
  } catch (error) {
    nameLeft(context, id, error);
    return [id];
  }
}

const written = (context: Context, file: SecretFile | undefined, secret: string): boolean =>
  file === undefined || keepSecret(context, file, secret);

/** A pattern is replaced by the documented types that it matches. */
function subscribed(events: readonly string[] | undefined): string[] {
  if (events === undefined) return [...EVENT_TYPE_NAMES];
  return [
    ...new Set(
      events.flatMap((text) => (text.includes('*') ? EVENT_TYPE_NAMES.filter(typePattern(text)) : [text])),
    ),
  ];
}
