import {randomBytes} from 'node:crypto';
import {readdirSync, readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {RemitError} from '../../../errors.ts';
import {messageOf, ownJson} from '../../../narrow.ts';
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

export const deleteCommand = ({commands}: Context, id: string): string =>
  commands.write('webhooks', 'endpoints', 'delete', id);

/** False if the endpoint still exists, after a warning with the command that deletes it. */
export async function removeEndpoint(context: Context, noted: NotedEndpoint, id: string): Promise<boolean> {
  try {
    await context.client.call('webhookEndpoints.delete', {params: {id}});
    context.effects.took({noun: 'webhook endpoint', done: 'was deleted', id, status: null, next: null});
  } catch (error) {
    if (!(error instanceof RemitError && error.code === 'NOT_FOUND')) {
      context.out.warn(`the endpoint ${id} could not be removed: ${messageOf(error)}`);
      context.out.hint(deleteCommand(context, id));
      return false;
    }
  }
  forget(noted);
  return true;
}
