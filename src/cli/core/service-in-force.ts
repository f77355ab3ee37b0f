import {normaliseBaseUrl} from '../../client/transport/base-url.ts';
import type {SignatureForm} from '../../contract/signature-form.ts';
import {RemitError} from '../../errors.ts';
import type {ProjectFile} from '../../profiles/project-file.ts';
import {chooseProfile, serviceOf} from '../../profiles/resolve.ts';
import type {LocalContext} from './context.ts';

/** The service file that the next command would use, and where it comes from; none without a profile. No key is read. */
export function serviceInForce(
  {runtime, flags, configDir}: LocalContext,
  project: ProjectFile | undefined,
): ReturnType<typeof serviceOf> {
  const question = {flag: flags.profile, env: runtime.env, project, configDir, normaliseBaseUrl};
  try {
    return serviceOf(question, chooseProfile(question));
  } catch (error) {
    const isUnset = error instanceof RemitError && (error.code === 'NO_KEY' || error.code === 'USAGE');
    if (isUnset && flags.profile === undefined) return {service: {}, from: undefined};
    throw error;
  }
}

/** How the service of the next command signs its webhooks; undefined: as documented. */
export const signatureFormInForce = (
  local: LocalContext,
  project: ProjectFile | undefined,
): SignatureForm | undefined => serviceInForce(local, project).service.webhooks;
