import {RemitError} from '../../errors.ts';

interface ParseErrorLike {
  message: string;
  oclif?: {exit?: number};
  flags?: readonly string[];
}

/** True for whatever oclif throws about words it cannot accept (its classes are bundled, so by shape). */
export function isParseError(error: unknown): error is Error & ParseErrorLike {
  return error instanceof Error && 'oclif' in error && (error as ParseErrorLike).oclif?.exit === 2;
}

/** Where to read more stands in the hint; the order of flags and arguments is free here, whatever oclif says. */
const NOISE = /^(See more help|Note: .* allow multiple values|Alternatively, you can use "--")/;

/** oclif's complaint as ours: same words, first line only, exit code 2 in every output format. */
export function usageError(error: Error & ParseErrorLike, commandId: string): RemitError {
  const command = `remit ${commandId.replaceAll(':', ' ')}`;
  const lines = error.message
    .replace(/\u001b\[[0-9;]*m/g, '')
    .replace(/\(([\w-]+(?:\|[\w-]+)+)\)/g, (_, values: string) => values.replaceAll('|', ', ')) // a word that breaks nowhere
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !NOISE.test(line));
  const message = /^The following errors? occurred/.test(lines[0] ?? '')
    ? lines.slice(1).join('; ')
    : lines.join('\n');
  const near = error.flags?.length === 1 ? `unknown flag ${error.flags[0]!.split('=')[0]}` : undefined;
  return new RemitError('USAGE', near ?? message, {hint: `${command} --help`, cause: error});
}

/** oclif writes words of its own into the message of an error from a flag's parser; they are taken out again. */
export function withoutFrame(thrown: unknown): unknown {
  if (thrown instanceof RemitError) thrown.message = thrown.original;
  return thrown;
}
