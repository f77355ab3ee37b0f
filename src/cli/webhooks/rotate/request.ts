import {RemitError} from '../../../errors.ts';
import {lifeOf, systemProbe} from '../../../store/locks/lock-holder.ts';
import type {Context} from '../../core/context.ts';
import {canAsk} from '../../runtime/prompts.ts';
import {isOfListener, listenerOf} from '../registration/endpoint-note.ts';
import {deleteCommand} from '../registration/remove-endpoint.ts';
import type {Endpoint} from './endpoint.ts';
import {continueWith, rotationTo, type RotationState} from './rotation.ts';

export interface RotateRequest {
  id: string;
  secretFile: string | undefined;
  /** The user states that the receiver has the new secret. */
  confirmed: boolean | undefined;
  timeoutMs: number | undefined;
  dryRun: boolean | undefined;
}

/** Checks before anything is sent what would otherwise fail only when both endpoints exist. */
export function checkRequest(
  context: Context,
  before: RotationState | undefined,
  request: RotateRequest,
): void {
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

/** The rotation of an endpoint, before its first step. */
export function planFor(context: Context, id: string, old: Endpoint | undefined): RotationState {
  const {profile, clock, commands} = context;
  if (old === undefined) throw new Error('a rotation needs an existing endpoint');
  refuseListeners(context, id, old);
  if (old.active === false)
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

/**
 * An endpoint of `listen --register` is temporary: its listener cannot get the new secret, and at its end it would
 * not find the endpoint that replaces it.
 */
function refuseListeners(context: Context, id: string, {description}: Endpoint): void {
  const holder = listenerOf(context, id);
  if (holder === undefined && !isOfListener(description)) return;
  const life = holder === undefined ? 'unknown' : lifeOf(holder, systemProbe);
  const what = `the endpoint ${id} was created by \`webhooks listen --register\``;
  const refused = (text: string, hint: string) =>
    new RemitError('LOCAL_VALIDATION', `${what}${text}`, {hint});
  if (life === 'dead')
    throw refused(', which was killed; the next one uses it again or removes it', deleteCommand(context, id));
  const running = life === 'alive' ? ` (process ${holder?.pid}, still running)` : '';
  const words = ['webhooks', 'endpoints', 'update', id, '--description', 'TEXT'];
  throw refused(
    `${running}, which cannot get the new secret and deletes the endpoint when it ends`,
    life === 'alive'
      ? 'for a new secret, stop that listener and start it again: it registers a new endpoint'
      : `if that listener has ended, change the description first: ${context.commands.write(...words)}`,
  );
}
