import {counted} from '../../../phrases.ts';
import type {Summary} from '../../../batch/standing/summary.ts';
import {RemitError} from '../../../errors.ts';

/**
 * Does some work, then closes what it used. An error of the work is the one reported: on a full disk closing fails as
 * well, and its error says nothing about what was sent.
 * @param unclosed the error to throw if only the closing failed: it must say what the work has done
 */
export async function closeAfter<T>(
  work: () => Promise<T>,
  close: () => Promise<void>,
  unclosed: (error: unknown, done: T) => unknown,
): Promise<T> {
  let done: T;
  try {
    done = await work();
  } catch (error) {
    await close().catch(() => {}); // a leftover lock is taken over once this process has ended
    throw error;
  }
  try {
    await close();
  } catch (error) {
    throw unclosed(error, done);
  }
  return done;
}

/** The error of a run that has ended and whose journal or registry could not be closed, with how it ended. */
export function withEnd(error: unknown, summary: Summary, status: string): unknown {
  if (!(error instanceof RemitError) || error.code !== 'STATE') return error;
  const {message, details} = error;
  const {batch_id: id, next} = summary;
  return new RemitError(
    'STATE',
    `batch ${id} is ${standingOf(summary)}; every outcome is in its journal, which could not be closed: ${message}. Fix this, then ${next === null ? 'check the batch' : 'continue'}`,
    {hint: next ?? status, details: {...details, batch_id: id, next: next ?? status, summary}, cause: error},
  );
}

const standingOf = ({state, accepted, planned}: Summary): string =>
  `${state === 'incomplete' ? 'not complete' : state}, ${accepted} of ${counted(planned, 'row')} accepted`;

/**
 * The error of a run that could not write its journal or results, with its batch and how to continue: rows may
 * already have been sent. Once the run has ended, its summary is in the details and only the results are missing.
 */
export function withResume(
  error: unknown,
  batchId: string,
  commands: {
    /** Continues the batch. */
    next: string;
    /** Writes the results. */
    report: string;
  },
): unknown {
  if (!(error instanceof RemitError) || error.code !== 'STATE') return error;
  const {message, details} = error;
  const summary = details?.['summary'] as Summary | undefined; // set there by the run
  if (summary !== undefined) {
    return new RemitError(
      'STATE',
      `batch ${batchId} is ${standingOf(summary)}; only its results are missing: ${message}. The journal has everything: fix this, then write them`,
      {
        hint: commands.report,
        details: {...details, batch_id: batchId, next: commands.report},
        cause: error,
      },
    );
  }
  const {next} = commands;
  return new RemitError(
    'STATE',
    `batch ${batchId} was stopped: ${message}. Rows may have been sent; the journal lists each of them. Fix this, then run the batch again`,
    {hint: next, details: {...details, batch_id: batchId, next}, cause: error},
  );
}
