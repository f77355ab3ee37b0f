import {lstatSync} from 'node:fs';
import {join} from 'node:path';
import {type CommandBuilder, RemitError} from '../../errors.ts';
import {guarded, headOf} from '../../store/files/out-file.ts';
import type {OpenBatch} from '../journal/open-batch.ts';
import {readReport} from './data.ts';
import {journalMark} from './mark.ts';
import {reportHtml} from './html.ts';
import {writePrivately} from './private-file.ts';
import type {ReturnedRows} from './returned.ts';
import type {Summary} from '../standing/summary.ts';
import type {Plan} from '../model/plan-facts.ts';

export const reportFile = (folder: string, plan: Plan): string => join(folder, `${plan.batchId}.report.html`);

/**
 * Writes the HTML report of a batch: privately, by rename, never through a link. An earlier report of the same batch
 * is replaced; any other file is left unchanged.
 * @throws RemitError STATE naming the file
 */
export function writeReport(options: {
  batch: OpenBatch;
  summary: Summary;
  path: string;
  /** It is the usual one, beside the results. */
  isUsual?: boolean;
  commands?: CommandBuilder;
  returned?: ReturnedRows;
}): void {
  const {batch, summary, path, isUsual = false, commands, returned} = options;
  const file = isUsual ? undefined : path;
  writePage(path, batch.plan, reportHtml(readReport(batch, summary, {commands, file, returned})));
}

/** Writes a page about a batch in the same way. */
export function writePage(path: string, plan: Plan, html: string): void {
  refuseForeign(path, plan);
  writePrivately(path, html);
}

/** The mark of the batch is near the top of every page about it. */
function refuseForeign(path: string, plan: Plan): void {
  const found = guarded(path, () => lstatSync(path, {throwIfNoEntry: false}));
  if (found === undefined || found.isSymbolicLink()) return; // a link is refused later, when writing
  if (found.isFile() && headOf(path).includes(journalMark(plan))) return;
  throw new RemitError('STATE', `${path} already exists and is not a report of batch ${plan.batchId}`, {
    hint: 'move it, or name another file: --html FILE',
  });
}
