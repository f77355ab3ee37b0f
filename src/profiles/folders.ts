import {join} from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** REMIT_CONFIG_DIR, otherwise the XDG config folder. */
export function configDir(env: Env, home: string): string {
  return env['REMIT_CONFIG_DIR'] || join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'remit');
}

/** REMIT_STATE_DIR, otherwise the XDG state folder. */
export function stateDir(env: Env, home: string): string {
  return env['REMIT_STATE_DIR'] || join(env['XDG_STATE_HOME'] || join(home, '.local', 'state'), 'remit');
}
