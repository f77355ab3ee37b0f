import {resolve} from 'node:path';
import {differencesInWords} from '../../../client/answers/difference.ts';
import {EXIT, RemitError} from '../../../errors.ts';
import {messageOf, must} from '../../../narrow.ts';
import {counted} from '../../../phrases.ts';
import {acquireLock} from '../../../store/locks/lock.ts';
import type {Context} from '../../core/context.ts';
import {done, type CommandOutcome} from '../../core/outcome.ts';
import {changedOtherwise} from '../../write/compare.ts';
import {DEFAULT_WAIT_MS} from '../../input/durations.ts';
import {canceledWith} from '../deliveries.ts';
import {type Endpoint, findEndpoint} from './endpoint.ts';
import {
  createNew,
  deleteEndpoint,
  hasNewSecret,
  type ListedEndpoints,
  listedOf,
  removeUnfinished,
  sendCreate,
} from './create.ts';
import {checkRequest, planFor, type RotateRequest} from './request.ts';
import {continueWith, Rotation, type RotationState} from './rotation.ts';
import {verifyNew} from './verification.ts';
import {lostWith, waitForDeliveries} from './waiting-deliveries.ts';

/**
 * Interface document, "Webhooks": creates a new endpoint with the same URL and types, waits until the receiver uses
 * its secret, then deletes the old endpoint. The same command continues after an interruption at any point. The old
 * endpoint is deleted last, and only while the new one exists and is active.
 */
export async function rotateEndpoint(context: Context, request: RotateRequest): Promise<CommandOutcome> {
  const rotation = new Rotation(context, request.id);
  const lock = await acquireLock(`${rotation.file}.lock`, {
    purpose: 'a rotation of this endpoint',
    clock: context.clock,
  });
  try {
    return await rotate(context, rotation, request);
  } catch (error) {
    throw explained(context, rotation, error);
  } finally {
    await lock.release();
  }
}

async function rotate(context: Context, rotation: Rotation, request: RotateRequest): Promise<CommandOutcome> {
  const {id, dryRun, secretFile} = request;
  const before = rotation.load();
  checkRequest(context, before, request);
  const old = await findEndpoint(context, id, before !== undefined);
  const file = secretFile === undefined ? undefined : resolve(context.runtime.cwd, secretFile);
  if (old === undefined && before?.step !== 'verified') throw await withoutOld(context, rotation);
  const plan = {...(before ?? planFor(context, id, old)), ...(file === undefined ? {} : {secret_file: file})};
  if (dryRun) return done((await sendCreate(context, plan, true)).dryRun);
  if (before !== undefined)
    context.out.note(`Continuing the rotation of ${id}, started ${before.started_at}.`);
  if (!hasNewSecret(rotation)) {
    if (before !== undefined) await removeUnfinished(context, before);
    await createNew(context, rotation, plan);
  } else if (before !== undefined) nameSecret(context, before, file);
  await verifyNew(context, rotation, request);
  const {eventTypes} = await checkNew(context, rotation, old);
  // An earlier run has deleted it, and was killed before it could name what was canceled.
  if (old === undefined)
    return finish(context, rotation, {
      ...{isConfirmed: true, lost: await lostWith(context, rotation.known), eventTypes},
    });
  const waiting = await waitForDeliveries(context, rotation.known, request.timeoutMs ?? DEFAULT_WAIT_MS);
  const canceled = await canceledWith(context, id);
  const isConfirmed = await deleteOld(context, id, waiting?.length ?? 0);
  return finish(context, rotation, {
    ...{isConfirmed, lost: await lostWith(context, rotation.known, {waiting, canceled}), eventTypes},
  });
}

/** A rotation that continues writes no secret: the service sent it once, to the run that created the endpoint. */
function nameSecret({out}: Context, {secret_file: kept}: RotationState, asked: string | undefined): void {
  const place = kept === null ? 'was shown by an earlier run' : `is in ${kept}`;
  if (asked === undefined || asked === kept) out.note(`The new signing secret ${place}.`);
  else out.warn(`The new signing secret ${place}; ${asked} is not written.`);
}

