import {EXIT, type ExitCode} from '../../errors.ts';

/** The result of a command that did not throw: what it returns for machines, and its exit code. */
export interface CommandOutcome {
  data: unknown;
  exitCode: ExitCode;
}

export const done = (data: unknown): CommandOutcome => ({data, exitCode: EXIT.OK});
