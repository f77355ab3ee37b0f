import {openBatch} from '../../../src/batch/journal/open-batch.ts';
import {type ReportData, readReport} from '../../../src/batch/report/data.ts';
import type {Summary} from '../../../src/batch/standing/summary.ts';
import {readSummary} from '../../../src/batch/standing/read-summary.ts';
import type {Bench} from '../harness.ts';

/** What the report of a bench's batch says. */
export async function reportOf(
  bench: Bench,
  options: {mostRows?: number; file?: string; summary?: Partial<Summary>} = {},
): Promise<ReportData> {
  const batch = await openBatch({
    ...{stateDir: bench.stateDir, kind: 'payout', batchId: 'b1', purpose: 'test', clock: bench.clock},
  });
  try {
    const summary = {...readSummary(batch, bench.clock.now()), ...options.summary};
    return readReport(batch, summary, {mostRows: options.mostRows, file: options.file});
  } finally {
    await batch.close();
  }
}
