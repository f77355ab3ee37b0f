import {Config, type Command} from '@oclif/core';
import type {ExitCode} from '../../errors.ts';
import type {Runtime} from '../runtime/runtime.ts';

/** A command that reports its own errors. */
export type CommandClass = (new (argv: string[], config: Config) => {runToEnd: () => Promise<ExitCode>}) & {
  id: string;
  /** Arguments in the order in which they are typed. */
  args?: Readonly<Record<string, {required?: boolean | undefined}>>;
};

/** The tool, as its launcher sees it. */
export interface App {
  name: string;
  version: string;
  /** The folder in which it is installed. */
  root: string;
  /** Commands by id; in the bundle each class loads when it is read. Every file under src/commands is a command. */
  commands: Readonly<Record<string, CommandClass>>;
  /** oclif's complete configuration, which only help needs: loading it costs more than a command. */
  config: () => Promise<Config>;
}

/**
 * oclif's configuration as one command needs it. It is not loaded, because that takes longer than a command; help has
 * the loaded one in `app.config`. remit has no plugins, and so no hooks.
 */
export class CommandConfig extends Config {
  override readonly bin = 'remit';
  readonly app: App;
  readonly runtime: Runtime;

  constructor(app: App, runtime: Runtime) {
    super({root: app.root});
    this.app = app;
    this.runtime = runtime;
  }

  override async runHook(): Promise<{successes: []; failures: []}> {
    return {successes: [], failures: []};
  }
}

/** The configuration that `main` gave to this command. */
export function commandConfigOf({config}: Command): CommandConfig {
  if (config instanceof CommandConfig) return config;
  throw new Error('internal error: the command was not started by remit');
}
