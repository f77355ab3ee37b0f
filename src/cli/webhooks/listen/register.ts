import {randomBytes} from 'node:crypto';
import {readdirSync, readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {EVENT_TYPE_NAMES} from '../../../contract/events.ts';
import {RemitError} from '../../../errors.ts';
import {unwrapRecord} from '../../../client/readable.ts';
import {valueAt} from '../../../output/select.ts';
import {writeFileAtomic} from '../../../store/atomic-file.ts';
import {makeFolder} from '../../../store/folder.ts';
import {describeSelf, lifeOf, systemProbe, type Holder} from '../../../store/lock-holder.ts';
import {typePattern} from '../../../webhooks/patterns.ts';
import {secretFingerprint} from '../../../webhooks/secrets.ts';
import type {Context} from '../../core/context.ts';
import {fingerprintIn, openSecretFile, type SecretFile} from '../../input/secret-file.ts';
import {sendOnce} from '../../write/send-once.ts';
import {findSigningSecret} from '../../resources/signing-secret.ts';
import {keepSecret} from '../../resources/webhook-endpoints.ts';

/** An endpoint that a listener made for itself, as it is kept until the listener has removed it. */
interface Kept {
  endpoint_id: string;
  url: string;
  base_url: string;
  mode: string;
  holder: Holder;
  /** Where the secret was written, and which one. */
  secret_file?: string | undefined;
  fingerprint?: string | undefined;
}

export interface Registration {
  id: string;
  secret: string;
  /** Deletes the endpoint; a failure is reported with the command that does it. */
  remove: () => Promise<void>;
}

const folderOf = ({stateDir}: Context): string => join(stateDir, 'webhooks', 'registered');
const deleteCommand = ({commands}: Context, id: string): string =>
  commands.write('webhooks', 'endpoints', 'delete', id);

/** Creates an endpoint for the listener, and keeps a note of it, so that the next start can remove it after a crash. */
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
  const body = {url, event_types: subscribed(events), description: 'remit webhooks listen'};
  const sent = await sendOnce(context, {
    operation: 'webhookEndpoints.create',
    body,
    dryRun: false,
    facts: {operation: 'create webhook endpoint', party: ['url', url]},
    noun: 'webhook endpoint',
    checkedBy: ['webhooks', 'endpoints', 'list', '--limit', '5'],
    shownBy: (id) => ['webhooks', 'endpoints', 'get', id],
  });
  const answer = sent.dryRun === undefined ? sent.result.data : undefined;
  const id = String(valueAt(unwrapRecord(answer), 'id'));
  const secret = findSigningSecret(answer, context.out.sanitizer)?.value;
  const kept = {
    ...{endpoint_id: id, url, secret_file: secretFile?.path},
    fingerprint: secret && secretFingerprint(secret),
  };
  const file = keep(context, kept);
  const remove = async () => void (await removeEndpoint(context, file, kept));
  if (secret !== undefined && written(context, secretFile, secret)) return {id, secret, remove};
  await remove();
  if (secret === undefined)
    throw new RemitError(
      'UNAVAILABLE',
      'the service sent no signing secret with the new endpoint, so nothing could be verified',
    );
  throw new RemitError('STATE', `the signing secret could not be written to ${secretFile!.path}`);
}

const written = (context: Context, file: SecretFile | undefined, secret: string): boolean =>
  file === undefined || keepSecret(context, file, secret);

/** A pattern stands for the documented types that it matches. */
function subscribed(events: readonly string[] | undefined): string[] {
  if (events === undefined) return [...EVENT_TYPE_NAMES];
  return [
    ...new Set(
      events.flatMap((text) => (text.includes('*') ? EVENT_TYPE_NAMES.filter(typePattern(text)) : [text])),
    ),
  ];
}

type Made = Pick<Kept, 'endpoint_id' | 'url' | 'secret_file' | 'fingerprint'>;

function keep(context: Context, made: Made): string {
  const {baseUrl: base_url, mode} = context.profile;
  const holder = describeSelf(
    systemProbe,
    'webhooks listen',
    randomBytes(12).toString('hex'),
    context.clock.now(),
  );
  makeFolder(folderOf(context));
  const file = join(folderOf(context), `${holder.token}.json`);
  const kept: Kept = {...made, base_url, mode, holder};
  writeFileAtomic(file, JSON.stringify(kept));
  return file;
}

/** False, after a warning with the command that does it, when the endpoint is still there. */
async function removeEndpoint(context: Context, file: string, made: Made): Promise<boolean> {
  const {endpoint_id: id} = made;
  try {
    await context.client.call('webhookEndpoints.delete', {params: {id}});
    forget(file, made);
    context.effects.took({noun: 'webhook endpoint', done: 'was deleted', id, status: null, next: null});
  } catch (error) {
    if (!(error instanceof RemitError && error.code === 'NOT_FOUND')) {
      context.out.warn(`the endpoint ${id} could not be removed: ${(error as Error).message}`);
      context.out.hint(deleteCommand(context, id));
      return false;
    }
    forget(file, made);
  }
  return true;
}

/** The file with the secret goes with the endpoint, unless it holds something else by now. */
function forget(file: string, {secret_file, fingerprint}: Made): void {
  if (secret_file !== undefined && fingerprintIn(secret_file) === fingerprint)
    rmSync(secret_file, {force: true});
  rmSync(file, {force: true});
}

/**
 * Removes endpoints of listeners that were killed: only where the process is known to be dead, and id, URL, base URL and mode are
 * as they were kept. With a live key they are only named.
 */
export async function removeLeftOvers(context: Context): Promise<void> {
  const {profile, out} = context;
  for (const [file, kept] of leftOvers(context)) {
    if (kept.base_url !== profile.baseUrl || kept.mode !== profile.mode) continue;
    if (lifeOf(kept.holder, systemProbe) !== 'dead') continue;
    try {
      await removeLeftOver(context, file, kept);
    } catch (error) {
      if (error instanceof RemitError && error.code === 'NOT_FOUND') forget(file, kept);
      else
        out.warn(
          `the endpoint ${kept.endpoint_id} of an earlier listener could not be read: ${(error as Error).message}`,
        );
    }
  }
}

async function removeLeftOver(context: Context, file: string, kept: Kept): Promise<void> {
  const {profile, out} = context;
  const {endpoint_id: id, url} = kept;
  const {data} = await context.client.call('webhookEndpoints.get', {params: {id}});
  if (valueAt(unwrapRecord(data), 'url') !== url) {
    out.warn(`the endpoint ${id} of an earlier listener has another URL now, and stays`);
    rmSync(file, {force: true}); // it is used for something else now
  } else if (profile.mode !== 'test') {
    out.warn(`an earlier listener left the endpoint ${id} for ${url}`);
    out.hint(deleteCommand(context, id));
  } else if (await removeEndpoint(context, file, kept))
    out.note(`Removed the endpoint ${id}, which an earlier listener left.`);
}

function leftOvers(context: Context): [string, Kept][] {
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
        return [[file, JSON.parse(readFileSync(file, 'utf8')) as Kept] as [string, Kept]]; // written by us, atomically
      } catch {
        return [];
      }
    });
}
