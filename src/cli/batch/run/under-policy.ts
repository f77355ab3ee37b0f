import type {OpenBatch} from '../../../batch/journal/open-batch.ts';
import type {Summary} from '../../../batch/standing/summary.ts';
import {RemitError} from '../../../errors.ts';
import {ApprovalGate, approveHints} from '../../approval/gate.ts';
import {horizonOf, type RunRequest, typing} from './request.ts';

/** @throws RemitError USAGE for an approval that a profile without a policy would not check */
export function openGate(request: RunRequest, batch: OpenBatch): ApprovalGate | undefined {
  const {context, flags, path} = request;
  const isFree = path === 'cancel' && context.profile.approvalPolicy === undefined; // it moves no money
  const gate = isFree ? undefined : ApprovalGate.open({...context, horizonMs: horizonOf(request)}, batch);
  const {approval: files = []} = flags;
  if (gate === undefined && files.length > 0)
    throw new RemitError('USAGE', 'this profile has no policy, so an approval would not be checked', {
      hint: (commands) =>
        `pin the policy: ${commands.read('profiles', 'set', commands.profile ?? 'NAME', '--approval-policy', 'FILE')}`,
    });
  for (const file of files) gate?.take(file);
  return gate;
}

/**
 * What a command may do under a policy: only `release`, and a run in direct mode, move money, and only with approvals. A
 * run stages its rows, unless all of them are staged and approved; a retry always stages.
 * @throws RemitError GUARD_APPROVAL
 */
export function underPolicy(
  request: RunRequest,
  batch: OpenBatch,
  gate: ApprovalGate | undefined,
): RunRequest {
  const {path, accepted, doing, flags, context, typed} = request;
  if (gate === undefined || path === 'cancel') return request;
  const again = (...without: string[]) => context.commands.again(typed, {without});
  if (accepted.differences && path !== 'stage-only')
    throw new RemitError(
      'GUARD_APPROVAL',
      'the policy of this profile approves rows as they are in the file: records that differ from them are not released',
      {hint: again('--accept differences')},
    );
  if (path === 'stage-only' || (path === 'release' && doing !== 'retry')) return request;
  if (doing !== 'retry' && (path === 'direct' || gate.isReady)) return request;
  if (flags.until !== undefined)
    throw new RemitError(
      'GUARD_APPROVAL',
      `batch ${batch.plan.batchId} is only staged until it is approved: there is nothing to follow`,
      {hint: again('--until', '--timeout')},
    );
  context.out.note('The policy of this profile requires approvals: rows are staged, and no money moves.');
  return {...request, path: 'stage-only', doing: doing === 'retry' ? doing : 'stage', goesOn: false};
}

/** A person is not asked to confirm what would be refused afterwards. */
export async function beforeConfirming(
  {path, doing, typed}: RunRequest,
  gate: ApprovalGate | undefined,
): Promise<void> {
  if (path === 'stage-only' && doing !== 'retry' && !typed.argv.includes('--stage-only'))
    gate?.refuseApprover(path);
  if (path === 'direct') {
    gate?.refuseApprover(path);
    await gate?.signAsMaker();
  }
  if (path === 'direct' || path === 'release') gate?.requireFor(path);
}

/** Notes what was confirmed; rows that are staged are signed by their maker first. */
export async function beforeSending(
  {path, doing}: RunRequest,
  gate: ApprovalGate | undefined,
): Promise<void> {
  if (gate === undefined) return;
  if (path === 'cancel') return gate.note('canceled');
  if (path === 'stage-only') await gate.signAsMaker();
  gate.note('confirmed', {doing, path});
}

/** What the other person types. */
export function hintApproval(
  request: RunRequest,
  batch: OpenBatch,
  {staged}: Summary,
  gate: ApprovalGate | undefined,
): void {
  if (gate === undefined || request.path !== 'stage-only' || staged === 0) return;
  const {out} = request.context;
  for (const hint of approveHints(request.context, batch)) out.hint(hint);
  out.hint(`then: ${typing(request, batch.plan)('release')}`);
}
