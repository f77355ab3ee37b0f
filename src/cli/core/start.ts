import {closeSync, fstatSync} from 'node:fs';
import {isatty} from 'node:tty';
import {Config, Plugin} from '@oclif/core';
import {EXIT} from '../../errors.ts';
import {codeOf} from '../../narrow.ts';
import type {ManPage} from '../help/reference.ts';
import {main, reportEarly, topicTreeOf, type Ended} from './main.ts';
import type {App} from './app.ts';
import {processRuntime} from '../runtime/runtime.ts';

/** The parts of package.json that oclif reads. */
export interface PackageJson {
  name: string;
  version: string;
  oclif: Record<string, unknown>;
}

type LoadOptions = Exclude<Parameters<typeof Config.load>[0], string | undefined>;

/** Where the tool is installed, and its parts. */
export interface Installation {
  root: string;
  /** Inlined by the build, so that no file is searched for. */
  pjson: PackageJson;
  commands: App['commands'];
  /** Ignore the committed manifest and read the commands themselves (development, tests). */
  fromSource?: boolean;
}

/** Starts the tool in this process. */
export async function start(argv: readonly string[], facts: Installation): Promise<Ended> {
  const runtime = processRuntime();
  runtime.stop.listen(process, process.stderr);
  process.once('exit', closeLostTerminal);
  const terminals = STANDARD.filter((fd) => isatty(fd));
  let isOver = false;
  const fail = (error: unknown): void => {
    process.once('uncaughtException', () => process.exit(EXIT.BUG)); // while it was being written
    void reportEarly(error, argv, runtime).then((code) => process.exit(code));
  };
  // A bug outside every catch: one line for people or machines, not a page of bundled code.
  const onUncaught = (error: Error): void => {
    if (codeOf(error) === 'EIO' && terminals.some((fd) => !isatty(fd))) return runtime.stop.hangUp();
    process.removeListener('uncaughtException', onUncaught);
    fail(error);
  };
  process.on('uncaughtException', onUncaught);
  // Node would end with 0 if the command waited for something that can no longer happen.
  process.once('beforeExit', () => {
    if (!isOver) fail(new Error('the command stopped before it was finished'));
  });
  try {
    return await main(argv, appOf(facts), runtime);
  } finally {
    isOver = true;
    runtime.stop.release();
  }
}

/** Standard input, output and error. */
const STANDARD = [0, 1, 2] as const;

/** Node resets the terminal when it exits, and aborts (SIGABRT) if the terminal is gone; it ignores a closed file. */
function closeLostTerminal(): void {
  for (const fd of STANDARD)
    try {
      if (fstatSync(fd).isCharacterDevice() && !isatty(fd)) closeSync(fd);
    } catch {
      // closed already
    }
}

/** The output of `remit --help`: the build stores it in a file, so that it is available immediately. */
export async function rootHelp(facts: Installation): Promise<string> {
  const {helpText} = await import('../help/help.ts');
  return helpText(await loadConfig(facts), '', {stdout: process.stdout, env: {}});
}

/**
 * What `--help` prints for every command and topic, before it is laid out, for the build, so that it is available
 * immediately.
 */
export async function allHelp(facts: Installation): Promise<{commands: HelpForms; topics: HelpForms}> {
  const {helpForm} = await import('../help/help.ts');
  const config = await loadConfig(facts);
  const {commands, topics} = topicTreeOf(config.commandIDs);
  const formsOf = async (ids: ReadonlySet<string>): Promise<HelpForms> => {
    const forms: HelpForms = {};
    for (const id of ids) forms[id] = await helpForm(config, id, {isShort: true});
    return forms;
  };
  return {commands: await formsOf(commands), topics: await formsOf(topics)};
}

type HelpForms = Record<string, string>;

/** The tree of commands and flags for shell completion, for the build. */
export async function completionTree(facts: Installation): Promise<string> {
  const [{packed}, {treeOf}, {PAGES}] = await Promise.all([
    import('../completion/packed-tree.ts'),
    import('../completion/tree.ts'),
    import('../help/pages.ts'),
  ]);
  return packed(treeOf(await loadConfig(facts), Object.keys(PAGES)));
}

/** The manual pages, for the build. */
export async function manPages(facts: Installation): Promise<ManPage[]> {
  const reference = await import('../help/reference.ts');
  return reference.manPageTexts(await loadConfig(facts), facts.pjson.version);
}

export function appOf(facts: Installation): App {
  const {root, pjson, commands} = facts;
  let config: Promise<Config> | undefined;
  return {
    name: pjson.name,
    version: pjson.version,
    root,
    commands,
    config: () => (config ??= loadConfig(facts)),
  };
}

/** oclif's configuration of the tool: commands from the manifest, no user plugins. */
async function loadConfig({root, pjson, fromSource = false}: Installation): Promise<Config> {
  // Its type requires all of package.json.
  const options = {root, pjson, devPlugins: false, userPlugins: false} as unknown as LoadOptions;
  if (!fromSource) return Config.load(options);
  const plugin = new Plugin({...options, isRoot: true, ignoreManifest: true, errorOnManifestCreate: true});
  await plugin.load();
  return Config.load({...options, plugins: new Map([[plugin.name, plugin]])});
}
