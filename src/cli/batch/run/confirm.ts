import {capital, counted} from '../../../phrases.ts';
import {RemitError} from '../../../errors.ts';
import type {Acknowledged} from '../../../batch/journal/facts.ts';
import {accepting, type Retype} from '../../../batch/model/accept.ts';
import {type Part, plus} from '../../../batch/model/part.ts';
import type {Typed} from '../../line/command-line.ts';
import type {Context} from '../../core/context.ts';
import type {BankReturns} from '../../../batch/report/returned.ts';
import {refusePaidElsewhere, type Survey} from '../../../batch/registry/survey.ts';
import type {Work} from '../../../batch/registry/work.ts';
import type {Accepted} from '../accept.ts';
import {
  agree,
  type Agreement,
  checkAllowed,
  checkLive,
  type ConfirmFlags,
  retype,
  type Sums,
  sumsOf,
} from './agree.ts';
import {settlingAdvice} from './single-payment.ts';
import {planText, repeatsText, surveyText, totalsText, workText} from '../plan/view.ts';
import type {Plan} from '../../../batch/model/plan-facts.ts';

/**
 * Lets a person or a script confirm the whole plan before anything of it is sent, and checks it against the profile's
 * caps. Stated figures must match in every mode. Live money also needs --live; then the total is given by flags or
 * typed at the terminal, and without a terminal --yes is required with the flags.
 *
 * @param doing the action to confirm: `pay`, `stage`, `release`
 * @param known whether an earlier run confirmed the plan; then only live money is confirmed again
 * @returns false if nothing was confirmed because no command could send anything
 * @throws RemitError GUARD_* or NEEDS_TERMINAL; nothing was sent
 */
export async function confirmBatch(options: {
  context: Context;
  /** The command that is confirmed, for hints that repeat it. */
  typed: Typed;
  plan: Plan;
  survey: Survey;
  /** What the run will do: the prompt names it, while stated figures cover the whole plan. */
  work: Work;
  flags: ConfirmFlags;
  accepted: Accepted;
  doing: string;
  known: boolean;
  /** Kept from an earlier confirmation of this plan. */
  acknowledged?: Acknowledged | undefined;
  /** Rows that are sent again with new keys: the prompt covers them, not the plan. */
  again?: Part | undefined;
  /** What the bank has returned of what the rows look like. */
  back: BankReturns['found'];
  /** Called before the prompt. */
  onAsk: () => void;
}): Promise<boolean> {
  const {context, plan, survey, work, accepted} = options;
  const sums = options.again === undefined ? plan.figures : sumsOf(options.again);
  // A retry also continues with the rest of its batch.
  const moving = sumsOf(options.again === undefined ? work.open : plus([work.open, options.again]));
  const known = options.known && options.again === undefined;
  const {profile, out} = context;
  const agreement: Agreement = {...options, sums};
  checkAllowed(agreement, accepted.differences);
  const {words: stated} = unstatedDuplicates(options);
  const withWords: Retype = (words) =>
    retype(options, [...words, ...stated], stated.length === 0 ? [] : COUNTED);
  refusePaidElsewhere(survey, accepted.paidElsewhere, {batchId: plan.batchId, retype: withWords});
  checkDuplicates(options, (line) => out.notice(line));
  checkLive(agreement, moving);
  const isLive = profile.mode === 'live';
  if (!known || isLive) {
    const text =
      options.again === undefined
        ? planText(plan, {mode: profile.mode})
        : `Batch ${plan.batchId}: ${counted(sums.rows, 'row')} to be sent again, ${totalsText(sums)}`;
    if (isLive) out.notice(text);
    else out.note(text);
    for (const line of [...surveyText(survey, options.back), ...workText(work, options.again !== undefined)])
      out.notice(line);
  } else if (!work.isOver && !(options.doing === 'retry' && work.open.rows === 0))
    out.note(questionOf(options).replace(/\?$/, '.'));
  return agree(agreement, {
    ...{moving, known, question: questionOf(options), what: movingOf(options, moving)},
    isIdle: options.again === undefined && work.isOver, // printed above; the engine finds nothing to send either
    onAsk: options.onAsk,
  });
}

/** `Pay 2 of 6 rows, 350.00 USD (1 of them in doubt; 4 done already)?` */
function questionOf({doing, again, work}: Parameters<typeof confirmBatch>[0]): string {
  const {open, doubts, planned} = work;
  const doneRows = work.done.rows + work.paidBefore.rows;
  const rest =
    open.rows === 0 ? '' : `, and ${counted(open.rows, 'row')} not done yet, ${totalsText(sumsOf(open))}`;
  if (again !== undefined)
    return `Send ${counted(again.rows, 'row')} again, ${totalsText(sumsOf(again))}${rest}?`;
  const asides = [
    ...(doubts > 0 ? [`${doubts} of them in doubt`] : []),
    ...(doneRows > 0 ? [`${doneRows} done already`] : []),
    ...(work.staged.rows > 0 ? [`${work.staged.rows} staged already`] : []),
  ];
  const rows = open.rows === planned ? counted(planned, 'row') : `${open.rows} of ${counted(planned, 'row')}`;
  const money = open.rows === 0 ? '' : `, ${totalsText(sumsOf(open))}`;
  // A retry that sends nothing again still continues with the rest.
  const verb = doing === 'retry' ? 'Continue with' : capital(doing);
  return `${verb} ${rows}${money}${asides.length > 0 ? ` (${asides.join('; ')})` : ''}?`;
}