/** What exists, and the command that continues, once there is something to continue. */
function explained(context: Context, {state}: Rotation, thrown: unknown): unknown {
  if (state === undefined || !(thrown instanceof RemitError)) return thrown;
  const {code, httpStatus, requestId, body, exitCode, retryable, details} = thrown;
  const hint = continueWith(context, state.old_id);
  const {new_id, old_id, step} = state;
  const facts = {id: new_id, old_endpoint: old_id, new_endpoint: new_id, step, next: hint};
  // The next run checks it.
  return new RemitError(code, `${thrown.message}. ${whatExists(state, code)}`, {
    ...{hint, httpStatus, requestId, body, exitCode, retryable, cause: thrown},
    details: {...details, ...facts},
  });
}

function whatExists({old_id, new_id, step}: RotationState, code: string): string {
  if (new_id === null)
    return `The old endpoint ${old_id} exists. The new one may exist as well, but its secret is lost: the next run deletes it and creates another`;
  if (step === 'verified' && code === 'IN_DOUBT')
    return `The new endpoint ${new_id} exists, and the old one ${old_id} may still exist`;
  return `The old endpoint ${old_id} and the new one ${new_id} both exist`;
}

/** The old endpoint was deleted by other means, and its waiting deliveries were canceled with it. */
async function withoutOld(context: Context, rotation: Rotation): Promise<RemitError> {
  const {old_id, new_id} = rotation.known;
  const ids = await lostWith(context, rotation.known);
  const lost =
    ids === undefined || ids.length === 0
      ? ''
      : `. ${counted(ids.length, 'delivery', 'deliveries')} of the old endpoint ${ids.length === 1 ? 'was' : 'were'} canceled: ${ids.join(', ')}`;
  rotation.forget();
  const words = new_id === null ? ['list'] : ['get', new_id];
  return new RemitError(
    'NOT_FOUND',
    `the endpoint ${old_id} does not exist any more; its rotation has ended${lost}`,
    {
      hint: context.commands.read('webhooks', 'endpoints', ...words),
      details: {old_endpoint: old_id, new_endpoint: new_id, canceled_deliveries: ids ?? null},
    },
  );
}

/**
 * The old endpoint is deleted only while the new one exists, is active and has the same URL and event types.
 * @returns the new endpoint
 */
async function checkNew(context: Context, rotation: Rotation, old: Endpoint | undefined): Promise<Endpoint> {
  const {new_id, old_id, url, event_types} = rotation.known;
  const id = must(new_id, 'new endpoint');
  const found = await findEndpoint(context, id, true);
  if (found === undefined) {
    if (old === undefined) {
      rotation.forget();
      const hint = context.commands.read('webhooks', 'endpoints', 'list');
      const message = `neither the old endpoint ${old_id} nor the new endpoint ${id} exists any more`;
      throw new RemitError('NOT_FOUND', message, {hint});
    }
    return startAgain(context, rotation, id);
  }
  if (found.url !== url)
    throw new RemitError('LOCAL_VALIDATION', `the new endpoint ${id} has another URL than the old one`);
  // If the old one is gone, nothing is lost any more.
  const differences =
    old === undefined ? [] : changedOtherwise({event_types}, {event_types: found.eventTypes});
  if (differences.length > 0) {
    const update = ['update', id, '--event-types', event_types.join(',')];
    throw new RemitError(
      'LOCAL_VALIDATION',
      `the new endpoint ${id} is not as requested: ${differencesInWords(differences)}; change it with: ${context.commands.write('webhooks', 'endpoints', ...update)}`,
    );
  }
  if (found.active === true) return found;
  if (found.active === undefined)
    throw new RemitError(
      'UNAVAILABLE',
      `the answer does not show whether the new endpoint ${id} is active (is_active), so the old endpoint ${old_id} stays`,
      {hint: context.commands.read('doctor')},
    );
  const enable = context.commands.write('webhooks', 'endpoints', 'enable', id);
  throw new RemitError('LOCAL_VALIDATION', `the new endpoint ${id} is disabled; enable it with: ${enable}`);
}

