import {homedir, userInfo} from 'node:os';
import {isAbsolute, join} from 'node:path';
import {RemitError} from '../errors.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The user's home. An empty or relative HOME would make a folder of profiles out of the working folder, whose files may
 * belong to anyone; then the home is that of the user database.
 */
export const homeFolder = (env: Env): string =>
  env['HOME'] === undefined ? homedir() : isAbsolute(env['HOME']) ? env['HOME'] : userInfo().homedir;

/**
 * REMIT_CONFIG_DIR, otherwise the XDG config folder.
 * @throws RemitError USAGE for a relative REMIT_CONFIG_DIR
 */
export const configDir = (env: Env, home: string): string =>
  own(env, 'REMIT_CONFIG_DIR') ?? join(xdg(env, 'XDG_CONFIG_HOME') ?? join(home, '.config'), 'remit');

/**
 * REMIT_STATE_DIR, otherwise the XDG state folder.
 * @throws RemitError USAGE for a relative REMIT_STATE_DIR
 */
export const stateDir = (env: Env, home: string): string =>
  own(env, 'REMIT_STATE_DIR') ?? join(xdg(env, 'XDG_STATE_HOME') ?? join(home, '.local', 'state'), 'remit');

/** The folder must be the same wherever a command runs: each folder of batches has its own list of what was paid. */
function own(env: Env, name: string): string | undefined {
  const folder = env[name] || undefined;
  if (folder !== undefined && !isAbsolute(folder))
    throw new RemitError('USAGE', `${name} is ${JSON.stringify(folder)}, not an absolute path`, {
      hint: `set ${name} to an absolute path`,
    });
  return folder;
}

/** A relative path is ignored, as the XDG specification requires. */
export function xdg(env: Env, name: `XDG_${string}`): string | undefined {
  const folder = env[name];
  return folder !== undefined && isAbsolute(folder) ? folder : undefined;
}
