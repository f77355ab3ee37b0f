import {secretFingerprint} from '../../../webhooks/verify/secrets.ts';
import type {Context} from '../../core/context.ts';
import {endpointChange} from '../../resources/webhook-endpoints.ts';
import {sendWrite} from '../../write/write.ts';
import type {DropReason} from './dropped.ts';
import {save, selfAsHolder, type HeldEndpoint} from './endpoint-note.ts';
import {keptSecret, moveToFile} from './kept-secret.ts';
import {findLeft, type FoundEndpoint, isUnchanged} from './left-overs.ts';
import {hrefOf} from '../endpoints.ts';

export interface UsedAgain {
  id: string;
  secret: string;
}

/**
 * Uses the endpoint of a killed listener again, so that the deliveries that wait for it arrive here. Its URL must be
 * the same, and its secret must have been kept.
 * @returns why it cannot be used; undefined, after a warning, if it cannot be read now and stays as it is
 * @throws {RemitError} STATE if its secret is open to other users; GUARD_LIVE and others if this is not allowed
 */
export async function useAgain(
  context: Context,
  held: HeldEndpoint,
  request: {url: string; eventTypes: readonly string[]; secretFile: string | undefined},
): Promise<UsedAgain | DropReason | undefined> {
  const {note} = held;
  if (hrefOf(note.url) !== hrefOf(request.url)) return 'address';
  const secret = keptSecret(held);
  if (secret === undefined) return 'secret';
  context.out.sanitizer.conceal(secret);
  const all = await findLeft(context, held);
  if (all === undefined) return undefined;
  const [found, ...more] = all;
  // If the creation was repeated, it is not known which endpoint has this secret. `removeLeftOver` handles the others.
  if (found === undefined || more.length > 0 || !isUnchanged(held, found)) return 'secret';
  const {id} = found;
  await context.guardWrite(
    {operation: 'use a webhook endpoint again and delete it at the end', party: ['endpoint', id]},
    [{operation: 'webhookEndpoints.delete', params: {id}}],
  );
  const secret_file = moveToFile(context, held, {secret, asked: request.secretFile});
  held.note = {
    ...{...note, endpoint_id: id, secret_file, fingerprint: secretFingerprint(secret)},
    holder: selfAsHolder(context, note.holder.token),
  };
  save(held);
  await subscribe(context, found, request.eventTypes);
  context.out.note(`Using the endpoint ${id} again, which a killed listener left.`);
  return {id, secret};
}

/** The types of --events may be others than those of the earlier listener. */
async function subscribe(
  context: Context,
  {id, record: {event_types: before}}: FoundEndpoint,
  event_types: readonly string[],
): Promise<void> {
  const isSame = before?.length === event_types.length && event_types.every((type) => before.includes(type));
  if (isSame) return;
  const body = {event_types: [...event_types]};
  await sendWrite(context, {
    ...endpointChange(context, id, 'update'),
    ...{body, leaves: body, dryRun: false},
  });
}