/** The new endpoint is not found: the next run creates another, unless the service does list it. */
async function startAgain(context: Context, rotation: Rotation, id: string): Promise<never> {
  const {known} = rotation;
  if ((await listedOf(context, known)).active.has(id))
    throw new RemitError('UNAVAILABLE', `the service lists the new endpoint ${id} but does not find it`);
  rotation.save({...known, step: 'creating', new_id: null});
  throw new RemitError(
    'NOT_FOUND',
    `the new endpoint ${id} does not exist any more; the old one, ${known.old_id}, was not deleted`,
  );
}

/**
 * With a live key at a terminal, the guard asks as well.
 * @returns false for a 404, which may also mean that the path is another one
 */
async function deleteOld(context: Context, id: string, waiting: number): Promise<boolean> {
  const {flags, profile, runtime} = context;
  const asks = profile.mode === 'test' && !flags.yes;
  const losing =
    waiting === 0
      ? ''
      : `, and cancel ${counted(waiting, 'delivery', 'deliveries')} that still wait${waiting === 1 ? 's' : ''} for it`;
  if (asks && !(await runtime.prompts.confirm(`Delete the old endpoint ${id}${losing}?`, '--yes')))
    throw new RemitError('GUARD_CONFIRM', 'not confirmed: the old endpoint was not deleted');
  try {
    await deleteEndpoint(context, id);
    return true;
  } catch (error) {
    if (!(error instanceof RemitError && error.httpStatus === 404)) throw error;
    return false;
  }
}

interface Deleted {
  /** The service has confirmed the deletion; otherwise the list must show it. */
  isConfirmed: boolean;
  /** Deliveries that were canceled with the old endpoint, and whose events are lost; undefined if that is not known. */
  lost: readonly string[] | undefined;
  /** Those of the new endpoint. */
  eventTypes: readonly string[];
}

async function finish(
  context: Context,
  rotation: Rotation,
  {isConfirmed, lost, eventTypes}: Deleted,
): Promise<CommandOutcome> {
  const {out} = context;
  const state = rotation.known;
  const listed = isConfirmed ? await listAtEnd(context, state) : await listedOf(context, state);
  if (listed?.active.has(state.old_id))
    throw new RemitError(
      'IN_DOUBT',
      `the service accepted the deletion of the old endpoint ${state.old_id} but still lists it as active`,
    );
  out.text(
    `Deleted webhook endpoint ${state.old_id}. ${state.new_id} replaces it: from now on, only the new secret is used.`,
  );
  nameStrays(context, listed);
  nameLost(context, lost ?? []);
  rotation.forget(); // the same command names them again after a kill until here
  const {new_id, old_id, url, fingerprint, secret_file, verified_by, delivery} = state;
  const data = {
    ...{id: new_id, replaced: old_id, url, event_types: eventTypes},
    ...{secret_fingerprint: fingerprint, secret_file},
    ...{verified_by, delivery, canceled_deliveries: lost ?? null},
  };
  return {data, exitCode: lost !== undefined && lost.length > 0 ? EXIT.PARTIAL : EXIT.OK};
}

function nameLost({out, commands}: Context, lost: readonly string[]): void {
  const [first] = lost;
  if (first === undefined) return;
  const isOne = lost.length === 1;
  out.warn(
    `${counted(lost.length, 'delivery', 'deliveries')} that waited for the old endpoint ${isOne ? 'was' : 'were'} canceled with it, and the new endpoint has not delivered ${isOne ? 'its event' : 'their events'}: ${lost.join(', ')}`,
  );
  out.hint(commands.read('sandbox', 'deliveries', 'show', first));
}

/** Undefined, after a warning, if it cannot be read: the deletion was confirmed, so the rotation is done. */
async function listAtEnd(context: Context, state: RotationState): Promise<ListedEndpoints | undefined> {
  try {
    return await listedOf(context, state);
  } catch (error) {
    context.out.warn(`the list of endpoints could not be read: ${messageOf(error)}`);
    return undefined;
  }
}

/** A create whose answer was lost may have taken effect later than the run that looked for it. */
function nameStrays({out, commands}: Context, listed: ListedEndpoints | undefined): void {
  for (const id of listed?.strays ?? []) {
    out.warn(`an interrupted run of this rotation also created the endpoint ${id}`);
    out.hint(commands.write('webhooks', 'endpoints', 'delete', id));
  }
}
