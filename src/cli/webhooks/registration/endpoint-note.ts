import {randomBytes} from 'node:crypto';
import {readdirSync, readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {unwrapRecord} from '../../../client/answers/envelope.ts';
import {withoutCheck} from '../../../client/answers/service-error.ts';
import {RemitError} from '../../../errors.ts';
import {messageOf, ownJson} from '../../../narrow.ts';
import {selectedValue} from '../../../output/records/select.ts';
import {writeFileAtomic} from '../../../store/files/atomic-file.ts';
import {makeFolder} from '../../../store/files/folder.ts';
import {describeSelf, systemProbe, type Holder} from '../../../store/locks/lock-holder.ts';
import type {Context} from '../../core/context.ts';
import {fingerprintIn} from '../../input/secret-file.ts';

/** An endpoint that a listener creates for itself, as noted on disk until the listener has removed it. */
export interface EndpointNote {
  /** Null from before the request until its answer: the endpoint may exist, and can be found by its description. */
  endpoint_id: string | null;
  url: string;
  /** Unique to the listener; absent in notes of earlier versions. */
  description?: string | undefined;
  base_url: string;
  mode: string;
  holder: Holder;
  /** The file with the secret, and the secret's fingerprint; `''` before it is known, while the file is empty. */
  secret_file?: string | undefined;
  fingerprint?: string | undefined;
}

export interface NotedEndpoint {
  file: string;
  note: EndpointNote;
}

const folderOf = ({stateDir}: Context): string => join(stateDir, 'webhooks', 'registered');

/** Writes the note of an endpoint that is about to be created. */
export function noteIntent(context: Context, url: string, secretFile: string | undefined): NotedEndpoint {
  const {baseUrl: base_url, mode} = context.profile;
  const token = randomBytes(12).toString('hex');
  const holder = describeSelf(systemProbe, 'webhooks listen', token, context.clock.now());
  const noted = {
    file: join(folderOf(context), `${token}.json`),
    note: {
      ...{endpoint_id: null, url, description: `remit webhooks listen ${randomBytes(4).toString('hex')}`},
      ...{base_url, mode, holder, secret_file: secretFile, fingerprint: ''},
    },
  };
  makeFolder(folderOf(context));
  save(noted);
  return noted;
}

export const save = ({file, note}: NotedEndpoint): void => writeFileAtomic(file, JSON.stringify(note));

/** Removes the file with the secret together with the endpoint, unless it contains something else by now. */
export function forget({file, note: {secret_file, fingerprint}}: NotedEndpoint): void {
  if (secret_file !== undefined && fingerprintIn(secret_file) === fingerprint)
    rmSync(secret_file, {force: true});
  rmSync(file, {force: true});
}

export function notedEndpoints(context: Context): NotedEndpoint[] {
  let names: string[];
  try {
    names = readdirSync(folderOf(context));
  } catch {
    return []; // nothing was registered yet
  }
  return names
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      const file = join(folderOf(context), name);
      try {
        return [{file, note: ownJson<EndpointNote>(readFileSync(file, 'utf8'))}];
      } catch {
        return [];
      }
    });
}

/** The descriptions of endpoints that listeners create. */
const OF_LISTENERS = /^remit webhooks listen [0-9a-f]{8}$/;

export const isOfListener = (description: string): boolean => OF_LISTENERS.test(description);

/** The listener on this machine that created this endpoint and will remove it; undefined if there is none. */
export function listenerOf(context: Context, id: string): Holder | undefined {
  const {baseUrl, mode} = context.profile;
  return notedEndpoints(context).find(
    ({note}) => note.endpoint_id === id && note.base_url === baseUrl && note.mode === mode,
  )?.note.holder;
}

export const deleteCommand = ({commands}: Pick<Context, 'commands'>, id: string): string =>
  commands.write('webhooks', 'endpoints', 'delete', id);

/**
 * Deletes an endpoint that a listener created.
 * @returns `left`, after a warning with the command that deletes it, if it exists or may exist; `missing` for a 404
 */
export async function removeEndpoint(
  context: Context,
  noted: NotedEndpoint,
  id: string,
): Promise<'removed' | 'missing' | 'left'> {
  context.grants.allow({operation: 'webhookEndpoints.delete', params: {id}}); // its creation was allowed
  try {
    await context.client.call('webhookEndpoints.delete', {params: {id}});
    if (await exists(context, id))
      throw new RemitError('UNAVAILABLE', 'the service confirmed the deletion, but still has the endpoint');
    context.effects.took({noun: 'webhook endpoint', done: 'was deleted', id, status: null, next: null});
  } catch (error) {
    if (error instanceof RemitError && error.httpStatus === 404) return 'missing';
    nameLeft(context, id, error);
    return 'left';
  }
  forget(noted);
  return 'removed';
}

/** False if it cannot be read: the service has confirmed its deletion. */
async function exists({client}: Context, id: string): Promise<boolean> {
  try {
    const record = unwrapRecord((await client.webhookEndpoints.get({id})).data);
    return selectedValue(record, 'id') === id && selectedValue(record, 'is_active') !== false;
  } catch {
    return false;
  }
}

/** What happens to an endpoint whose note stays on disk. */
export const nextStart = ({mode}: Context['profile']): string =>
  `the next start with --register ${mode === 'test' ? 'removes it' : 'names it'}`;

/** An endpoint that may still exist, and the command that deletes it. */
export function nameLeft(context: Context, id: string, error: unknown): void {
  const mayBeGone = error instanceof RemitError && error.code === 'IN_DOUBT';
  const what = mayBeGone
    ? `it is not known whether the endpoint ${id} was removed`
    : `the endpoint ${id} was not removed`;
  // A deletion can be repeated at any time.
  const why = withoutCheck(messageOf(error));
  context.out.warn(`${what}: ${why}. If it exists, ${nextStart(context.profile)}; to delete it now:`);
  context.out.hint(deleteCommand(context, id));
}
