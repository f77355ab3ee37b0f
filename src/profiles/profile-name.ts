import {RemitError} from '../errors.ts';
import type {ConfigFile} from './profile.ts';
import type {ProjectFile} from './project-file.ts';

interface NameQuestion {
  /** `--profile`. */
  flag?: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
  project?: Pick<ProjectFile, 'path' | 'profile' | 'isForeign'> | undefined;
}

/**
 * The name of the profile to use, and where it comes from. Separate from the profile itself, for shell completion.
 * @param enough true if the environment contains both a key and a base URL, so that no default is needed
 * @throws RemitError STATE if a project file of another user would choose it
 */
export function profileName(
  {flag, env, project}: NameQuestion,
  config: Pick<ConfigFile, 'default'>,
  enough: boolean,
): {name: string; from: string} | undefined {
  if (flag !== undefined) return {name: flag, from: '--profile'};
  if (env['REMIT_PROFILE']) return {name: env['REMIT_PROFILE'], from: 'REMIT_PROFILE'};
  if (enough) return undefined;
  if (project?.isForeign === true) throw ofAnother(project.path);
  if (project?.profile !== undefined) return {name: project.profile, from: project.path};
  if (config.default !== undefined) return {name: config.default, from: 'stored default'};
  return undefined;
}

const ofAnother = (path: string): RemitError =>
  new RemitError('STATE', `refused to use ${path}: it belongs to another user, and could choose a profile`, {
    hint: 'name the profile, and the file is ignored: --profile NAME',
  });
