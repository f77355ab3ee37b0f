import {RemitError} from '../../errors.ts';

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

/** Turns oclif's error into ours: same words, first line only, exit code 2 in every output format. */
export function usageError(error: Error & ParseErrorLike, commandId: string): RemitError {
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
  const near = error.flags?.length === 1 ? `unknown flag ${error.flags[0]!.split('=')[0]}` : undefined;
  return new RemitError('USAGE', near ?? message, {hint: `${command} --help`, cause: error});
}

/** oclif adds its own words to the message of an error from a flag's parser; they are removed again. */
export function withoutFrame(thrown: unknown): unknown {
  if (thrown instanceof RemitError) thrown.message = thrown.original;
  return thrown;
}
