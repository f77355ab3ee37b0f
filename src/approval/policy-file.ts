import {readdirSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {RemitError} from '../errors.ts';
import {readApprovalFile} from './approval-files.ts';
import {fitsRule, parsePolicy, type Policy, type PolicyKey, POLICY_NAMESPACE} from './policy.ts';
import {type SignedBy, unarmored, verifySshSignature} from './ssh-signature.ts';

/** The content of a policy that a profile has pinned. */
interface Pinned {
  path: string;
  sha256: string;
}

export const readPolicy = (path: string): Policy => parsePolicy(readApprovalFile(path), path);

/** @throws RemitError GUARD_APPROVAL if it is not the policy that was pinned */
export function readPinned({path, sha256}: Pinned): Policy {
  const policy = readPolicy(path);
  if (policy.sha256 === sha256) return policy;
  throw new RemitError('GUARD_APPROVAL', `the policy ${path} was changed since this profile pinned it`, {
    hint: 'restore its former content; another policy goes into another file, signed by enough approvers of this one',
    details: {pinned: sha256, found: policy.sha256},
  });
}

/** Who has signed a policy that replaces another one, of the approvers of the old rule that lacks most of them. */
export interface PolicySigned {
  by: string[];
  quorum: number;
}

/**
 * The approvers of the old policy who have signed a new one: `ssh-keygen -Y sign -n remit-policy-v1 -f KEY FILE` writes
 * FILE.sig; renamed to FILE.NAME.sig, several signatures lie beside it. Each old rule needs its quorum, with such keys as
 * it demands: those who approve small amounts cannot change the rule for large ones.
 */
export function signedPolicy(path: string, old: Policy): PolicySigned {
  const text = readApprovalFile(path);
  const name = basename(path);
  const signed: (PolicyKey & {device: SignedBy['device']})[] = [];
  for (const file of readdirSync(dirname(path))) {
    if (!file.startsWith(`${name}.`) || !file.endsWith('.sig')) continue;
    try {
      const signature = unarmored(readApprovalFile(join(dirname(path), file)));
      const {blob, device} = verifySshSignature(signature, text, POLICY_NAMESPACE);
      const key = old.keys.get(blob.toString('base64'));
      if (key !== undefined && device?.isPresent !== false) signed.push({...key, device});
    } catch (error) {
      if (!(error instanceof RemitError)) throw error; // a signature that does not count
    }
  }
  const ofRules = old.rules.map(({approvers, keys, quorum}): PolicySigned => {
    const counted = signed.filter(
      ({person, type, device}) => approvers.includes(person) && fitsRule(keys, type, device),
    );
    return {by: [...new Set(counted.map(({person}) => person))].sort(), quorum};
  });
  return ofRules.reduce((worst, rule) => (lackOf(rule) > lackOf(worst) ? rule : worst));
}

const lackOf = ({by, quorum}: PolicySigned): number => quorum - by.length;
