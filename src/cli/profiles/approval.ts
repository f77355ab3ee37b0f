import {resolve} from 'node:path';
import {readPinned, readPolicy, signedPolicy} from '../../approval/policy-file.ts';
import {POLICY_NAMESPACE} from '../../approval/policy.ts';
import {RemitError} from '../../errors.ts';
import type {PinnedPolicy} from '../../profiles/profile.ts';
import type {ProfileSettings} from '../../profiles/settings.ts';
import {shellWord} from '../../shell-word.ts';
import type {FlagValues} from '../input/flags.ts';
import type {guardFlags} from './flags.ts';

/** The policy as it is now is pinned; a policy that cannot be used is not. */
export function readApprovalSettings(
  flags: FlagValues<typeof guardFlags>,
  cwd: string,
): Pick<ProfileSettings, 'approval_policy' | 'approval_key'> {
  const {'approval-policy': policy, 'approval-key': key} = flags;
  const path = policy === undefined ? undefined : resolve(cwd, policy);
  return {
    ...(path === undefined ? {} : {approval_policy: {path, sha256: readPolicy(path).sha256}}),
    ...(key === undefined ? {} : {approval_key: resolve(cwd, key)}),
  };
}

/**
 * A pinned policy is replaced only by one that enough of its own approvers have signed.
 * @throws RemitError GUARD_APPROVAL
 */
export function requireQuorum(old: PinnedPolicy | undefined, next: PinnedPolicy | undefined): void {
  if (old === undefined || next === undefined || old.sha256 === next.sha256) return;
  const {by, quorum} = signedPolicy(next.path, readPinned(old));
  if (by.length >= quorum) return;
  throw new RemitError(
    'GUARD_APPROVAL',
    `the new policy is signed by ${by.length} of the ${quorum} approvers of the old one that are needed; nothing was changed`,
    {
      hint: `each of them types: ssh-keygen -Y sign -n ${POLICY_NAMESPACE} -f KEY ${shellWord(next.path)}, and renames ${shellWord(`${next.path}.sig`)} to ${shellWord(`${next.path}.NAME.sig`)}`,
    },
  );
}
