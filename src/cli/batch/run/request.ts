import {horizonMsOf} from '../../../service/service-file.ts';
import type {Kind} from '../../../batch/model/kinds.ts';
import type {RunPath} from '../../../batch/model/run-path.ts';
import type {BatchClaims} from '../../../batch/registry/batch-claims.ts';
import type {OpenBatch} from '../../../batch/journal/open-batch.ts';
import type {Plan} from '../../../batch/model/plan-facts.ts';
import {readSummary} from '../../../batch/standing/read-summary.ts';
import {typingFor} from '../../../batch/standing/next-command.ts';
import type {ReturnsAtEnd} from '../../../batch/report/returned.ts';
import type {Speed} from '../../../batch/speed/speed.ts';
import type {Codec} from '../../../client/requests/codec.ts';
import type {Transport} from '../../../client/transport/transport.ts';
import type {ApprovalGate} from '../../approval/gate.ts';
import type {Context} from '../../core/context.ts';
import type {FlagValues} from '../../input/flags.ts';
import type {Commands, Typed} from '../../line/command-line.ts';
import type {Accepted} from '../accept.ts';
import type {confirmFlags, followFlags, runFlags} from '../flags.ts';
import {sendingCommands} from '../place.ts';

export type RunFlags = FlagValues<typeof confirmFlags & typeof followFlags & typeof runFlags>;

export interface RunRequest {
  context: Context;
  kind: Kind;
  stateDir: string;
  batchId: string;
  flags: RunFlags;
  accepted: Accepted;
  /** The command itself, for hints that repeat it. */
  typed: Typed;
  /** `as-before`: in the way in which the batch was started. */
  path: RunPath | 'as-before';
  /** What is confirmed: `pay`, `stage`, `release`. */
  doing: string;
  /** The plan was confirmed when the batch was started. */
  goesOn?: boolean;
  /** Another process has the batch: its rows without an answer are on their way, and not in doubt. */
  joins?: boolean;
  /** The command names the batch by its id, and has not just planned its file. */
  isById: boolean;
  /** First raise the generation of failed rows; with names, only of those. */
  retry?: {named: readonly string[]};
}

/** `run ID` without a flag for the way. `resume` is its former name, which earlier versions have printed. */
export const continues = (kind: Kind): Pick<RunRequest, 'path' | 'doing'> => ({
  path: 'as-before',
  doing: verbOf(kind, 'as-before'),
});

/** What is confirmed before rows are sent in this way. */
export const verbOf = (kind: Kind, path: RunRequest['path']): string =>
  path === 'stage-only' ? 'stage' : kind === 'payout' ? 'pay' : 'collect';

/**
 * The request for a batch that was started: it continues in the same way, and its plan is not confirmed again. What was
 * only staged stays staged until its release. Rows that cannot be sent in direct mode are staged and released.
 */
export function asStarted(request: RunRequest, batch: OpenBatch): RunRequest {
  const {kind, path, doing} = request;
  if (path !== 'as-before' || doing !== verbOf(kind, path)) return request;
  const {journal, plan} = batch;
  const confirmed = journal.fact('confirmed');
  // A run that failed right after it was confirmed has not stored its way.
  const before = journal.fact('path') ?? (confirmed?.doing === 'stage' ? 'stage-only' : 'stage-and-release');
  const isIndirect = before === 'direct' && !mayGoDirect(request, batch);
  const way = isIndirect ? 'stage-and-release' : before;
  const isKnown = confirmed?.planHash === plan.planHash && !isIndirect;
  return {...request, path: way, doing: verbOf(kind, way), goesOn: isKnown};
}

/** Live money needs trust in the keys, which is stated with the flag; a plan that was confirmed has stated it. */
function mayGoDirect({context, accepted}: RunRequest, batch: OpenBatch): boolean {
  const {journal, plan} = batch;
  const isConfirmed = journal.fact('confirmed')?.planHash === plan.planHash;
  if (!isConfirmed && context.profile.mode === 'live' && !accepted.keyTrust) return false;
  const {state, next} = readSummary(batch, context.clock.now());
  return state === 'planned' || !/ batch run /.test(next ?? '');
}

/**
 * Stores the way of a plan that is not confirmed yet, so that `run ID` asks about the same one after a run that was
 * declined or refused. Rows that may have been sent in direct mode keep it: a cancel asks about them differently.
 */
export function noteWay({path}: RunRequest, {journal, plan}: OpenBatch): void {
  if (path === 'as-before' || path === 'release' || path === 'cancel') return;
  if (journal.fact('confirmed')?.planHash === plan.planHash) return;
  if (journal.fact('path') === 'direct' && journal.tally().in_doubt.count > 0) return;
  journal.setFact('path', path);
}

/** A confirmed run. */
export interface ConfirmedRun {
  request: RunRequest;
  batch: OpenBatch;
  claims: BatchClaims;
  transport: Transport;
  speed: Speed;
  codec: Codec;
  folder: string;
  /** Undefined for a profile without a policy. */
  gate: ApprovalGate | undefined;
  returnsAtEnd: ReturnsAtEnd;
}

/** Builds the commands for the batch that a request sends. */
export const commandsOfRun = ({context, flags}: RunRequest, plan: Plan): Commands =>
  sendingCommands(context, plan, flags.out);

/** Builds the command of a verb for that batch. */
export const typing = (request: RunRequest, plan: Plan): ReturnType<typeof typingFor> =>
  typingFor(commandsOfRun(request, plan), plan);

/** Milliseconds for which the service is taken to remember a key. */
export const horizonOf = ({flags, context: {profile}}: RunRequest): number =>
  flags['key-horizon'] ?? horizonMsOf(profile.service);

/** The command that continues a batch whose run failed. */
export const runOrRefuse = (request: RunRequest, plan: Plan): string =>
  typing(request, plan)(request.path === 'cancel' ? 'cancel' : 'resume');

/** The command that shows the status of a batch. */
export const statusCommand = (request: RunRequest, plan: Plan): string => typing(request, plan)('status');

/** The command that writes the results of a batch. */
export const writeAgain = (request: RunRequest, plan: Plan): string => typing(request, plan)('report');
