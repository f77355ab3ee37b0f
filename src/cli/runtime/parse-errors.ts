import {RemitError} from '../../errors.ts';
import {nearest} from '../../nearest.ts';
import {shellWord} from '../../shell-word.ts';

interface ParseErrorLike {
  message: string;
  oclif?: {exit?: number};
  flags?: readonly string[];
}

/**
 * True for errors that oclif throws about invalid arguments (its classes are bundled, so they are identified by
 * shape).
 */
export function isParseError(error: unknown): error is Error & ParseErrorLike {
  return error instanceof Error && 'oclif' in error && (error as ParseErrorLike).oclif?.exit === 2;
}

/** The hint says where to read more, and the order of flags and arguments is free here, unlike in oclif's text. */
const NOISE = /^(See more help|Note: .* allow multiple values|Alternatively, you can use "--")/;

/**
 * Turns oclif's error into ours: same words, first line only, exit code 2 in every output format.
 * @param flags the names of the flags that the command takes, for a misspelled one
 * @param argv the words that were typed
 */
export function usageError(
  error: Error & ParseErrorLike,
  commandId: string,
  flags: readonly string[],
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
    .replace(/\(([\w-]+(?:\|[\w-]+)+)\)/g, (_, values: string) => values.replaceAll('|', ', ')) // non-breaking
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !NOISE.test(line));
  const message = /^The following errors? occurred/.test(lines[0] ?? '')
    ? lines.slice(1).join('; ')
    : lines.join('\n');
  const unknown = error.flags?.length === 1 ? error.flags[0]?.split('=')[0] : undefined;
  const text = unknown === undefined ? withNearestValue(message) : withNearestFlag(unknown, flags);
  return new RemitError('USAGE', text, {hint: `${command} --help`, cause: error});
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
