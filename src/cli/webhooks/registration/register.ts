import {EVENT_TYPE_NAMES} from '../../../contract/events.ts';
import {RemitError} from '../../../errors.ts';
import {answeredRecord, type ServiceRecord} from '../../../client/answers/record.ts';
import {type Json, must} from '../../../narrow.ts';
import {typePattern} from '../../../webhooks/delivery/patterns.ts';
import {secretFingerprint} from '../../../webhooks/verify/secrets.ts';
import type {Context} from '../../core/context.ts';
import {openSecretFile, type SecretFile} from '../../input/secret-file.ts';
import {mayHaveTakenEffect, sendWrite} from '../../write/write.ts';
import {findSigningSecret} from '../../resources/signing-secret.ts';
import {endpointCreation, keepSecret} from '../../resources/webhook-endpoints.ts';
import {releaseAll} from './claim.ts';
import {nameDropped, type DropReason, type DropReport} from './dropped.ts';
import {
  forget,
  keptSecretFile,
  noteIntent,
  save,
  type HeldEndpoint,
  type NotedEndpoint,
} from './endpoint-note.ts';
import {removeLeftOver} from './left-overs.ts';
import {nameOthers} from './own-endpoint.ts';
import {nameLeft, nextStart, removeEndpoint} from './remove-endpoint.ts';
import {endpointsAt, hrefOf} from '../endpoints.ts';
import {useAgain} from './use-again.ts';

export interface Registration {
  id: string;
  secret: string;
  url: string;
  /** A killed listener left it, and this one uses it again. */
  isUsedAgain: boolean;
  /**
   * Deletes the endpoint. Names what is left, with the commands that delete it.
   * @returns ids of endpoints that exist or may exist: this one, or others that replace it
   */
  remove: () => Promise<string[]>;
}

export interface RegistrationRequest extends DropReport {
  events: readonly string[] | undefined;
  secretFile: string | undefined;
}

/**
 * The endpoint of this listener: one that a killed listener left for the same URL, otherwise a new one. The other left
 * ones are removed afterwards, so that each event belongs to one of them.
 * @param left their locks are released, except for the one that is used
 */
export async function openRegistration(
  context: Context,
  request: RegistrationRequest,
  left: readonly HeldEndpoint[],
): Promise<Registration> {
  let used: HeldEndpoint | undefined;
  try {
    const unused: {held: HeldEndpoint; reason: DropReason}[] = [];
    let registration: Registration | undefined;
    for (const held of left) {
      const eventTypes = subscribed(request.events);
      const again =
        registration === undefined
          ? await useAgain(context, held, {...request, eventTypes})
          : secondOf(held, request);
      if (again === undefined) continue;
      if (typeof again === 'string') unused.push({held, reason: again});
      else {
        used = held;
        registration = {
          ...again,
          url: request.url,
          isUsedAgain: true,
          remove: removal(context, held, again.id, request),
        };
      }
    }
    registration ??= await registerEndpoint(context, request);
    for (const {held, reason} of unused) await removeLeftOver(context, held, {...request, reason});
    return registration;
  } catch (error) {
    await used?.lock.release();
    throw error;
  } finally {
    await releaseAll(left.filter((held) => held !== used));
  }
}

const secondOf = ({note}: HeldEndpoint, {url}: RegistrationRequest): DropReason =>
  hrefOf(note.url) === hrefOf(url) ? 'second' : 'address';

/**
 * Creates an endpoint for the listener. A note of it is on disk before the request is sent, and its secret before it
 * is used, so that the next start can use or remove it after a crash at any time.
 */
async function registerEndpoint(context: Context, request: RegistrationRequest): Promise<Registration> {
  const {secretFile} = request;
  const file = secretFile === undefined ? undefined : openSecretFile(secretFile, context.runtime.cwd);
  try {
    const held = await noteIntent(context, request.url, file?.path);
    try {
      return await create(context, request, {held, file});
    } catch (error) {
      await held.lock.release();
      throw error;
    }
  } catch (error) {
    file?.discard();
    throw error;
  }
}

