import type {Retype} from '../../../batch/model/accept.ts';
import {RemitError} from '../../../errors.ts';
import {counted} from '../../../phrases.ts';
import {readTotals} from '../../batch/flags.ts';
import type {ConfirmFlags} from '../../batch/run/agree.ts';
import type {LocalContext} from '../../core/context.ts';
import {ungroup} from '../../guard/guard.ts';
import {canAsk} from '../../runtime/prompts.ts';
import type {Reviewed} from './review.ts';

/**
 * At a terminal a person always answers: for live money with the totals. Without one, the figures are stated with flags,
 * and --yes.
 * @throws RemitError GUARD_CONFIRM or NEEDS_TERMINAL
 */
export async function confirmApproval(
  {terms, plan}: Reviewed,
  {local, flags, retype}: {local: LocalContext; flags: ConfirmFlags; retype: Retype},
): Promise<void> {
  const {runtime} = local;
  const refuse = (why: string) =>
    new RemitError('GUARD_CONFIRM', `not confirmed: ${why}; nothing was signed`);
  const totals = Object.entries(terms.totals);
  const stated = readTotals(flags['confirm-total'], Object.keys(terms.totals));
  const count = flags['confirm-count'];
  if (count !== undefined && count !== terms.count) throw refuse(`there are ${counted(terms.count, 'row')}`);
  for (const currency of Object.keys({...terms.totals, ...stated}))
    if (stated !== undefined && stated[currency] !== terms.totals[currency])
      throw refuse(`the total is ${terms.totals[currency] ?? '0'} ${currency}`);
  if (!canAsk(runtime)) {
    if (count !== undefined && stated !== undefined && local.flags.yes === true) return;
    const words = totals.flatMap(([currency, total]) => ['--confirm-total', `${currency}=${total}`]);
    throw new RemitError('NEEDS_TERMINAL', 'to approve, a confirmation is needed, but there is no terminal', {
      hint: `nothing was signed; confirm it with ${retype([...words, '--confirm-count', String(plan.figures.rows), '--yes'], ['--confirm-total', '--confirm-count', '--yes'])}`,
    });
  }
  const instead = '--confirm-total, --confirm-count and --yes';
  if (terms.mode === 'test') {
    if (await runtime.prompts.confirm(`Approve ${counted(terms.count, 'row')}?`, instead)) return;
    throw refuse('the answer was no');
  }
  for (const [currency, total] of totals) {
    const typed = await runtime.prompts.line(`Approve? Type the total in ${currency}:`, instead);
    if (ungroup(typed.trim().replace(/ ?[A-Z]{3}$/, '')) !== total)
      throw refuse(`the total typed is not ${total} ${currency}`);
  }
}
