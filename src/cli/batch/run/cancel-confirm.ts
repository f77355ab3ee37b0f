import {counted} from '../../../phrases.ts';
import type {BatchClaims} from '../../../batch/registry/batch-claims.ts';
import {noteConfirmation} from '../../../batch/journal/confirmations.ts';
import {KINDS} from '../../../batch/model/kinds.ts';
import type {JournalRow} from '../../../batch/journal/rows/row.ts';
import type {OpenBatch} from '../../../batch/journal/open-batch.ts';
import {type Part, plus} from '../../../batch/model/part.ts';
import type {Tally} from '../../../batch/model/tally.ts';
import {RemitError} from '../../../errors.ts';
import type {Typed} from '../../line/command-line.ts';
import type {Context} from '../../core/context.ts';
import {operatorName} from '../../runtime/operator.ts';
import {agree, type Agreement, checkCancelAllowed, checkLive, type ConfirmFlags, sumsOf} from './agree.ts';
import {grantBatch} from './granted.ts';
import {noteTyped} from '../place.ts';
import {totalsText} from '../plan/view.ts';
import type {RunFlags} from './request.ts';

interface Canceling {
  context: Context;
  typed: Typed;
  batch: OpenBatch;
  claims: BatchClaims;
  flags: ConfirmFlags & Pick<RunFlags, 'out'>;
  /** Called before the prompt. */
  onAsk: () => void;
}

/**
 * Lets a person or a script confirm what `cancel` will do, as for a run: live keys need `--live` and the figures,
 * stated or typed.
 * @throws RemitError GUARD_*, NEEDS_TERMINAL, or USAGE if nothing is left to cancel; nothing was sent
 */
export async function confirmCancel(canceling: Canceling): Promise<void> {
  const {context, batch, claims} = canceling;
  const {plan, journal} = batch;
  const name = `batch ${plan.batchId}`;
  const {tally} = journal.standingOf(plan);
  const part = (...buckets: ('staged' | 'unapproved' | 'in_doubt' | 'not_sent')[]): Part =>
    plus(buckets.map((bucket) => ({rows: tally[bucket].count, totals: tally[bucket].totals})));
  const open = part('staged', 'unapproved', 'in_doubt');
  if (open.rows + tally.not_sent.count === 0 && journal.rows.replayedByCancel(0, 1).length === 0)
    throw new RemitError('USAGE', `${name} has no record that could be canceled, and nothing left to send`, {
      hint: `to see the state of its rows: ${context.commands.read(KINDS[plan.kind].topic, 'batch', 'status', plan.batchId)}`,
    });
  const sums = sumsOf(open);
  const agreement: Agreement = {...canceling, plan, doing: 'cancel', sums};
  checkCancelAllowed(agreement);
  checkLive(agreement, sums);
  const text = `Cancel ${name}: ${counted(open.rows, 'record')}${open.rows === 0 ? '' : `, ${totalsText(sums)}`}`;
  context.out.notice(text);
  for (const line of asides(tally, journal.rows.replayedUnsent())) context.out.notice(`  ${line}`);
  const what = `cancel ${counted(sums.rows, 'record')}`;
  await agree(agreement, {moving: sums, question: `Cancel ${name}?`, what, onAsk: canceling.onAsk});
  batch.lock.assertHeld(); // a prompt may stay open for hours
  claims.registry.assertHeld();
  grantBatch(context, plan.kind, 'cancel');
  noteConfirmation(journal, {
    ...{planHash: plan.planHash, revision: plan.revision, doing: 'cancel', asked: true},
    ...{at: context.clock.now(), by: operatorName(), profile: context.profile.name},
  });
  noteTyped(journal, context, canceling.flags.out);
}

/** The rows that a cancel found already released: `A-2 (record 5f0c…)`. */
export const releasedText = (rows: readonly JournalRow[], total: number): string =>
  `Already released, unchanged: ${namesOf(rows, total)}`;

function namesOf(rows: readonly JournalRow[], total: number): string {
  const named = rows.map(
    ({reference, outcome}) => `${reference} (${outcome?.id ? `record ${outcome.id}` : 'no record known'})`,
  );
  return named.join(', ') + (total > named.length ? `, and ${total - named.length} more in the results` : '');
}

/** @param replayed rows of which a request was not answered, or was answered with another record */
function asides(tally: Tally, replayed: number): string[] {
  const {in_doubt: doubts, not_sent, accepted} = tally;
  const unsent = {count: not_sent.count - replayed};
  return [
    ...(doubts.count > 0 ? [`${counted(doubts.count, 'row')} in doubt: resolved first`] : []),
    ...(replayed > 0
      ? [
          `${counted(replayed, 'row')} may have been sent: asked for once more, without approval, and canceled`,
        ]
      : []),
    ...(unsent.count > 0 ? [`${counted(unsent.count, 'row')} not sent: will not be sent`] : []),
    ...(accepted.count > 0 ? [`${counted(accepted.count, 'row')} released: unchanged`] : []),
  ];
}
