import {counted} from '../../phrases.ts';
import type {Context} from '../core/context.ts';
import type {Shown} from '../help/outputs/forms.ts';
import type * as schemas from '../help/outputs/service.ts';

export type ImportResult = Shown<typeof schemas.Imported>;

const SHOWN = 20;
/** Rows with these problems exist at the service. */
const EXISTING: ReadonlySet<string> = new Set(['duplicate', 'unverified']);

/** What was imported, what was not and why, and what to type next. */
export function showImport(
  {out, commands}: Context,
  {kind, file, rows, created, already, problems, results, next}: ImportResult,
  {stopped, isPending}: {stopped: string | undefined; isPending: boolean},
): void {
  const done = rows - problems.filter(({state}) => !EXISTING.has(state)).length;
  const before = already > 0 ? `: ${created} created, ${already} imported before` : '';
  out.text(`Imported ${done} of ${counted(rows, kind)} from ${file}${before}.`);
  if (stopped !== undefined) out.warn(`the import stopped: ${stopped}`);
  if (isPending) out.warn('not all of them are verified yet');
  if (problems.length > 0) {
    out.text('\nNeeds attention:');
    for (const {reference, place, state, message} of problems.slice(0, SHOWN))
      out.text(`  ${reference} (${place}): ${state.replace('_', ' ')}: ${message}`);
    if (problems.length > SHOWN) out.text(`  and ${problems.length - SHOWN} more; -o json lists them`);
  }
  if (results === null) return;
  out.text(`\nResults  ${results}`);
  if (next !== null) out.hint(next);
  else if (done > 0) {
    const payments = kind === 'payee' ? 'payouts' : 'payins';
    out.note(`To name them by their references in a file of ${payments}, in a column ${kind}_reference:`);
    out.hint(commands.read(payments, 'batch', 'plan', 'FILE', `--${kind}s`, results));
  }
}
