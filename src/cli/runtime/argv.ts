import {RemitError} from '../../errors.ts';
import {nearest} from '../../nearest.ts';
import {withoutTopic} from './without-topic.ts';

/** The command tree; ids are joined with colons (`payouts:batch:run`). */
export interface CommandTree {
  commands: ReadonlySet<string>;
  topics: ReadonlySet<string>;
}

/** A flag allowed before the command: its long name, its letter, and whether a value follows. */
export interface GlobalFlag {
  name: string;
  char?: string | undefined;
  takesValue: boolean;
}

export type Call =
  | {kind: 'version'}
  /** `id` is a command, a topic, or empty for the whole tool. */
  | {kind: 'help'; id: string}
  | {kind: 'run'; id: string; argv: string[]};

/**
 * Reads the words before the first flag of a command. Finds the command, and moves global flags from before or
 * between its words to after it (`remit -p x payouts --json list` is `payouts list -p x --json`).
 * @throws RemitError USAGE for a command that does not exist, with the closest one as the hint.
 */
export function readCall(argv: readonly string[], tree: CommandTree, globals: readonly GlobalFlag[]): Call {
  const words: string[] = [];
  const hoisted: string[] = [];
  let help = false;
  let at = 0;
  for (; at < argv.length; at += 1) {
    const token = argv[at] ?? '';
    if (token === '--help' || token === '-h') help = true;
    else if (words.length === 0 && (token === '--version' || token === '-v')) return {kind: 'version'};
    else if (token.startsWith('-') && token !== '-') {
      const taken = takeGlobal(argv.slice(at), globals);
      if (taken === undefined) {
        if (tree.commands.has(words.join(':'))) break; // a flag of the command itself
        throw unknownFlag(token, words, globals);
      }
      hoisted.push(...taken);
      at += taken.length - 1;
    } else {
      const next = words.length === 0 && token.includes(':') ? token.split(':') : [token];
      const id = [...words, ...next].join(':');
      if (!tree.commands.has(id) && !tree.topics.has(id)) break; // an argument, or an unknown command
      words.push(...next);
      if (tree.commands.has(id) && !tree.topics.has(id)) {
        at += 1;
        break;
      }
    }
  }
  return interpret({words, hoisted, help, rest: argv.slice(at)}, tree);
}

function interpret(
  read: {words: string[]; hoisted: string[]; help: boolean; rest: string[]},
  tree: CommandTree,
): Call {
  const id = read.words.join(':');
  const asksHelp = read.help || asksForHelp(read.rest);
  const isCommand = tree.commands.has(id);
  const stray = read.rest.find((token) => token !== '--' && !token.startsWith('-'));
  if (!isCommand && stray !== undefined) throw unknownCommand(read.words, read.rest, tree);
  if (asksHelp || !isCommand) return {kind: 'help', id};
  return {kind: 'run', id, argv: [...read.hoisted, ...read.rest]};
}

function asksForHelp(rest: readonly string[]): boolean {
  const end = rest.indexOf('--');
  const before = end === -1 ? rest : rest.slice(0, end);
  return before.includes('--help') || before.includes('-h');
}

/** The tokens of a global flag that comes first, with its value, or undefined if it is not one. */
function takeGlobal(
  [token = '', next]: readonly string[],
  globals: readonly GlobalFlag[],
): string[] | undefined {
  if (token.startsWith('--')) {
    const [name = '', value] = token.slice(2).split(/=(.*)/s);
    const flag = globals.find((known) => known.name === name);
    if (flag === undefined) return undefined;
    if (value !== undefined || !flag.takesValue) return [token];
    return withValue(token, next);
  }
  const flag = globals.find((known) => known.char === token[1]);
  if (flag === undefined) return undefined;
  if (flag.takesValue) return token.length > 2 ? [token] : withValue(token, next);
  const letters = [...token.slice(1)];
  return letters.every((letter) => globals.some((known) => known.char === letter && !known.takesValue))
    ? [token]
    : undefined;
}

function withValue(flag: string, value: string | undefined): string[] {
  if (value === undefined) throw new RemitError('USAGE', `${flag} needs a value`, {hint: 'remit --help'});
  return [flag, value];
}

function unknownFlag(token: string, words: readonly string[], globals: readonly GlobalFlag[]): RemitError {
  const [name = ''] = token.split('=', 1); // a value may be a secret
  const place =
    words.length === 0 ? 'before a command' : `after "${words.join(' ')}", which is not yet a command`;
  const near = name.startsWith('--')
    ? nearest(
        name,
        globals.map((flag) => `--${flag.name}`),
      )
    : undefined;
  const guess = near === undefined ? '' : `; did you mean ${near}?`;
  return new RemitError('USAGE', `unknown flag ${name} ${place}${guess}`, {
    hint: ['remit', ...words, '--help'].join(' '),
  });
}

/** Suggests nothing for words that are not similar to a command; arguments after a command are ignored. */
function unknownCommand(words: readonly string[], rest: readonly string[], tree: CommandTree): RemitError {
  const end = rest.findIndex((token) => token.startsWith('-'));
  const asked = rest.slice(0, end === -1 ? 3 : Math.min(end, 3)).flatMap((token) => token.split(':'));
  const guess = suggestion(words, asked, tree);
  const shown = asked.map((word) => (word.length > 40 ? `${word.slice(0, 40)}…` : word));
  return new RemitError('USAGE', `unknown command: ${['remit', ...words, ...shown].join(' ')}`, {
    hint: ['remit', ...(guess ?? [...words, '--help'])].join(' '),
  });
}

/** The words of the command that was probably meant: a similar spelling, its topic left out, or topic and verb swapped. */
function suggestion(
  words: readonly string[],
  asked: readonly string[],
  tree: CommandTree,
): string[] | undefined {
  const ids = [...tree.commands, ...tree.topics];
  const [first = '', second = ''] = asked;
  if (words.length === 0 && tree.commands.has(`${second}:${first}`)) return [second, first];
  const prefix = words.map((word) => `${word}:`).join('');
  const below = ids.filter((id) => id.startsWith(prefix)).map((id) => id.slice(prefix.length));
  for (let length = asked.length; length > 0; length -= 1) {
    const candidates = below.filter((id) => id.split(':').length === length);
    const typed = asked.slice(0, length).join(':');
    const near = withoutTopic(typed, below) ?? nearest(typed, candidates);
    if (near !== undefined) return [...words, ...near.split(':')];
  }
  return undefined;
}
