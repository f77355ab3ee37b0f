import {RemitError} from '../../errors.ts';
import {nearest} from '../../nearest.ts';
import {shellWord} from '../../shell-word.ts';

interface ParseErrorLike {
  message: string;
  oclif?: {exit?: number};
  flags?: readonly string[];
  /** The arguments that are missing. */
  args?: readonly {name: string; description?: string; options?: readonly string[]}[];
}

/**
 * True for errors that oclif throws about invalid arguments (its classes are bundled, so they are identified by
 * shape).
 */
export function isParseError(error: unknown): error is Error & ParseErrorLike {
  return error instanceof Error && 'oclif' in error && (error as ParseErrorLike).oclif?.exit === 2;
}

/** The hint says where to read more, and the order of flags and arguments is free here, unlike in oclif's text. */
const NOISE = /^(See more help|Note: .* allows? multiple values|Alternatively, you can use "--")/;

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
  const lines = error.message
    .replace(/\u001b\[[0-9;]*m/g, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !NOISE.test(line));
  const message = /^The following errors? occurred/.test(lines[0] ?? '')
    ? [...new Set(lines.slice(1).map(plainly))].join('; ')
    : MISSING_ARGUMENTS.test(lines[0] ?? '')
      ? [...missingArguments(error.args ?? []), usageLine(command, args)].join('\n')
      : lines.map(plainly).join('\n');
  const unknown = error.flags?.length === 1 ? error.flags[0]?.split('=')[0] : undefined;
  const text = unknown === undefined ? withNearestValue(message) : withNearestFlag(unknown, flags);
  return new RemitError('USAGE', text, {hint: `${command} --help`, cause: error});
}

const MISSING_ARGUMENTS = /^Missing \d+ required args?:$/;

/** A line for each: its name as in the usage line, and what the help says about it. */
function missingArguments(missing: NonNullable<ParseErrorLike['args']>): string[] {
  const width = Math.max(...missing.map(({name}) => name.length));
  return [
    missing.length === 1 ? 'missing argument:' : 'missing arguments:',
    ...missing.map(({name, description = '', options}) => {
      const about = options === undefined ? description : `${description}: ${options.join(', ')}`;
      return `${name.toUpperCase().padEnd(width)}  ${about}`;
    }),
  ];
}

/** `usage: remit webhooks send TO PAYLOAD [FLAGS]`, as in the help. */
function usageLine(command: string, args: Takes['args']): string {
  const names = Object.entries(args).map(([name, {required}]) =>
    required ? name.toUpperCase() : `[${name.toUpperCase()}]`,
  );
  return `usage: ${[command, ...names, '[FLAGS]'].join(' ')}`;
}

/** Two flags that exclude each other, in a fixed order: oclif reports the pair once from each side. */
const excluded = (_: string, ...[a, b]: string[]): string =>
  `${[a, b].sort().join(' and ')} cannot be used together`;

/** oclif's sentences, and what they become. */
const PLAIN: readonly [RegExp, string | typeof excluded][] = [
  [/^Missing required flag ([\w-]+)$/, 'missing required flag --$1'],
  [/^All of the following must be provided when using (--[\w-]+): (.+)$/, '$1 needs $2'],
  [/^One of the following must be provided when using (--[\w-]+): (.+)$/, '$1 needs one of: $2'],
  [/^(--[\w-]+)(?:=.*)? cannot also be provided when using (--[\w-]+)$/s, excluded],
  [/^Exactly one of the following must be provided: (.+)$/, 'exactly one of these flags is required: $1'],
  [/^At least one of the following must be provided: (.+)$/, 'at least one of these flags is required: $1'],
  [/^Flag (--[\w-]+) can only be specified once$/, '$1 can be given only once'],
  [/^Flag (--[\w-]+) expects a value$/, '$1 needs a value'],
  [/^Unexpected (arguments?: )/, 'unexpected $1'],
];

/** One line of oclif's in plain words. */
function plainly(line: string): string {
  const rule = PLAIN.find(([sentence]) => sentence.test(line));
  if (rule === undefined) return line;
  const [sentence, words] = rule;
  return typeof words === 'string' ? line.replace(sentence, words) : line.replace(sentence, words);
}

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
