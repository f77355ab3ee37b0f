import {normaliseBaseUrl} from '../../client/transport/base-url.ts';
import {RemitError} from '../../errors.ts';
import type {ActiveProfile} from '../../profiles/profile.ts';
import type {ProjectFile} from '../../profiles/project-file.ts';
import {chooseProfile, serviceOf} from '../../profiles/resolve.ts';
import type {LocalContext} from '../core/context.ts';

/** What an approval has to do with a profile. */
export type ApprovalProfile = Pick<
  ActiveProfile,
  'name' | 'mode' | 'baseUrl' | 'service' | 'approvalPolicy' | 'approvalKey'
>;

/** The profile in force, without its API key: people who approve need none. Undefined without a stored profile. */
export function approvalProfile(
  {runtime, flags, configDir}: LocalContext,
  project: ProjectFile | undefined,
): ApprovalProfile | undefined {
  const question = {flag: flags.profile, env: runtime.env, project, configDir, normaliseBaseUrl};
  try {
    const choice = chooseProfile(question);
    const {profile, name, baseUrl} = choice;
    if (profile === undefined) return undefined;
    return {
      ...{name, baseUrl, mode: profile.mode, service: serviceOf(question, choice).service},
      ...{approvalPolicy: profile.approval_policy, approvalKey: profile.approval_key},
    };
  } catch (error) {
    const isUnset = error instanceof RemitError && (error.code === 'NO_KEY' || error.code === 'USAGE');
    if (isUnset && flags.profile === undefined) return undefined;
    throw error;
  }
}
