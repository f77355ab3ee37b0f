import {EXIT, type ExitCode} from '../../errors.ts';
import type {Printable} from '../../narrow.ts';

/** The result of a command that did not throw: what it returns for machines, and its exit code. */
export interface CommandOutcome {
  data: Printable;
  exitCode: ExitCode;
}

export const done = (data: Printable): CommandOutcome => ({data, exitCode: EXIT.OK});
