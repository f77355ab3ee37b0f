import {counted} from '../../phrases.ts';
import {resolve} from 'node:path';
import {type CommandBuilder, RemitError} from '../../errors.ts';
import type {Attention} from '../journal/rows/attention.ts';
import {type OpenBatch, openBatch} from '../journal/open-batch.ts';
import {readNews} from '../registry/news.ts';
import {reportFile, writeReport} from '../report/file.ts';
import {writeResults} from '../report/results.ts';
import type {Summary} from '../standing/summary.ts';
import {ATTENTION, commandsOf, lastStatus, runningText, summaryOf, type Wanted} from './status.ts';

/** The summary, with the path of the HTML report if one was written. */
export type Reported = Summary & {report_file?: string};

/**
 * Writes the results of a batch again, from its journal alone; sends nothing.
 * @param html a file for the HTML report, or `beside`: next to the results
 */
export async function reportBatch(
  wanted: Wanted & {folder: string | undefined; html?: {file: string} | 'beside' | undefined},
): Promise<{summary: Reported; attention: Attention[]; commands: CommandBuilder}> {
  const batch = await openForReport(wanted);
  try {
    const {journal, plan} = batch;
    await readNews(batch, wanted);
    const before = await summaryOf(batch, wanted);
    const folder = resolve(wanted.folder ?? plan.file.folder);
    const files = writeResults({journal, plan, summary: before, folder});
    journal.setFact('results', files);
    const summary = await summaryOf(batch, wanted);
    const attention = journal.needingAttention(ATTENTION, summary.in_doubt);
    const commands = commandsOf(batch, wanted);
    if (wanted.html === undefined) return {summary, attention, commands};
    const path = wanted.html === 'beside' ? reportFile(folder, plan) : resolve(wanted.html.file);
    writeReport({batch, summary, path, commands});
    return {summary: {...summary, report_file: path}, attention, commands};
  } finally {
    await batch.close();
  }
}

/** A running batch has no results yet; the error shows its progress. */
async function openForReport(wanted: Wanted): Promise<OpenBatch> {
  try {
    return await openBatch({...wanted, purpose: `report of batch ${wanted.batchId}`, brief: true});
  } catch (error) {
    const status = lastStatus(error, wanted);
    if (status === undefined || !(error instanceof RemitError)) throw error;
    const {accepted, planned} = status.summary;
    throw new RemitError(
      'LOCKED',
      `no report of batch ${wanted.batchId} was written because the batch is still running: ${accepted} of ${counted(planned, 'row')} accepted. ${runningText(status, error)}`,
      {cause: error, hint: error.openHint, details: {...error.details, summary: status.summary}},
    );
  }
}
