import {Parser, type Interfaces} from '@oclif/core';
import {readCall, type CommandTree} from '../../src/cli/line/argv.ts';
import {withoutStdin} from '../../src/cli/line/typed-args.ts';
import {isParseError} from '../../src/cli/line/parse-errors.ts';
import {GLOBAL_FLAGS} from '../../src/cli/core/main.ts';
import {codeLines} from './markdown.ts';
import {filesUnder} from './tree.ts';

/** A command as its file declares it. */
export interface CommandClass {
  summary?: string;
  description?: string;
  examples?: unknown[];
  strict?: boolean;
  flags?: Interfaces.FlagInput;
  baseFlags?: Interfaces.FlagInput;
  args?: Interfaces.ArgInput;
}

/** Every command by its id (`payouts:batch:run`), with the file it stands in. */
export async function loadCommands(): Promise<Map<string, {path: string; command: CommandClass}>> {
  const found = new Map<string, {path: string; command: CommandClass}>();
  for (const path of filesUnder('src/commands')) {
    const id = path
      .replace(/^src\/commands\//, '')
      .replace(/\.ts$/, '')
      .replaceAll('/', ':');
    found.set(id, {path, command: ((await import(`../../${path}`)) as {default: CommandClass}).default});
  }
  return found;
}

/** A shell line in words and operators; quotes are taken off, a comment is dropped. Enough for what docs show. */
export function shellTokens(line: string): {text: string; operator: boolean}[] {
  const tokens: {text: string; operator: boolean}[] = [];
  const word = /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^\s'"\\|&;<>()]+)/y;
  for (let at = 0; at < line.length;) {
    const rest = line.slice(at);
    const space = /^\s+/.exec(rest);
    const operator = /^(\|\||&&|[12]?>>?|[|&;<>()])/.exec(rest);
    if (space) at += space[0].length;
    else if (rest.startsWith('#')) break;
    else if (operator) {
      tokens.push({text: operator[0], operator: true});
      at += operator[0].length;
    } else {
      let text = '';
      word.lastIndex = at;
      for (let part = word.exec(line); part; part = word.exec(line)) {
        text += part[1] ?? part[2]?.replace(/\\(.)/g, '$1') ?? part[3] ?? part[4]!;
        at = word.lastIndex;
      }
      tokens.push({text, operator: false});
      if (word.lastIndex === 0 && at < line.length && !/[\s|&;<>()]/.test(line[at]!)) at += 1; // a stray quote
    }
  }
  return tokens;
}

/** The words after `remit` of every call in a shell line, whether after variables, a prompt, `npx`, a pipe or `$(`. */
export function remitCallsIn(line: string): string[][] {
  const calls: string[][] = [];
  let words: string[] = [];
  let redirected = false;
  const end = (): void => {
    while (words[0] !== undefined && (/^[A-Z_]+=/.test(words[0]) || ['$', 'npx', 'time'].includes(words[0])))
      words.shift();
    if (words[0] === 'node' && words[1] === 'bin/run.cjs') words = ['remit', ...words.slice(2)];
    if (words[0] === 'remit') calls.push(words.slice(1));
    words = [];
  };
  for (const {text, operator} of shellTokens(line.replace(/\$\(/g, '; '))) {
    if (operator && /[<>]/.test(text)) redirected = true;
    else if (operator) end();
    else if (redirected) redirected = false;
    else words.push(text);
  }
  end();
  return calls;
}

/**
 * The calls in the shell blocks of a Markdown text; a backslash at a line's end joins it with the next. In a `console` block
 * only lines after a prompt are typed, the others are what was printed.
 */
export function callsInBlocks(text: string): {line: number; argv: string[]}[] {
  const joined: {line: number; code: string}[] = [];
  const typed = codeLines(text, ['console']).filter(({code}) => code.startsWith('$ '));
  for (const {line, code} of [...codeLines(text, ['sh']), ...typed]) {
    const last = joined.at(-1);
    if (last?.code.endsWith('\\')) last.code = `${last.code.slice(0, -1)} ${code}`;
    else joined.push({line, code});
  }
  return joined.flatMap(({line, code}) => remitCallsIn(code).map((argv) => ({line, argv})));
}

/** Calls in running text: `remit payouts get ID`. They may leave out what the sentence is not about. */
export function callsInText(text: string): {line: number; argv: string[]}[] {
  return text
    .split('\n')
    .flatMap((content, index) =>
      [...content.matchAll(/`(remit(?: [^`]*)?)`/g)].flatMap(([, code]) =>
        remitCallsIn(code!).map((argv) => ({line: index + 1, argv})),
      ),
    );
}

export type CommandMap = Awaited<ReturnType<typeof loadCommands>>;

function treeOf(commands: CommandMap): CommandTree {
  const topics = [...commands.keys()].flatMap((id) => {
    const words = id.split(':');
    return words.slice(1).map((_, index) => words.slice(0, index + 1).join(':'));
  });
  return {commands: new Set(commands.keys()), topics: new Set(topics)};
}

/** What is wrong with a call, in words; undefined when remit would take it. `partly` forgives what is left out. */
export async function faultOf(
  argv: readonly string[],
  commands: CommandMap,
  partly = false,
): Promise<string | undefined> {
  try {
    const call = readCall(argv, treeOf(commands), GLOBAL_FLAGS);
    if (call.kind !== 'run') return undefined;
    const {command} = commands.get(call.id)!;
    const flags = {...command.baseFlags, ...command.flags};
    await Parser.parse(call.argv, {
      flags,
      args: withoutStdin(command.args ?? {}),
      strict: command.strict ?? true,
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const wrong =
      /Nonexistent|Unexpected|unknown|to be one of|not a /i.test(error.message) || !isParseError(error);
    const isPartly = partly || argv.includes('--data'); // the required flags are in the file
    return isPartly && !wrong ? undefined : error.message.replace(/\s+/g, ' ');
  }
}
