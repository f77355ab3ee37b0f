import {RemitError} from '../../errors.ts';
import {nearest} from '../../nearest.ts';
import {shellWord} from '../../shell-word.ts';

/** The rules of a flag that oclif checks once all words are read. */
interface FlagRules {
  required?: boolean | undefined;
  dependsOn?: readonly string[] | undefined;
  exclusive?: readonly unknown[] | undefined;
  exactlyOne?: readonly string[] | undefined;
}

interface ParseErrorLike {
  message: string;
  oclif?: {exit?: number};
  /** Those that no flag has; `args` are the arguments that are missing, or the words that are too many. */
  flags?: readonly string[];
  args?: readonly (string | MissingArgument)[];
  /** What was declared and what was read; empty if the words were not read to the end. */
  parse?: {
    input?: {flags: Readonly<Record<string, FlagRules>>};
    output?: {
      flags: Readonly<Record<string, unknown>>;
      metadata: {flags: Readonly<Record<string, {setFromDefault?: boolean} | undefined>>};
    };
  };
}

interface MissingArgument {
  name: string;
  description?: string;
  options?: readonly string[];
}

/**
 * True for errors that oclif throws about invalid arguments (its classes are bundled, so they are identified by
 * shape).
 */
export function isParseError(error: unknown): error is Error & ParseErrorLike {
  return error instanceof Error && 'oclif' in error && (error as ParseErrorLike).oclif?.exit === 2;
}

/** What a command takes: the names of its flags, and its arguments in order. */
export interface Takes {
  flags: readonly string[];
  args: Readonly<Record<string, {required?: boolean | undefined}>>;
}

/**
 * Turns oclif's error into ours: exit code 2 in every output format, and its usual sentences in plainer words.
 * @param takes for a misspelled flag, and for the usage line of a missing argument
 * @param argv the words that were typed
 */
export function usageError(
  error: Error & ParseErrorLike,
  commandId: string,
  {flags, args}: Takes,
  argv: readonly string[] = [],
): RemitError {
  const reference = referenceIn(argv);
  if (reference !== undefined && LISTS.test(commandId) && !flags.includes('reference'))
    return new RemitError(
      'USAGE',
      'the service cannot list by reference; the batches of this machine can be searched',
      {
        hint: `remit ${commandId.replace(':list', '')} batch find ${shellWord(reference)}`,
        cause: error,
      },
    );
  const command = `remit ${commandId.replaceAll(':', ' ')}`;
  const text = whatIsWrong(error, flags) ?? withNearestValue(plainly(error.message.split('\n', 1)[0] ?? ''));
  const usage = error.args?.some(isMissing) === true ? `\n${usageLine(command, args)}` : '';
  return new RemitError('USAGE', text + usage, {hint: `${command} --help`, cause: error});
}

const isMissing = (arg: string | MissingArgument): arg is MissingArgument => typeof arg !== 'string';

/** From what the error carries; undefined for one of the few that carry nothing. */
function whatIsWrong({args, flags, parse}: ParseErrorLike, known: readonly string[]): string | undefined {
  if (flags !== undefined)
    return flags.map((flag) => withNearestFlag(flag.split('=', 1)[0] ?? flag, known)).join('\n');
  if (args !== undefined) {
    const [missing, extra] = [args.filter(isMissing), args.filter((arg) => typeof arg === 'string')];
    if (missing.length > 0) return missingArguments(missing);
    return `unexpected argument${extra.length === 1 ? '' : 's'}: ${extra.join(', ')}`;
  }
  const broken = parse === undefined ? [] : brokenRules(parse);
  return broken.length === 0 ? undefined : [...new Set(broken)].join('; ');
}

/** In the order of the declarations, as oclif checks them. */
function brokenRules({input, output}: NonNullable<ParseErrorLike['parse']>): string[] {
  if (input === undefined || output === undefined) return [];
  const has = (name: string): boolean => output.flags[name] !== undefined;
  const isTyped = (name: string): boolean =>
    has(name) && output.metadata.flags[name]?.setFromDefault !== true;
  const named = (names: readonly string[]): string => names.map((name) => `--${name}`).join(', ');
  return Object.entries(input.flags).flatMap(
    ([name, {required, dependsOn = [], exclusive = [], exactlyOne = []}]) => {
      if (!has(name)) {
        if (required === true) return [`missing required flag --${name}`];
        const isUnmet = exactlyOne.length > 0 && !exactlyOne.some(has);
        return isUnmet ? [`exactly one of these flags is required: ${named(exactlyOne)}`] : [];
      }
      const others = isTyped(name) ? exclusive.map(String).filter(isTyped) : [];
      const excluded = [...others, ...exactlyOne.filter((other) => other !== name && has(other))];
      return [
        ...(dependsOn.every(has) ? [] : [`--${name} needs ${named(dependsOn)}`]),
        ...excluded.map(
          (other) => `${[`--${name}`, `--${other}`].sort().join(' and ')} cannot be used together`,
        ),
      ];
    },
  );
}

/** A line for each: its name as in the usage line, and what the help says about it. */
function missingArguments(missing: readonly MissingArgument[]): string {
  const width = Math.max(...missing.map(({name}) => name.length));
  return [
    missing.length === 1 ? 'missing argument:' : 'missing arguments:',
    ...missing.map(({name, description = '', options}) => {
      const about = options === undefined ? description : `${description}: ${options.join(', ')}`;
      return `${name.toUpperCase().padEnd(width)}  ${about}`;
    }),
  ].join('\n');
}

/** `usage: remit webhooks send TO PAYLOAD [FLAGS]`, as in the help. */
function usageLine(command: string, args: Takes['args']): string {
  const names = Object.entries(args).map(([name, {required}]) =>
    required ? name.toUpperCase() : `[${name.toUpperCase()}]`,
  );
  return `usage: ${[command, ...names, '[FLAGS]'].join(' ')}`;
}

/** The sentences of oclif's errors that carry no data, and what they become. */
const PLAIN: readonly [RegExp, string][] = [
  [/^Flag (--[\w-]+) can only be specified once$/, '$1 can be given only once'],
  [/^Flag (--[\w-]+) expects a value$/, '$1 needs a value'],
];

const plainly = (line: string): string =>
  PLAIN.reduce((text, [sentence, words]) => text.replace(sentence, words), line);

/** Lists in which people look for a reference. */
const LISTS = /^(?:payouts|payins):list$/;

/** The value of `--reference`. */
function referenceIn(argv: readonly string[]): string | undefined {
  const at = argv.findIndex((word) => /^--reference(?:=|$)/.test(word));
  return at === -1 ? undefined : (argv[at]?.split('=', 2)[1] ?? argv[at + 1]);
}

function withNearestFlag(unknown: string, flags: readonly string[]): string {
  const near = unknown.startsWith('--') ? nearest(unknown.slice(2), flags) : undefined;
  return `unknown flag ${unknown}${near === undefined ? '' : `; did you mean --${near}?`}`;
}

const ONE_OF = /^Expected (?:--[\w-]+=)?(\S+) to be one of: (.+)$/;

function withNearestValue(message: string): string {
  const [, value, known] = ONE_OF.exec(message) ?? [];
  if (value === undefined || known === undefined) return message;
  const near = nearest(value.toLowerCase(), known.split(', '));
  return near === undefined ? message : `${message}; did you mean ${near}?`;
}

/** oclif adds its own words to the message of an error from a flag's parser; they are removed again. */
export function withoutFrame(thrown: unknown): unknown {
  if (thrown instanceof RemitError) thrown.message = thrown.original;
  return thrown;
}
