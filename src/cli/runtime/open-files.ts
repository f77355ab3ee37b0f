import {readdirSync, readFileSync} from 'node:fs';
import {MAX_IN_FLIGHT} from '../../batch/speed/speed.ts';

/** Reserved for other files: journals, results, a second address of the service while the first is tried. */
const SPARE = 48;

/**
 * Number of sockets that this process may still open: at least one, and at most as many as a run ever uses. Node
 * raises its own soft limit to the hard one, so the limit may be low because of `ulimit -n 256` in a script, or a
 * container.
 */
export const socketCeiling = (limit = openFileLimit(), open = openFiles()): number =>
  limit === undefined ? MAX_IN_FLIGHT : Math.min(MAX_IN_FLIGHT, Math.max(1, limit - open - SPARE));

/** The limit of this process; undefined if the system does not provide it. */
function openFileLimit(): number | undefined {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return reportedLimit();
  }
}

/** Without /proc, the process report has it, at the cost of some milliseconds. */
function reportedLimit(): number | undefined {
  const {userLimits} = process.report.getReport() as {userLimits?: {open_files?: {soft?: unknown}}}; // a documented section
  const soft = Number(userLimits?.open_files?.soft);
  return Number.isSafeInteger(soft) && soft > 0 ? soft : undefined; // or `unlimited`
}

function openFiles(): number {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return 32;
  }
}
