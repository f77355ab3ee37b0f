import {rmSync} from 'node:fs';
import {RemitError} from '../../../errors.ts';
import {answeredRecord} from '../../../client/answers/record.ts';
import {type Json, must} from '../../../narrow.ts';
import {secretFingerprint} from '../../../webhooks/verify/secrets.ts';
import type {Context} from '../../core/context.ts';
import {fingerprintIn, openSecretFile, type SecretFile} from '../../input/secret-file.ts';
import {mayHaveTakenEffect, sendWrite, type Sent} from '../../write/write.ts';
import {findSigningSecret} from '../../resources/signing-secret.ts';
import {
  endpointCreation,
  endpointDeletion,
  keepSecret,
  showSecret,
} from '../../resources/webhook-endpoints.ts';
import {listedEndpoints} from '../endpoints.ts';
import type {Rotation, RotationState} from './rotation.ts';

/** Whether the user has the secret of the new endpoint. */
export function hasNewSecret(rotation: Rotation): boolean {
  const {state} = rotation;
  if (state === undefined || state.step === 'creating') return false;
  if (state.step !== 'created') return true;
  if (state.secret_file === null || fingerprintIn(state.secret_file) !== state.fingerprint) return false;
  rotation.save({...state, step: 'handed_over'});
  return true;
}

/** Creates the new endpoint, and outputs its secret: to the file, or to stdout. */
export async function createNew(context: Context, rotation: Rotation, plan: RotationState): Promise<void> {
  const {out} = context;
  const file = plan.secret_file === null ? undefined : openFile(context, plan.secret_file, rotation.state);
  let kept = false;
  try {
    rotation.save({...plan, step: 'creating', new_id: null, fingerprint: null});
    const answer = await send(context, rotation, plan);
    const record = answeredRecord(answer);
    const id = must(record.id, 'id of the endpoint'); // an answer without it was refused earlier
    refuseOther(plan, id, record.url);
    const secret = findSigningSecret(answer, out.sanitizer);
    if (secret === undefined) throw withoutSecret(context, rotation, id);
    const created: RotationState = {
      ...{...plan, step: 'created', new_id: id},
      fingerprint: secretFingerprint(secret.value),
    };
    rotation.save(created);
    context.effects.took({
      ...{noun: 'webhook endpoint', id, status: null, next: null},
      done: `was created, and the old one, ${plan.old_id}, still exists`,
    });
    if (file !== undefined) kept = keepSecret(context, file, secret.value);
    if (kept && file !== undefined) {
      out.text(`Created webhook endpoint ${id} for ${plan.url}.`);
      out.notice(`Its signing secret is in ${file.path}.`);
    } else await showInFull(context, answer, secret);
    rotation.save({...created, step: 'handed_over', secret_file: kept ? plan.secret_file : null});
  } finally {
    if (!kept) file?.discard();
  }
}

/** Continuing with the endpoint of another answer would delete the only one that works. */
function refuseOther({old_id, url}: RotationState, id: string, answeredUrl = url): void {
  if (id !== old_id && answeredUrl === url) return;
  const what = id === old_id ? 'the old endpoint' : `the endpoint ${id}, which has another URL`;
  throw new RemitError('IN_DOUBT', `the service answered the creation with ${what}`, {
    details: {may_have_taken_effect: true},
    retryable: false,
  });
}

/** A secret that did not reach stdout is lost, and the state must record that. */
async function showInFull(
  context: Context,
  answer: Json,
  secret: NonNullable<ReturnType<typeof findSigningSecret>>,
): Promise<void> {
  showSecret(context, answer, secret);
  const unwritten = await context.out.flush({brokenPipeToo: true});
  if (unwritten !== undefined) throw unwritten;
}

async function send(context: Context, rotation: Rotation, plan: RotationState): Promise<Json> {
  try {
    const sent = await sendCreate(context, plan, false);
    return sent.dryRun === undefined ? sent.result.answer : undefined;
  } catch (error) {
    // Refused here or by the service: there is no new endpoint, and nothing to continue.
    if (!mayHaveTakenEffect(error)) rotation.forget();
    throw error;
  }
}

export function sendCreate(context: Context, plan: RotationState, dryRun: boolean): Promise<Sent> {
  const {url, event_types, description, old_id, secret_file: file} = plan;
  const again = [...(context.flags.yes ? ['--yes'] : []), ...(file === null ? [] : ['--secret-file', file])];
  return sendWrite(context, {
    ...endpointCreation({url, event_types, description}),
    ...{dryRun, checkedBy: ['webhooks', 'endpoints', 'rotate', old_id, ...again], leaves: {event_types}},
  });
}

function withoutSecret(context: Context, rotation: Rotation, id: string): RemitError {
  const old = rotation.known.old_id;
  rotation.forget();
  return new RemitError(
    'UNAVAILABLE',
    `the service sent no signing secret with the new endpoint ${id}, so it cannot replace ${old}; both exist`,
    {
      hint: context.commands.write('webhooks', 'endpoints', 'delete', id),
      retryable: false,
      details: {id, old_endpoint: old, new_endpoint: id},
    },
  );
}

/** Deletes what an interrupted run created: the user does not have its secret, which is never sent again. */
export async function removeUnfinished(context: Context, state: RotationState): Promise<void> {
  const ids = state.new_id === null ? (await listedOf(context, state)).strays : [state.new_id];
  for (const id of ids) {
    try {
      await deleteEndpoint(context, id);
      context.out.note(`Deleted the endpoint ${id}, which an earlier run of this rotation created.`);
    } catch (error) {
      if (!(error instanceof RemitError && error.httpStatus === 404)) throw error;
    }
  }
}

export interface ListedEndpoints {
  /** The endpoints that the rotation created besides the one that it knows, found by their description. */
  strays: string[];
  /** Those of its two endpoints that are in the list and active. */
  active: ReadonlySet<string>;
}

/** What the service lists of the endpoints of a rotation. */
export async function listedOf(context: Context, state: RotationState): Promise<ListedEndpoints> {
  const {old_id, new_id} = state;
  const strays: string[] = [];
  const active = new Set<string>();
  for await (const {id, url, description, is_active: isActive} of listedEndpoints(
    context,
    context.stop.signal,
  ))
    if (id === old_id || id === new_id) {
      if (isActive !== false) active.add(id);
    } else if (url === state.url && description === state.description) strays.push(id);
  return {strays, active};
}

export const deleteEndpoint = (context: Context, id: string): Promise<Sent> =>
  sendWrite(context, {...endpointDeletion(id), dryRun: false});

/** An empty file, or one with the secret of the endpoint that was just deleted, was left by an interrupted run. */
function openFile(context: Context, path: string, before: RotationState | undefined): SecretFile {
  const found = fingerprintIn(path);
  if (found === '' || (found !== undefined && found === before?.fingerprint)) rmSync(path, {force: true});
  return openSecretFile(path, context.runtime.cwd);
}
