import type {ImportKind, PartyRow} from '../../parties/row.ts';
import {counted} from '../../phrases.ts';
import type {Context} from '../core/context.ts';
import type {Shown} from '../help/outputs/forms.ts';
import type * as schemas from '../help/outputs/service.ts';

export type ImportResult = Shown<typeof schemas.Imported>;

const SHOWN = 20;

/** What was imported, what was not and why, and what to type next. */
export function showImport(
  {out, commands}: Context,
  {kind, file, rows, created, found, already, pending, problems, results, next}: ImportResult,
  stopped: string | undefined,
): void {
  const done = created + found + already;
  const earlier = [
    ...(already > 0 ? [`${already} before`] : []),
    ...(found > 0 ? [`${found} found at the service`] : []),
  ];
  const before = earlier.length > 0 ? `: ${[`${created} now`, ...earlier].join(', ')}` : '';
  out.text(`Imported ${done} of ${counted(rows, kind)} from ${file}${before}.`);
  if (stopped !== undefined) out.warn(`the import stopped: ${stopped}`);
  if (problems.length > 0) {
    out.text('\nNeeds attention:');
    for (const {reference, place, state, message} of problems.slice(0, SHOWN))
      out.text(`  ${reference} (${place}): ${state.replace('_', ' ')}: ${message}`);
    if (problems.length > SHOWN) out.text(`  and ${problems.length - SHOWN} more; -o json lists them`);
  }
  if (results !== null) out.text(`\nResults  ${results}`);
  if (pending > 0)
    out.note(
      `${counted(pending, 'account')} ${pending === 1 ? 'is' : 'are'} not the default yet, which ${kind === 'payee' ? 'payouts' : 'payins'} need. To wait until they are verified:`,
    );
  if (next !== null) out.hint(next);
  else if (done > 0 && results !== null) {
    const payments = kind === 'payee' ? 'payouts' : 'payins';
    out.note(`To name them by their references in a file of ${payments}, in a column ${kind}_reference:`);
    out.hint(commands.read(payments, 'batch', 'plan', 'FILE', `--${kind}s`, results));
  }
}

/** Such an account can be verified and still not be paid. */
export function warnNoRail({out}: Context, kind: ImportKind, rows: readonly PartyRow[]): void {
  if (rows.length === 0) return;
  const countries = [...new Set(rows.map(({account}) => account.country))].sort().join(', ');
  const named = rows.slice(0, 3).map(({reference}) => reference);
  const more = rows.length > named.length ? ` and ${rows.length - named.length} more` : '';
  const [these, them] =
    rows.length === 1 ? ['this payment method', 'it'] : [`${rows.length} of the payment methods`, 'them'];
  const refused = kind === 'payee' ? `payouts to ${them}` : `payins from ${them}`;
  out.warn(
    `no rail of the service supports ${these} (${countries}), so ${refused} are refused: ${named.join(', ')}${more}`,
  );
}
