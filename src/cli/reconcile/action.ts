import {EXIT} from '../../errors.ts';
import {askedIn, findingsIn} from '../../reconcile/report/report.ts';
import type {Context} from '../core/context.ts';
import type {CommandOutcome} from '../core/outcome.ts';
import {checkFiles, type ReconcileFiles, writeFiles} from './files.ts';
import {paymentRows} from '../../reconcile/export/rows.ts';
import {printedRun} from './printed.ts';
import {type ReconcileRequest, runReconcile} from './run.ts';
import {reconcileText} from './view.ts';

/** Runs a reconcile, shows what it found, and writes the files that were named. */
export async function showReconcile(
  context: Context,
  {files, ...request}: ReconcileRequest & {files: ReconcileFiles},
): Promise<CommandOutcome> {
  const {out, commands} = context;
  checkFiles(context, files);
  const run = await runReconcile(context, request);
  try {
    const {report, book} = run;
    const written = await writeFiles(context, run, files);
    out.text(out.sanitizer.layout(reconcileText(report, commands)));
    if (written.length > 0) out.text(['', ...written.map((path) => `Written  ${path}`)].join('\n'));
    if (files.resolve !== undefined && report.doubts.length === 0)
      out.text(`\nNot written  ${files.resolve}: the bank has paid no row in doubt`);
    for (const why of report.why) if (!out.forPeople) out.warn(why);
    const isClean = report.conclusive && findingsIn(report) === 0;
    const exitCode = isClean ? EXIT.OK : EXIT.PARTIAL;
    if (out.settings.format === 'csv' && out.settings.query === undefined) {
      await out.list(paymentRows(book, askedIn(report)));
      return {data: undefined, exitCode};
    }
    return {data: printedRun(run, written, commands), exitCode};
  } finally {
    await run.book.close();
  }
}
