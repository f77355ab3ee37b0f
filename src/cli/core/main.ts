import {EXIT, type ExitCode} from '../../errors.ts';
import {must} from '../../narrow.ts';
import {asRemitError} from '../../output/failure.ts';
import {Output} from '../../output/output.ts';
import {readCall, type CommandTree, type GlobalFlag} from '../line/argv.ts';
import {CommandConfig, type App} from './app.ts';
import {globalFlags} from '../input/global-flags.ts';
import {readableStack} from './readable-stack.ts';
import type {Runtime} from '../runtime/runtime.ts';
import {guessSettings} from '../runtime/settings.ts';

/** How a run ended; `id` is the command that ran, for the launcher's code cache. */
export interface Ended {
  exitCode: ExitCode;
  id: string | undefined;
}

/** Runs one command line. Never throws and never ends the process, which is up to the launcher. */
export async function main(argv: readonly string[], app: App, runtime: Runtime): Promise<Ended> {
  let id: string | undefined;
  try {
    const tree = {...topicTreeOf(Object.keys(app.commands)), requiredArgs: requiredArgsIn(app)};
    const call = readCall(argv, tree, GLOBAL_FLAGS);
    if (call.kind === 'version') {
      const {platform, arch, version} = process;
      runtime.stdout.write(`${app.name}/${app.version} ${platform}-${arch} node-${version}\n`);
      return {exitCode: EXIT.OK, id: 'version'};
    }
    if (call.kind === 'help') {
      const {showHelp} = await import('../help/help.ts');
      await showHelp(await app.config(), call.id, runtime);
      return {exitCode: EXIT.OK, id: 'help'};
    }
    id = call.id;
    const Found = must(app.commands[id], 'command that readCall found');
    Found.id = id;
    return {exitCode: await new Found(call.argv, new CommandConfig(app, runtime)).runToEnd(), id};
  } catch (thrown) {
    return {exitCode: await reportEarly(thrown, argv, runtime), id};
  }
}

/** The flags allowed before the command. */
export const GLOBAL_FLAGS: readonly GlobalFlag[] = Object.entries(globalFlags).map(([name, flag]) => ({
  name,
  char: flag.char,
  takesValue: flag.type === 'option',
}));

export function topicTreeOf(ids: readonly string[]): CommandTree {
  const commands = new Set(ids);
  const topics = new Set<string>();
  for (const id of commands)
    for (let end = id.indexOf(':'); end !== -1; end = id.indexOf(':', end + 1)) topics.add(id.slice(0, end));
  return {commands, topics};
}

const requiredArgsIn =
  ({commands}: App) =>
  (id: string): string[] =>
    Object.entries(commands[id]?.args ?? {}).flatMap(([name, {required}]) => (required ? [name] : []));

/** Writes an error that no command could write, as text or JSON depending on the arguments. */
export async function reportEarly(
  thrown: unknown,
  argv: readonly string[],
  runtime: Runtime,
): Promise<ExitCode> {
  const {stdout, stderr, env, clock} = runtime;
  const out = new Output({stdout, stderr, env, clock, settings: guessSettings(argv, undefined)});
  const error = asRemitError(thrown);
  if (error.code === 'BUG' && argv.includes('--debug')) out.debug(readableStack(error.cause) ?? '');
  out.failure(error);
  await out.flush();
  return error.exitCode;
}
