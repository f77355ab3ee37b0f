import {resolve} from 'node:path';
import {RemitError} from '../../../errors.ts';
import {messageOf, must} from '../../../narrow.ts';
import {acquireLock} from '../../../store/locks/lock.ts';
import {RecordReader} from '../../../webhooks/record/reader.ts';
import type {Context} from '../../core/context.ts';
import {done, type Outcome} from '../../core/outcome.ts';
import {DEFAULT_WAIT_MS} from '../../input/durations.ts';
import {canAsk} from '../../runtime/prompts.ts';
import {recordFolder} from '../place.ts';
import {type Endpoint, findEndpoint} from './endpoint.ts';
import {
  createNew,
  deleteEndpoint,
  hasSecret,
  type Listed,
  listedOf,
  removeUnfinished,
  sendCreate,
} from './create.ts';
import {Rotation, rotationTo, type RotationState} from './rotation.ts';

export interface RotateRequest {
  id: string;
  secretFile: string | undefined;
  /** The user states that the receiver has the new secret. */
  confirmed: boolean | undefined;
  timeoutMs: number | undefined;
  dryRun: boolean | undefined;
}

const WATCH_EVERY_MS = 500;

/**
 * Interface document, "Webhooks": creates a new endpoint with the same URL and types, waits until the receiver uses
 * its secret, then deletes the old endpoint. The same command continues after an interruption at any point. The old
 * endpoint is deleted last, and only while the new one exists and is active.
 */
export async function rotateEndpoint(context: Context, request: RotateRequest): Promise<Outcome> {
  const rotation = new Rotation(context, request.id);
  const lock = await acquireLock(`${rotation.file}.lock`, {
    purpose: 'A rotation of this endpoint',
    clock: context.clock,
  });
  try {
    return done(await rotate(context, rotation, request));
  } catch (error) {
    throw explained(context, rotation, error);
  } finally {
    await lock.release();
  }
}

async function rotate(context: Context, rotation: Rotation, request: RotateRequest): Promise<unknown> {
  const {id, dryRun, secretFile} = request;
  const before = rotation.load();
  checkRequest(context, before, request);
  const old = await findEndpoint(context, id, before !== undefined);
  const file = secretFile === undefined ? undefined : resolve(context.runtime.cwd, secretFile);
  if (old === undefined && before?.step !== 'verified') throw withoutOld(context, rotation);
  const plan = {...(before ?? planFor(context, id, old)), ...(file === undefined ? {} : {secret_file: file})};
  if (dryRun) return (await sendCreate(context, plan, true)).dryRun;
  if (before !== undefined)
    context.out.note(`Continuing the rotation of ${id}, started ${before.started_at}.`);
  if (!hasSecret(rotation)) {
    if (before !== undefined) await removeUnfinished(context, before);
    await createNew(context, rotation, plan);
  }
  await verify(context, rotation, request);
  await checkNew(context, rotation, old);
  const isConfirmed = old === undefined || (await deleteOld(context, id));
  return finish(context, rotation, isConfirmed);
}

