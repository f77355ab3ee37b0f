import {counted} from '../../../phrases.ts';
import {resolve} from 'node:path';
import {Flags} from '@oclif/core';
import type {OpenBatch} from '../../../batch/journal/open-batch.ts';
import {publishedText, readBatch} from '../../../batch/overview/read-batch.ts';
import {returnedRows} from '../../../batch/report/returned.ts';
import {returnsReader} from '../returns.ts';
import {synchroniseBatch} from '../../../batch/registry/synchronise.ts';
import {DIFFERS_CODE} from '../../../batch/model/outcome.ts';
import {differText} from '../../../batch/standing/end-words.ts';
import {readSummary} from '../../../batch/standing/read-summary.ts';
import {restingExitCodeOf, type Summary} from '../../../batch/standing/summary.ts';
import {EXIT} from '../../../errors.ts';
import {count as countFlag} from '../../input/global-flags.ts';
import type {LocalContext} from '../../core/context.ts';
import {batchArg, BatchCommand} from '../batch-command.ts';
import {stateDirFlag} from '../flags.ts';
import {checkBound, commandsFor} from '../place.ts';
import {exportLines, exportToFile, type Fetching, fileFormat} from './action.ts';
import type {SeenLater} from './line.ts';
import {recordFetcher} from './records.ts';
import {checkReplaceable} from './replaceable.ts';

export abstract class BatchExport extends BatchCommand {
  static override summary = 'Write the rows of a batch for accounting, as CSV, JSON or NDJSON';
  static override description =
    'One line for each row: reference, amount, status, id of its record, and why it failed. --refresh adds when it was settled.';
  static override args = {batch: batchArg};
  static override flags = {
    refresh: Flags.boolean({
      description: 'fetch each record, for the date when it was settled and for fees (reads only)',
    }),
    'max-rps': countFlag(
      1,
      100_000,
    )({
      description: 'with --refresh: maximum requests per second (default 50)',
      dependsOn: ['refresh'],
    }),
    out: Flags.string({
      helpValue: 'FILE',
      description: 'write to this file (mode 0600) instead of stdout; it replaces only an earlier export',
    }),
    ...stateDirFlag,
  };

  async run() {
    const {args, flags} = await this.parse(BatchExport);
    // A file for a spreadsheet is what an export is for; a table is not.
    if (flags.out === undefined && flags.output === undefined && !flags.json) flags.output = 'csv';
    const local = this.openLocal();
    const stateDir = await this.stateDirOf(
      local,
      flags,
      flags.refresh ? {takes: args.batch, purpose: 'export'} : {reads: args.batch},
    );
    const {clock, out} = local;
    const purpose = `export of batch ${args.batch}`;
    const wanted = {stateDir, kind: this.kind, batchId: args.batch, clock};
    const batch = await readBatch(wanted, purpose, {brief: !flags.refresh});
    try {
      const path = flags.out === undefined ? undefined : resolve(local.runtime.cwd, flags.out);
      if (path !== undefined) checkReplaceable(path, batch, out.settings.fields);
      const published = publishedText(batch);
      if (published !== undefined) out.note(published);
      batch.journal.makeDoubtExplicit();
      if (!flags.refresh) {
        const written = await this.#write(local, batch, {path, stateDir});
        out.note('Statuses are as last seen; --refresh fetches each record.');
        return written;
      }
      const context = await this.open();
      checkBound(context, stateDir, this.typed, batch);
      if (batch.copy !== undefined)
        out.warn(
          `what is fetched is not recorded: batch ${args.batch} is in use, or its folder is read-only`,
        );
      const transport = await context.transportFor('pool');
      try {
        const client = context.clientOn(transport);
        const records = recordFetcher({context, client, plan: batch.plan, maxRps: flags['max-rps']});
        return await this.#write(local, batch, {path, stateDir}, records);
      } finally {
        await transport.close();
      }
    } finally {
      out.endProgress();
      await batch.close();
    }
  }

  async #write(
    local: LocalContext,
    batch: OpenBatch,
    {path: file, stateDir}: {path: string | undefined; stateDir: string},
    records?: Fetching,
  ): Promise<{file: string; rows: number} | undefined> {
    const {out, clock} = local;
    const seen = {failed: 0, canceled: 0, differs: 0, unapproved: 0, gone: 0};
    const returned = returnedRows(batch.journal, await returnsReader(local, stateDir)(batch));
    const lines = exportLines(batch, seen, returned, records && {records, clock});
    let written: {file: string; rows: number} | undefined;
    if (file === undefined) await out.list(lines);
    else {
      written = await exportToFile(local, lines, {path: file, format: fileFormat(out.settings.format, file)});
      out.text(`${counted(written.rows, 'row')} of batch ${batch.plan.batchId} exported to ${written.file}.`);
    }
    if (records !== undefined && batch.copy === undefined) await synchroniseBatch(batch, {stateDir, clock}); // other batches count what was read, too
    const summary = readSummary(batch, clock.now(), () => commandsFor(local, batch));
    warnOf(local, seen, summary);
    warnOfReturned(local, returned.found.size);
    const isChanged = returned.found.size > 0 || Object.values(seen).some((rows) => rows > 0);
    const exit = restingExitCodeOf(summary);
    this.exitWith(exit === EXIT.OK && isChanged ? EXIT.PARTIAL : exit);
    return written;
  }
}

function warnOfReturned({out}: LocalContext, rows: number): void {
  if (rows > 0)
    out.warn(`${counted(rows, 'row')} returned by the bank: state is returned, and reason_code is its code`);
}

/** What the lines of the export show that a person must know. */
function warnOf({out}: LocalContext, seen: SeenLater, summary: Summary): void {
  const {in_doubt: doubts, state, next} = summary;
  const records = (rows: number) => counted(rows, 'record');
  if (doubts > 0 && state !== 'running')
    out.warn(
      `${counted(doubts, 'row')} ${doubts === 1 ? 'is' : 'are'} in doubt: the service may or may not have paid ${doubts === 1 ? 'it' : 'them'}${next === null ? '' : `. Next: ${next}`}`,
    );
  if (seen.differs > 0)
    out.warn(`${differText(seen.differs)}: reason_code is ${DIFFERS_CODE}, and reason names the difference`);
  if (seen.unapproved > 0)
    out.warn(
      `${records(seen.unapproved)} had been approved and ${seen.unapproved === 1 ? 'is' : 'are'} now shown as created`,
    );
  if (seen.gone > 0)
    out.warn(`${records(seen.gone)} not found at the service: state is in_doubt, and reason says so`);
  if (seen.failed > 0) out.warn(`${records(seen.failed)} failed after acceptance: status is failed`);
  if (seen.canceled > 0)
    out.warn(`${records(seen.canceled)} canceled at the service after acceptance: status is canceled`);
}
