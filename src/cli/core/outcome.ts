import {EXIT, type ExitCode} from '../../errors.ts';

/** The result of a command that did not throw: what it returns for machines, and its exit code. */
export interface Outcome {
  data: unknown;
  exitCode: ExitCode;
}

export const done = (data: unknown): Outcome => ({data, exitCode: EXIT.OK});
