import type {Summary} from '../../../batch/standing/summary.ts';
import {RemitError} from '../../../errors.ts';

/**
 * Does some work, then closes what it used. An error of the work is the one reported: on a full disk closing fails as
 * well, and its error says nothing about what was sent.
 */
export async function closeAfter<T>(work: () => Promise<T>, close: () => Promise<void>): Promise<T> {
  let done: T;
  try {
    done = await work();
  } catch (error) {
    await close().catch(() => {}); // a leftover lock is taken over once this process has ended
    throw error;
  }
  await close();
  return done;
}

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
    const {state, accepted, planned} = summary;
    const standing = `${state === 'incomplete' ? 'not complete' : state}, ${accepted} of ${planned} ${planned === 1 ? 'row' : 'rows'} accepted`;
    return new RemitError(
      'STATE',
      `batch ${batchId} is ${standing}; only its results are missing: ${message}. The journal has everything: fix this, then write them`,
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
    `batch ${batchId} was stopped: ${message}. Rows may have been sent; the journal lists each of them. Fix this, then resume the batch`,
    {hint: next, details: {...details, batch_id: batchId, next}, cause: error},
  );
}