async function create(
  context: Context,
  request: RegistrationRequest,
  {held, file}: {held: HeldEndpoint; file: SecretFile | undefined},
): Promise<Registration> {
  const {url, events} = request;
  const kept = openSecretFile(keptSecretFile(held.file), context.runtime.cwd);
  let isKept = false;
  let id: string;
  let secret: string | undefined;
  try {
    const answer = await send(context, held, subscribed(events));
    const record = answeredRecord(answer);
    id = must(record.id, 'id of the endpoint'); // an answer without it was refused earlier
    refuseOther(context, held, {...record, id});
    secret = findSigningSecret(answer, context.out.sanitizer)?.value;
    if (secret !== undefined) context.out.sanitizer.conceal(secret);
    isKept = secret !== undefined && keepSecret(context, kept, secret);
  } finally {
    if (!isKept) kept.discard();
  }
  held.note.endpoint_id = id;
  held.note.fingerprint = secret && secretFingerprint(secret);
  save(held);
  const remove = removal(context, held, id, request);
  if (secret !== undefined && isKept && written(context, file, secret))
    return {id, url, secret, isUsedAgain: false, remove};
  await remove();
  if (secret === undefined)
    throw new RemitError(
      'UNAVAILABLE',
      'the service sent no signing secret with the new endpoint, so nothing could be verified',
    );
  throw new RemitError(
    'STATE',
    `the signing secret could not be written to ${isKept ? file?.path : kept.path}`,
  );
}

/** Removes the endpoint of this listener, once, and lets the next one have what is left. */
const removal = (context: Context, held: HeldEndpoint, id: string, report: DropReport) => async () => {
  try {
    return await removeOwn(context, held, id, report);
  } finally {
    await held.lock.release();
  }
};

async function send(context: Context, noted: NotedEndpoint, event_types: string[]): Promise<Json> {
  const {url, description} = noted.note;
  try {
    const sent = await sendWrite(context, {
      ...endpointCreation({url, event_types, description}),
      ...{dryRun: false, follows: ['webhookEndpoints.delete'], leaves: {event_types}},
    });
    return sent.dryRun === undefined ? sent.result.answer : undefined;
  } catch (error) {
    if (mayHaveTakenEffect(error)) throw withNextStart(context, error);
    forget(noted);
    throw error;
  }
}

/** The endpoint may exist, and its note is on disk: the next start finds it. */
function withNextStart({profile}: Context, thrown: unknown): unknown {
  if (!(thrown instanceof RemitError && thrown.code === 'IN_DOUBT')) return thrown;
  const message = `${thrown.message}. If it exists, ${nextStart(profile)}`;
  return thrown.reworded(message, thrown.openHint);
}

/** The endpoint is deleted in the end, so it must be the one that was just created; its note finds that one later. */
function refuseOther(
  {commands, profile}: Context,
  {note}: NotedEndpoint,
  {id, url, description}: ServiceRecord,
): void {
  const isOther =
    (url !== undefined && hrefOf(url) !== hrefOf(note.url)) ||
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
async function removeOwn(
  context: Context,
  held: HeldEndpoint,
  id: string,
  report: DropReport,
): Promise<string[]> {
  const end = await removeEndpoint(context, held, id);
  if (end === 'left') return [id];
  if (end === 'removed') {
    await nameDropped(context, report, {id, reason: 'ended'});
    forget(held);
    return [];
  }
  try {
    const ids = await endpointsAt(context, held.note.url);
    if (ids.includes(id)) throw new RemitError('UNAVAILABLE', 'the service answered 404, but still lists it');
    context.out.warn(`the endpoint ${id} did not exist any more`);
    nameOthers(context, id, ids);
    await nameDropped(context, report, {id, reason: 'ended'});
    forget(held);
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