/** What exists, and the command that continues, once there is something to continue. */
function explained(context: Context, {state}: Rotation, thrown: unknown): unknown {
  if (state === undefined || !(thrown instanceof RemitError)) return thrown;
  const {code, message, httpStatus, requestId, body, exitCode, retryable, details} = thrown;
  const hint = continueWith(context, state.old_id);
  const {new_id, old_id, step} = state;
  const facts = {id: new_id, old_endpoint: old_id, new_endpoint: new_id, step, next: hint};
  const said = message.replace('. Check before you repeat it', ''); // the next run checks it
  return new RemitError(code, `${said}. ${whatExists(state, code)}`, {
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

/** The old endpoint was deleted by other means. */
function withoutOld(context: Context, rotation: Rotation): RemitError {
  const {old_id, new_id} = rotation.known;
  rotation.forget();
  const words = new_id === null ? ['list'] : ['get', new_id];
  return new RemitError(
    'NOT_FOUND',
    `the endpoint ${old_id} does not exist any more; its rotation has ended`,
    {
      hint: context.commands.read('webhooks', 'endpoints', ...words),
      details: {old_endpoint: old_id, new_endpoint: new_id},
    },
  );
}

function continueWith({commands, flags}: Context, oldId: string, ...words: string[]): string {
  return commands.write(
    ...['webhooks', 'endpoints', 'rotate', oldId, ...words],
    ...(flags.yes ? ['--yes'] : []),
  );
}

/** Checks before anything is sent what would otherwise fail only when both endpoints exist. */
function checkRequest(context: Context, before: RotationState | undefined, request: RotateRequest): void {
  const {out, flags, runtime} = context;
  const {id, secretFile, dryRun} = request;
  const other = before === undefined ? rotationTo(context, id) : undefined;
  if (other !== undefined)
    throw new RemitError(
      'LOCAL_VALIDATION',
      `${id} is the new endpoint of the unfinished rotation of ${other.old_id}`,
      {hint: continueWith(context, other.old_id)},
    );
  if (dryRun) return;
  const handedOver = before?.step === 'handed_over' || before?.step === 'verified';
  const {query, fields} = out.settings;
  const isShown = out.forPeople && query === undefined && fields.length === 0;
  if (!handedOver && !isShown && secretFile === undefined && (before?.secret_file ?? null) === null)
    throw new RemitError(
      'USAGE',
      'the new signing secret is shown as text before the wait, and this output format would hide it; nothing was sent',
      {hint: 'add --secret-file FILE to the same command'},
    );
  if (!flags.yes && !canAsk(runtime))
    throw new RemitError(
      'NEEDS_TERMINAL',
      'deleting the old endpoint needs a confirmation, but there is no terminal; nothing was sent',
      {hint: 'add --yes to the same command'},
    );
}

const MARK = / ?\(?replaces endpoint [0-9A-Za-z_-]+\)?$/;
const MOST_KEPT = 120;

function planFor({profile, clock, commands}: Context, id: string, old: Endpoint | undefined): RotationState {
  if (old === undefined) throw new Error('a rotation needs an existing endpoint');
  if (!old.active)
    throw new RemitError(
      'LOCAL_VALIDATION',
      `the endpoint ${id} is disabled, so no delivery could show that the new secret works`,
      {hint: commands.write('webhooks', 'endpoints', 'enable', id)},
    );
  const kept = old.description.replace(MARK, '').slice(0, MOST_KEPT);
  return {
    ...{step: 'creating', old_id: id, url: old.url, event_types: old.eventTypes},
    description: kept === '' ? `replaces endpoint ${id}` : `${kept} (replaces endpoint ${id})`,
    ...{base_url: profile.baseUrl, mode: profile.mode, started_at: new Date(clock.now()).toISOString()},
    ...{secret_file: null, new_id: null, fingerprint: null, verified_by: null, delivery: null},
  };
}

/** Waits until the listener's record has a delivery that verified with the new secret, or the user confirms it. */
async function verify(context: Context, rotation: Rotation, request: RotateRequest): Promise<void> {
  const {out} = context;
  const state = rotation.known;
  if (state.step === 'verified') return;
  if (request.confirmed) return rotation.save({...state, step: 'verified', verified_by: 'confirmation'});
  out.note(
    `Both endpoints receive every event now. Let your receiver accept both secrets. Waiting for a delivery that \`remit webhooks listen\` verifies with the new one (fingerprint ${state.fingerprint}). For any other receiver, stop this with Ctrl-C, and once it has the new secret:`,
  );
  out.hint(continueWith(context, state.old_id, '--confirmed'));
  const delivery = await verifiedDelivery(context, state, request.timeoutMs ?? DEFAULT_WAIT_MS);
  if (delivery === undefined)
    throw new RemitError('WAIT_TIMEOUT', 'no delivery verified with the new secret before the time limit');
  out.text(`The delivery ${delivery} verified with the new secret.`);
  rotation.save({...state, step: 'verified', verified_by: 'delivery', delivery});
}

async function verifiedDelivery(
  context: Context,
  {fingerprint}: RotationState,
  timeoutMs: number,
): Promise<string | undefined> {
  const {clock, stop} = context;
  const reader = new RecordReader(recordFolder(context));
  const endMs = clock.now() + timeoutMs;
  for (;;) {
    for (const entry of reader.more())
      if (entry.kind === 'delivery' && entry.delivery.verdict === 'verified')
        if (entry.delivery.secret === fingerprint) return entry.delivery.id;
    if (clock.now() >= endMs) return undefined;
    await clock.sleep(WATCH_EVERY_MS, stop.signal);
  }
}

/** The old endpoint is deleted only while the new one exists, is active and has the same URL. */
async function checkNew(context: Context, rotation: Rotation, old: Endpoint | undefined): Promise<void> {
  const {new_id, old_id, url} = rotation.known;
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
  if (found.active) return;
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
async function deleteOld(context: Context, id: string): Promise<boolean> {
  const {flags, profile, runtime} = context;
  const asks = profile.mode === 'test' && !flags.yes;
  if (asks && !(await runtime.prompts.confirm(`Delete the old endpoint ${id}?`, '--yes')))
    throw new RemitError('GUARD_CONFIRM', 'not confirmed: the old endpoint was not deleted');
  try {
    await deleteEndpoint(context, id);
    return true;
  } catch (error) {
    if (!(error instanceof RemitError && error.httpStatus === 404)) throw error;
    return false;
  }
}

/** @param isConfirmed the service has confirmed the deletion; otherwise the list must show it */
async function finish(context: Context, rotation: Rotation, isConfirmed: boolean): Promise<unknown> {
  const {out} = context;
  const state = rotation.known;
  const listed = isConfirmed ? await listAtEnd(context, state) : await listedOf(context, state);
  if (listed?.active.has(state.old_id))
    throw new RemitError(
      'IN_DOUBT',
      `the service accepted the deletion of the old endpoint ${state.old_id} but still lists it as active`,
    );
  rotation.forget();
  out.text(`Deleted webhook endpoint ${state.old_id}. ${state.new_id} replaces it.`);
  nameStrays(context, listed);
  const {new_id, old_id, url, event_types, fingerprint, secret_file, verified_by, delivery} = state;
  return {
    ...{id: new_id, replaced: old_id, url, event_types, secret_fingerprint: fingerprint, secret_file},
    ...{verified_by, delivery},
  };
}

/** Undefined, after a warning, if it cannot be read: the deletion was confirmed, so the rotation is done. */
async function listAtEnd(context: Context, state: RotationState): Promise<Listed | undefined> {
  try {
    return await listedOf(context, state);
  } catch (error) {
    context.out.warn(`the list of endpoints could not be read: ${messageOf(error)}`);
    return undefined;
  }
}

/** A create whose answer was lost may have taken effect later than the run that looked for it. */
function nameStrays({out, commands}: Context, listed: Listed | undefined): void {
  for (const id of listed?.strays ?? []) {
    out.warn(`an interrupted run of this rotation also created the endpoint ${id}`);
    out.hint(commands.write('webhooks', 'endpoints', 'delete', id));
  }
}
