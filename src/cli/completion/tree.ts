import type {Command, Config} from '@oclif/core';
import {globalFlags} from '../input/global-flags.ts';
import {argSource, flagSource} from './sources.ts';
import {NO_VALUE} from './source-words.ts';

/** What may follow the words of a command or topic. */
export interface Node {
  /** `payouts create`; empty for the tool itself. */
  path: string;
  /** The words that lead to commands and topics below. */
  words: readonly Word[];
  flags: readonly FlagWord[];
  /** The sources of the arguments, in order; the last one repeats if `repeats` is set. */
  args: readonly string[];
  repeats: boolean;
}

export interface Word {
  word: string;
  summary: string;
}

export interface FlagWord {
  /** `--output`, `-o`. */
  names: readonly string[];
  source: string;
  summary: string;
}

/** The whole command line, as completion needs it: one node for each command and topic. */
export interface Tree {
  nodes: readonly Node[];
  globals: readonly FlagWord[];
}

/** @param pages names of help pages, which are arguments of `help` */
export function treeOf(config: Config, pages: readonly string[]): Tree {
  const commands = config.commands.filter(({hidden}) => hidden !== true);
  const paths = new Set(['']);
  for (const {id} of commands) for (const path of pathsTo(id)) paths.add(path);
  const top = wordsBelow('', paths, config);
  const nodes = [...paths].sort().map((path): Node => {
    const command = commands.find(({id}) => id.replaceAll(':', ' ') === path);
    const words = wordsBelow(path, paths, config);
    const asksHelp = path === 'help' ? [...top.map(({word}) => word), ...pages] : undefined;
    return {path, words, ...(command === undefined ? NO_COMMAND : partsOf(command, asksHelp))};
  });
  return {nodes, globals: flagWords('', globalFlags)};
}

const NO_COMMAND = {flags: [], args: [], repeats: false};

function partsOf(command: Command.Loadable, words: readonly string[] | undefined) {
  const args = Object.entries(command.args).map(([name, arg]) => argSource(command.id, name, arg));
  return {
    flags: flagWords(
      command.id,
      Object.fromEntries(Object.entries(command.flags).filter(([, {helpGroup}]) => helpGroup !== 'GLOBAL')),
    ),
    args: words === undefined ? args : [`=${words.join('|')}`],
    repeats: command.strict === false,
  };
}

/** `payouts`, `payouts batch` and `payouts batch run` for the last of them. */
function pathsTo(id: string): string[] {
  const words = id.split(':');
  return words.map((_, at) => words.slice(0, at + 1).join(' '));
}

function wordsBelow(path: string, paths: ReadonlySet<string>, config: Config): Word[] {
  const prefix = path === '' ? '' : `${path} `;
  return [...paths]
    .filter((one) => one !== '' && one.startsWith(prefix) && !one.slice(prefix.length).includes(' '))
    .filter((one) => one.length > prefix.length)
    .sort()
    .map((one) => {
      const id = one.replaceAll(' ', ':');
      const summary = config.findTopic(id)?.description ?? config.findCommand(id)?.summary ?? '';
      return {word: one.slice(prefix.length), summary};
    });
}

interface Flag {
  char?: string | undefined;
  type: string;
  options?: readonly string[] | undefined;
  helpValue?: string | string[] | undefined;
  description?: string | undefined;
  summary?: string | undefined;
  hidden?: boolean | undefined;
}

function flagWords(id: string, flags: Readonly<Record<string, Flag>>): FlagWord[] {
  return Object.entries(flags)
    .filter(([, {hidden}]) => hidden !== true)
    .map(([name, flag]) => ({
      names: flag.char === undefined ? [`--${name}`] : [`--${name}`, `-${flag.char}`],
      source: flag.type === 'boolean' ? NO_VALUE : flagSource(id, name, flag),
      summary: flag.summary ?? flag.description ?? '',
    }));
}