/** `Pay 2 rows`, `Send 3 rows, 1 of them again` */
function movingOf({doing, again, work}: Parameters<typeof confirmBatch>[0], {rows}: Sums): string {
  if (again === undefined) return `${capital(doing)} ${counted(rows, 'row')}`;
  return work.open.rows === 0
    ? `Send ${counted(rows, 'row')} again`
    : `Send ${counted(rows, 'row')}, ${again.rows} of them again`;
}

/** The look-alikes that the command must state and does not, with the arguments that state them. */
function unstatedDuplicates({
  plan,
  survey,
  accepted,
  acknowledged,
}: Pick<Parameters<typeof confirmBatch>[0], 'plan' | 'survey' | 'accepted' | 'acknowledged'>) {
  const {repeats, similar} = duplicatesOf(plan, survey, acknowledged);
  /** A repeated command states again what was accepted when this batch was first confirmed. */
  const isStated = (n: number, typed: number | undefined, before: number | undefined) =>
    n === (typed ?? 0) || (before !== undefined && typed !== undefined && typed >= n && typed <= before + n);
  const unstated = {
    duplicates: isStated(repeats, accepted.duplicates, acknowledged?.duplicates) ? undefined : repeats,
    similar: isStated(similar, accepted.similar, acknowledged?.similar) ? undefined : similar,
  };
  const isAny = unstated.duplicates !== undefined || unstated.similar !== undefined;
  /** They replace what was typed, so they state both. */
  const words = [
    ...(isAny && repeats > 0 ? accepting('duplicates', repeats) : []),
    ...(isAny && similar > 0 ? accepting('similar', similar) : []),
  ];
  return {...unstated, words};
}

/** @param show for facts that no plan contains, because they are about other batches */
function checkDuplicates(options: Parameters<typeof confirmBatch>[0], show: (line: string) => void): void {
  const {plan, survey, accepted} = options;
  const {softDuplicates, similarReferences} = plan.figures;
  const {duplicates: repeats, similar, words: stated} = unstatedDuplicates(options);
  const isNew = options.acknowledged === undefined; // the file's own were acknowledged with its plan
  const unacknowledged = (what: string, n: number, name: 'duplicates' | 'similar') => {
    if (isNew) repeatsText(softDuplicates).forEach(show);
    surveyText(survey, options.back).forEach(show);
    const found = n === 0 ? `${NONE[name]}, so --accept ${name}=${accepted[name]} does not hold` : what;
    const again = `${n === 0 ? 'without it' : 'if all of them are intended'}: ${retype(options, stated, COUNTED)}`;
    const first = settlingAdvice(options.context, plan.kind, survey.alike.examples);
    throw new RemitError('GUARD_DUPLICATES', `batch ${plan.batchId}: ${found}; nothing was sent`, {
      hint: first === undefined || name === 'similar' || n === 0 ? again : `${first}; ${again}`,
      details: {
        soft_duplicates: softDuplicates,
        similar_references: similarReferences,
        like_other_batches: survey.alike,
        similar_to_other_batches: survey.similar,
      },
    });
  };
  if (repeats !== undefined) {
    const ofFile = isNew ? softDuplicates.count : 0;
    const found = [
      ...(ofFile > 0
        ? [`${counted(ofFile, 'row')} with the party, amount and currency of an earlier row of this file`]
        : []),
      ...(repeats > ofFile
        ? [
            `${counted(repeats - ofFile, 'row')} with ${ofFile > 0 ? 'those' : 'the party, amount and currency'} of another batch of the last 30 days or of a single command in doubt`,
          ]
        : []),
    ];
    unacknowledged(found.join(', and '), repeats, 'duplicates');
  }
  if (similar !== undefined)
    unacknowledged(
      `${counted(similar, 'reference')} that ${similar === 1 ? 'differs' : 'differ'} from an earlier one only in case or spaces`,
      similar,
      'similar',
    );
}

const NONE = {
  duplicates: 'no row repeats another payment',
  similar: 'no reference resembles an earlier one',
};

const COUNTED = ['--accept duplicates', '--accept similar'];

/** How many look-alikes have yet to be acknowledged; those of the file itself are acknowledged with its plan. */
export function duplicatesOf(
  {figures}: Plan,
  survey: Survey,
  acknowledged: Acknowledged | undefined,
): {repeats: number; similar: number} {
  const [repeats, similar] =
    acknowledged === undefined ? [figures.softDuplicates.count, figures.similarReferences.count] : [0, 0];
  return {repeats: repeats + survey.alike.count, similar: similar + survey.similar.count};
}
