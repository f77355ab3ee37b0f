import {basename} from 'node:path';

/** What an outer `npm run` tells its scripts about itself, and what would change what an inner npm does, or where. */
const MISLEADING =
  /^npm_(package_.*|lifecycle_.*|config_(prefix|local_prefix|global|global_prefix|location|workspaces?|include_workspace_root|dry_run|package_lock_only|package_lock|production|omit|only|also|if_present|ignore_scripts|json))$/i;

/** The environment without an outer npm's own settings; registry, proxy, cache and certificates stay. */
export function environmentForNpm(env = process.env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !MISLEADING.test(name)));
}

/**
 * How to start npm: the very npm that runs us where there is one, by its path and without a shell, else the one on the
 * PATH. On Windows that is a .cmd file, which only a shell starts.
 * @returns {{command: string, args: string[], env: Record<string, string>}} for spawn
 */
export function npmCommand(args, env = process.env) {
  const cli = env.npm_execpath;
  if (cli !== undefined && basename(cli) === 'npm-cli.js')
    return {command: process.execPath, args: [cli, ...args], env: environmentForNpm(env)};
  return process.platform === 'win32'
    ? {
        command: env.ComSpec ?? 'cmd.exe',
        args: ['/d', '/s', '/c', 'npm', ...args],
        env: environmentForNpm(env),
      }
    : {command: 'npm', args, env: environmentForNpm(env)};
}
