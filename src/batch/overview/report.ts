import {existsSync, realpathSync} from 'node:fs';
import {resolve} from 'node:path';
import type {CommandBuilder} from '../../errors.ts';
import type {Attention} from '../journal/rows/attention.ts';
import {isBeingSent} from '../journal/open-batch.ts';
import {publishedAt, publishedText, readBatch} from './read-batch.ts';
import {reportFile, writeReport} from '../report/file.ts';
import {writeResults} from '../report/results.ts';
import {attentionBeside, type ReturnedRow, type SummaryWithReturns} from '../report/returned.ts';
import {ATTENTION, commandsOf, returnedIn, returnedOf, summaryOf, type WantedBatch} from './status.ts';

/** The summary, with the path of the HTML report if one was written. */
export type Reported = SummaryWithReturns & {
  report_file?: string;
  /** When the process that has the batch published what is shown; absent if none has it. */
  published_at?: string;
};

interface ReportEnd {
  summary: Reported;
  attention: Attention[];
  /** Rows that the bank has returned. */
  returned: ReturnedRow[];
  commands: CommandBuilder;
  /** When it was published, in words, if another process has the batch. */
  published: string | undefined;
  /** Whether the results are left to that process. */
  areResultsLeft: boolean;
}

/**
 * Writes the results of a batch again, from its journal alone; sends nothing.
 * @param html a file for the HTML report, or `beside`: next to the results
 */
export async function reportBatch(
  wanted: WantedBatch & {folder: string | undefined; html?: {file: string} | 'beside' | undefined},
): Promise<ReportEnd> {
  const batch = await readBatch(wanted, `report of batch ${wanted.batchId}`);
  try {
    const {journal, plan} = batch;
    const returned = await returnedOf(batch, wanted);
    const summaryNow = async () => returnedIn(batch, await summaryOf(batch, wanted), {returned, wanted});
    const before = await summaryNow();
    const own = resolve(journal.fact('typedOut') ?? plan.file.folder);
    const folder = wanted.folder === undefined ? own : resolve(wanted.folder);
    const published = publishedText(batch);
    // The process that has the batch writes the results at its end; these, written late, would replace them.
    const areResultsLeft = published !== undefined && isSameFolder(folder, own);
    if (!areResultsLeft)
      journal.setFact(
        'results',
        writeResults({journal, plan, summary: before, folder, returned: returned.found}),
      );
    const isSent = isBeingSent(batch);
    const summary: Reported = {
      ...(await summaryNow()),
      ...(areResultsLeft && isSent ? {results: null, failed_file: null, summary_file: null} : {}), // of an earlier run
      ...publishedAt(batch),
    };
    const beside = {doubts: summary.in_doubt, returned: returned.found};
    const attention = isSent ? [] : attentionBeside(journal, ATTENTION, beside);
    const end = {
      ...{attention, returned: [...returned.found.values()], commands: commandsOf(batch, wanted)},
      ...{published, areResultsLeft},
    };
    if (wanted.html === undefined || (wanted.html === 'beside' && areResultsLeft && isSent))
      return {summary, ...end};
    const path = wanted.html === 'beside' ? reportFile(folder, plan) : resolve(wanted.html.file);
    const isUsual = wanted.html === 'beside';
    writeReport({batch, summary, path, isUsual, commands: end.commands, returned: returned.found});
    return {summary: {...summary, report_file: path}, ...end};
  } finally {
    await batch.close();
  }
}

/** Also through links. */
function isSameFolder(a: string, b: string): boolean {
  const real = (path: string) => (existsSync(path) ? realpathSync(path) : path);
  return real(a) === real(b);
}
