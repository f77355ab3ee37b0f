import type {Command, Config} from '@oclif/core';
import {globalFlags} from '../input/global-flags.ts';
import {readsRecords} from './answer-fields.ts';
import {COMMAND_OPERATIONS} from './command-operations.ts';
import type {Shown} from './outputs/forms.ts';
import type {Catalogue} from './outputs/local.ts';

/** One command as data, for programs that build command lines. */
export type CommandFacts = Shown<typeof Catalogue>['commands'][number];
type FlagFacts = CommandFacts['flags'][number];

/** Flags as oclif caches them, and as we declare them. */
interface Flag {
  char?: string | undefined;
  type: 'boolean' | 'option';
  required?: boolean | undefined;
  multiple?: boolean | undefined;
  options?: readonly string[] | undefined;
  helpValue?: string | string[] | undefined;
  default?: unknown;
  exclusive?: readonly unknown[] | undefined;
  dependsOn?: readonly string[] | undefined;
  description?: string | undefined;
}

/** Every command, sorted by its words. */
export function catalogue(config: Config): Shown<typeof Catalogue> {
  const commands = config.commands
    .filter(({hidden}) => hidden !== true)
    .map(flagFactsOf)
    .sort((a, b) => (a.command < b.command ? -1 : 1));
  return {commands, global_flags: flagFacts(globalFlags)};
}

/** Facts of one command, from its manifest entry. */
export function flagFactsOf(command: Command.Loadable): CommandFacts {
  const {id, summary, description, examples = [], args, flags, strict} = command;
  const own = Object.entries(flags).filter(([, {helpGroup}]) => helpGroup !== 'GLOBAL');
  const names = Object.keys(args);
  return {
    command: id.replaceAll(':', ' '),
    summary: summary ?? '',
    description: description ?? null,
    examples: examples.map((example) =>
      (typeof example === 'string' ? example : example.command).replaceAll('<%= config.bin %>', 'remit'),
    ),
    args: Object.entries(args).map(([name, arg], at) => ({
      name,
      required: arg.required ?? false,
      repeats: strict === false && at === names.length - 1,
      options: arg.options === undefined ? null : [...arg.options],
      description: arg.description ?? null,
    })),
    flags: flagFacts(Object.fromEntries(own)),
    operations: [...(COMMAND_OPERATIONS[id] ?? [])],
    reads_only: readsRecords(id),
  };
}

const flagFacts = (flags: Readonly<Record<string, Flag>>): FlagFacts[] =>
  Object.entries(flags).map(([name, flag]) => ({
    name,
    char: flag.char ?? null,
    type: flag.type,
    required: flag.required ?? false,
    multiple: flag.multiple ?? false,
    options: flag.options === undefined ? null : [...flag.options],
    value: flag.type === 'option' && typeof flag.helpValue === 'string' ? flag.helpValue : null,
    default: flag.default === undefined || typeof flag.default === 'function' ? null : flag.default,
    exclusive: (flag.exclusive ?? []).filter((other) => typeof other === 'string'),
    depends_on: [...(flag.dependsOn ?? [])],
    description: flag.description ?? null,
  }));
