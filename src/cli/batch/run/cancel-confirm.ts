import type {BatchClaims} from '../../../batch/registry/batch-claims.ts';
import {noteConfirmation} from '../../../batch/journal/confirmations.ts';
import type {JournalRow} from '../../../batch/journal/row.ts';
import type {OpenBatch} from '../../../batch/journal/open-batch.ts';
import {type Part, plus} from '../../../batch/model/part.ts';
import type {Tally} from '../../../batch/model/tally.ts';
import {RemitError} from '../../../errors.ts';
import type {Typed} from '../../runtime/command-line.ts';
import type {Context} from '../../core/context.ts';
import {canAsk} from '../../runtime/prompts.ts';
import {checkBatchCaps} from '../../guard/batch-caps.ts';
import {
  askFor,
  checkStated,
  type ConfirmFlags,
  type Retype,
  retype,
  STATED,
  stating,
  type Sums,
  sumsOf,
} from './confirm.ts';
import {count, totalsText} from '../plan/view.ts';

interface Canceling {
  context: Context;
  typed: Typed;
  batch: OpenBatch;
  claims: BatchClaims;
  flags: ConfirmFlags;
  /** Called before the question. */
  onAsk: () => void;
}

/**
 * Lets a person or a script confirm what `cancel` takes up, like a run: live keys need `--live` and the figures, stated or
 * typed.
 * @throws RemitError GUARD_*, NEEDS_TERMINAL, or USAGE where nothing is left to cancel; nothing was sent
 */
export async function confirmCancel(canceling: Canceling): Promise<void> {
  const {context, batch, claims, flags} = canceling;
  const {plan, journal} = batch;
  const {profile, out} = context;
  const {live, yes} = context.flags;
  const name = `batch ${plan.batchId}`;
  if (profile.readOnly)
    throw new RemitError(
      'GUARD_READ_ONLY',
      `refused to cancel ${name}: profile ${profile.name} is read-only`,
    );
  const {tally} = journal.standingOf(plan);
  const part = (...buckets: ('staged' | 'unapproved' | 'in_doubt' | 'not_sent')[]): Part =>
    plus(buckets.map((bucket) => ({rows: tally[bucket].count, totals: tally[bucket].totals})));
  const open = part('staged', 'unapproved', 'in_doubt');
  if (open.rows + tally.not_sent.count === 0)
    throw new RemitError('USAGE', `${name} has no record that could be canceled, and nothing left to send`, {
      hint: `see where its rows are: ${context.commands.read(`${plan.kind}s`, 'batch', 'status', plan.batchId)}`,
    });
  const sums = sumsOf(open);
  checkBatchCaps(plan, profile.caps, profile.name, false);
  const asked: Retype = (add, without) => retype(canceling, {add, without});
  checkStated(plan, sums, flags, asked);
  const isLive = profile.mode === 'live';
  const text = `Cancel ${name}: ${count(open.rows, 'record')}${open.rows === 0 ? '' : `, ${totalsText(sums)}`}`;
  if (isLive && !live)
    throw new RemitError('GUARD_LIVE', `refused to cancel ${name} with a live key: ${text}`, {
      hint: `if it is meant: ${asked(['--live'])}`,
    });
  if (isLive)
    out.liveBanner(
      `profile ${profile.name ?? '(environment)'}, live mode, ${profile.baseUrl}, key ${profile.masked}`,
    );
  out.notice(text);
  for (const line of asides(tally)) out.notice(`  ${line}`);
  await ask(canceling, sums, {text, isLive, yes: yes === true});
  batch.lock.assertHeld(); // a question may stay open for hours
  claims.registry.assertHeld();
  noteConfirmation(journal, {
    ...{planHash: plan.planHash, revision: plan.revision, doing: 'cancel', asked: true},
    ...{at: context.clock.now(), by: context.runtime.env['USER'] ?? null, profile: profile.name},
  });
  journal.setFact('typedProfile', context.commands.profile ?? null);
}

/** The rows that a cancel found released: `A-2 (record 5f0c…)`. */
export function releasedText(rows: readonly JournalRow[], total: number): string {
  const named = rows.map(
    ({reference, outcome}) =>
      `${reference} (${(outcome?.id ?? null) === null ? 'no record known' : `record ${outcome!.id}`})`,
  );
  const more = total > named.length ? `, and ${total - named.length} more in the results` : '';
  return `Already released, left as they are: ${named.join(', ')}${more}`;
}

function asides(tally: Tally): string[] {
  const {in_doubt: doubts, not_sent: unsent, accepted} = tally;
  return [
    ...(doubts.count > 0 ? [`${count(doubts.count, 'row')} in doubt: settled first`] : []),
    ...(unsent.count > 0 ? [`${count(unsent.count, 'row')} not sent: not sent any more`] : []),
    ...(accepted.count > 0 ? [`${count(accepted.count, 'row')} released: left as they are`] : []),
  ];
}

async function ask(
  canceling: Canceling,
  sums: Sums,
  {text, isLive, yes}: {text: string; isLive: boolean; yes: boolean},
): Promise<void> {
  const {context, batch, flags, onAsk} = canceling;
  // Rows that were never sent have no records, and so no total to state.
  const hasTotal = flags['confirm-total'] !== undefined || Object.keys(sums.totals).length === 0;
  const isStated = flags['confirm-count'] !== undefined && hasTotal;
  const {stdin, stderr} = context.runtime;
  if (canAsk({stdin, stderr})) {
    if (isStated || (!isLive && yes)) return;
    onAsk();
    await askFor({
      context,
      sums,
      moving: sums,
      question: `${text}?`,
      what: `cancel ${count(sums.rows, 'record')}`,
    });
    return;
  }
  if (isLive && !(yes && isStated))
    throw new RemitError(
      'GUARD_LIVE',
      `refused to cancel batch ${batch.plan.batchId} with a live key: no terminal to confirm on`,
      {
        hint: `if this is what you mean: ${retype(canceling, {add: [...(yes ? [] : ['--yes']), ...stating(sums)], without: STATED})}`,
      },
    );
  if (!isLive && !isStated && !yes)
    throw new RemitError(
      'NEEDS_TERMINAL',
      `cancel of batch ${batch.plan.batchId} must be confirmed, but there is no terminal`,
      {
        hint: `nothing was sent; confirm it with ${retype(canceling, {add: stating(sums), without: STATED})} (or with --yes instead, since this is a test key)`,
      },
    );
}
