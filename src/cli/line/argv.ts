import {RemitError} from '../../errors.ts';
import {nearest} from '../../nearest.ts';
import {commandLine} from './command-line.ts';
import {withoutTopic} from './without-topic.ts';

/** The command tree; ids are joined with colons (`payouts:batch:run`). */
export interface CommandTree {
  commands: ReadonlySet<string>;
  topics: ReadonlySet<string>;
  /** The names of the arguments that a command requires; called only for a command that a hint suggests. */
  requiredArgs?: (id: string) => readonly string[];
}

/** A flag allowed before the command: its long name, its letter, and whether a value follows. */
export interface GlobalFlag {
  name: string;
  char?: string | undefined;
  takesValue: boolean;
}

export type TypedCall =
  | {kind: 'version'}
  /** `id` is a command, a topic, or empty for the whole tool. */
  | {kind: 'help'; id: string}
  | {kind: 'run'; id: string; argv: string[]};

/**
 * Reads the words before the first flag of a command. Finds the command, and moves global flags from before or
 * between its words to after it (`remit -p x payouts --json list` is `payouts list -p x --json`).
 * @throws RemitError USAGE for a command that does not exist, with the closest one as the hint.
 */
export function readCall(
  argv: readonly string[],
  tree: CommandTree,
  globals: readonly GlobalFlag[],
): TypedCall {
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
  return interpret({words, hoisted, help, rest: argv.slice(at)}, tree, globals);
}

/** What was typed: words of a command or topic, global flags before or between them, and what follows. */
interface Read {
  words: string[];
  hoisted: string[];
  help: boolean;
  rest: string[];
}

function interpret(read: Read, tree: CommandTree, globals: readonly GlobalFlag[]): TypedCall {
  const id = read.words.join(':');
  const asksHelp = read.help || asksForHelp(read.rest);
  const isCommand = tree.commands.has(id);
  const stray = read.rest.find((token) => token !== '--' && !token.startsWith('-'));
  if (!isCommand && stray !== undefined) throw unknownCommand(read, tree, globals);
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

/** A message shows at most this many words of an unknown command. */
const MOST_WORDS = 3;

/**
 * Suggests nothing for words that are not similar to a command. A suggested command has the arguments and flags that were
 * typed, and the names of required arguments that were not.
 */
function unknownCommand(
  {words, hoisted, help, rest}: Read,
  tree: CommandTree,
  globals: readonly GlobalFlag[],
): RemitError {
  const end = rest.findIndex((token) => token.startsWith('-'));
  const [first = '', ...others] = rest.slice(0, end === -1 ? MOST_WORDS : Math.min(end, MOST_WORDS));
  const inFirst = words.length === 0 ? first.split(':') : [first];
  const asked = [...inFirst, ...others];
  const guess = suggestion(words, asked, tree);
  const shown = asked.map((word) => (word.length > 40 ? `${word.slice(0, 40)}…` : word));
  const add = [...hoisted, ...(help ? ['--help'] : [])];
  const complete = (id: string, typed: readonly string[]) =>
    help || asksForHelp(typed) ? typed : withMissing(typed, tree.requiredArgs?.(id) ?? [], globals);
  return new RemitError('USAGE', `unknown command: ${['remit', ...words, ...shown].join(' ')}`, {
    hint:
      guess === undefined
        ? ['remit', ...words, '--help'].join(' ')
        : tree.commands.has(guess.id)
          ? commandLine(
              guess.id,
              complete(guess.id, rest.slice(Math.max(1, guess.read - inFirst.length + 1))),
              {add},
            )
          : commandLine(guess.id, []),
  });
}

/**
 * The typed words with the names of missing arguments, `REFERENCE`, before the first flag. Unchanged after a flag of
 * the command itself, which may or may not take the next word as its value.
 */
function withMissing(
  typed: readonly string[],
  required: readonly string[],
  globals: readonly GlobalFlag[],
): readonly string[] {
  const firstFlag = typed.findIndex((token) => token.startsWith('-') && token !== '-');
  const before = firstFlag === -1 ? typed.length : firstFlag;
  let count = before;
  for (let at = before; at < typed.length;) {
    const token = typed[at] ?? '';
    if (!token.startsWith('-') || token === '-') {
      count += 1;
      at += 1;
      continue;
    }
    if (at === typed.length - 1) break; // a flag without its value is an error of its own
    const taken = token === '--' ? undefined : takeGlobal(typed.slice(at), globals);
    if (taken === undefined) return typed;
    at += taken.length;
  }
  const missing = required.slice(count).map((name) => name.toUpperCase());
  return [...typed.slice(0, before), ...missing, ...typed.slice(before)];
}

/**
 * The command or topic that was probably meant: a similar spelling, its topic left out, or topic and verb swapped.
 * `read`: how many of the asked words it replaces.
 */
function suggestion(
  words: readonly string[],
  asked: readonly string[],
  tree: CommandTree,
): {id: string; read: number} | undefined {
  const ids = [...tree.commands, ...tree.topics];
  const [first = '', second = ''] = asked;
  if (words.length === 0 && tree.commands.has(`${second}:${first}`))
    return {id: `${second}:${first}`, read: 2};
  const prefix = words.map((word) => `${word}:`).join('');
  const below = ids.filter((id) => id.startsWith(prefix)).map((id) => id.slice(prefix.length));
  for (let length = asked.length; length > 0; length -= 1) {
    const candidates = below.filter((id) => id.split(':').length === length);
    const typed = asked.slice(0, length).join(':');
    const near = withoutTopic(typed, below) ?? nearest(typed, candidates);
    if (near !== undefined) return {id: `${prefix}${near}`, read: length};
  }
  return undefined;
}
