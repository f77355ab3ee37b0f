import type {Config} from '@oclif/core';
import type {ExitCode} from '../../errors.ts';
import type {Runtime} from '../runtime/runtime.ts';

/** A command that reports its own errors. */
export type CommandClass = (new (argv: string[], config: Config) => {runToEnd: () => Promise<ExitCode>}) & {
  id: string;
  /** In the order in which they are typed. */
  args?: Readonly<Record<string, {required?: boolean | undefined}>>;
};

/** The tool, as its launcher sees it. */
export interface App {
  name: string;
  version: string;
  /** By id; in the bundle each class loads when it is read. Every file under src/commands is a command. */
  commands: Readonly<Record<string, CommandClass>>;
  /** oclif's complete configuration, which only help needs: loading it costs more than a command. */
  config: () => Promise<Config>;
}

/** What oclif's Command needs from its config while it parses, and the link from a command to its runtime. */
export interface CommandConfig {
  bin: string;
  runHook: () => Promise<{successes: []; failures: []}>;
  app: App;
  runtime: Runtime;
}

/** A config for one command; oclif's own type has forty more members, which no command of remit reads. */
export function commandConfig(app: App, runtime: Runtime): Config {
  const config: CommandConfig = {
    bin: 'remit',
    runHook: async () => ({successes: [], failures: []}),
    app,
    runtime,
  };
  return config as unknown as Config;
}

export const readCommandConfig = (config: object): CommandConfig => config as CommandConfig;
