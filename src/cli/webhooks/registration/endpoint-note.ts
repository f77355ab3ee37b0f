import {randomBytes} from 'node:crypto';
import {readdirSync, readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {ownJson} from '../../../narrow.ts';
import {writeFileAtomic} from '../../../store/files/atomic-file.ts';
import {makeFolder} from '../../../store/files/folder.ts';
import {describeSelf, systemProbe, type Holder} from '../../../store/locks/lock-holder.ts';
import {acquireLock, type Lock} from '../../../store/locks/lock.ts';
import type {Context} from '../../core/context.ts';
import {fingerprintIn} from '../../input/secret-file.ts';

/** An endpoint that a listener creates for itself, as noted on disk until it is removed at the service. */
export interface EndpointNote {
  /** Null from before the request until its answer: the endpoint may exist, and can be found by its description. */
  endpoint_id: string | null;
  url: string;
  /** Unique to the listener; absent in notes of earlier versions. */
  description?: string | undefined;
  base_url: string;
  mode: string;
  /** The profile or key that created it (`ownerOf`); absent in notes of earlier versions. */
  owner?: string | undefined;
  /** The process that uses it, or used it last. */
  holder: Holder;
  /** The file of --secret-file. */
  secret_file?: string | undefined;
  /** The fingerprint of the secret; `''` before it is known, while the files for it are empty. */
  fingerprint?: string | undefined;
}

export interface NotedEndpoint {
  file: string;
  note: EndpointNote;
}

/** The lock is held, so no other process uses the endpoint, removes it, or changes its note. */
export interface HeldEndpoint extends NotedEndpoint {
  lock: Lock;
}

type NotePlace = Pick<Context, 'stateDir'>;

const folderOf = ({stateDir}: NotePlace): string => join(stateDir, 'webhooks', 'registered');

/** The file in which the listener keeps the secret of its endpoint, so that a later one can use the endpoint again. */
export const keptSecretFile = (noteFile: string): string => noteFile.replace(/\.json$/, '.secret');

export const lockFile = (noteFile: string): string => `${noteFile}.lock`;

/** A profile by its name; without one, the key by its fingerprint. Endpoints of another owner are left alone. */
export const ownerOf = ({name, keyFingerprint}: Context['profile']): string =>
  name === null ? `key ${keyFingerprint}` : `profile ${name}`;

/** Writes the note of an endpoint that is about to be created, and locks it. */
export async function noteIntent(
  context: Context,
  url: string,
  secretFile: string | undefined,
): Promise<HeldEndpoint> {
  const {baseUrl: base_url, mode} = context.profile;
  const token = randomBytes(12).toString('hex');
  const file = join(folderOf(context), `${token}.json`);
  const noted = {
    file,
    note: {
      ...{endpoint_id: null, url, description: `remit webhooks listen ${randomBytes(4).toString('hex')}`},
      ...{base_url, mode, owner: ownerOf(context.profile), holder: selfAsHolder(context, token)},
      ...{secret_file: secretFile, fingerprint: ''},
    },
  };
  makeFolder(folderOf(context));
  const held = {...noted, lock: await lockNote(context, file)};
  save(held);
  return held;
}

export const selfAsHolder = ({clock}: Context, token: string): Holder =>
  describeSelf(systemProbe, 'webhooks listen', token, clock.now());

/** @throws {RemitError} LOCKED if another process has the endpoint */
export const lockNote = ({clock}: Context, file: string): Promise<Lock> =>
  acquireLock(lockFile(file), {purpose: 'a listener with this endpoint', atOnce: true, clock});

export const save = ({file, note}: NotedEndpoint): void => writeFileAtomic(file, JSON.stringify(note));

/** Removes the files with the secret together with the endpoint, unless that of the user has other contents by now. */
export function forget({file, note: {secret_file, fingerprint}}: NotedEndpoint): void {
  if (secret_file !== undefined && fingerprintIn(secret_file) === fingerprint)
    rmSync(secret_file, {force: true});
  rmSync(keptSecretFile(file), {force: true});
  rmSync(file, {force: true});
}

/** Undefined if there is no readable note. */
export function readNote(file: string): NotedEndpoint | undefined {
  try {
    return {file, note: ownJson<EndpointNote>(readFileSync(file, 'utf8'))};
  } catch {
    return undefined;
  }
}

export function notedEndpoints(context: NotePlace): NotedEndpoint[] {
  let names: string[];
  try {
    names = readdirSync(folderOf(context));
  } catch {
    return []; // nothing was registered yet
  }
  return names
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => readNote(join(folderOf(context), name)) ?? []);
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
