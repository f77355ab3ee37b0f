import {RemitError} from '../../../errors.ts';
import type {Acknowledged} from '../../../batch/journal/facts.ts';
import {accepting, type CountedName} from '../../../batch/model/accept.ts';
import {type Part, plus} from '../../../batch/model/part.ts';
import {formatMajor} from '../../../money/amount.ts';
import type {Typed} from '../../runtime/command-line.ts';
import type {Context} from '../../core/context.ts';
import {ungroup} from '../../guard/guard.ts';
import {checkBatchCaps} from '../../guard/batch-caps.ts';
import {canAsk} from '../../runtime/prompts.ts';
import {refusePaidElsewhere, type Survey} from '../../../batch/registry/survey.ts';
import type {Work} from '../../../batch/registry/work.ts';
import type {Accepted} from '../accept.ts';
import {readTotals} from '../flags.ts';
import {count, planText, surveyText, totalsText, workText} from '../plan/view.ts';
import type {Plan} from '../../../batch/model/plan-facts.ts';

export interface ConfirmFlags {
  'confirm-total'?: string[] | undefined;
  'confirm-count'?: number | undefined;
}

/** What is confirmed: of a retry, the rows that are sent again; else the plan's. */
export interface Sums {
  rows: number;
  totals: Readonly<Record<string, string>>;
}

/**
 * Lets a person or a script confirm the whole of a plan before anything of it is sent, and holds it against the profile's
 * caps. What was stated must match in every mode. Live money needs --live as well; then the total is stated by flags or
 * typed at the terminal, and without a terminal --yes stands beside the flags.
 *
 * @param doing `pay`, `stage`, `release`: what the yes is for
 * @param known the plan was confirmed by an earlier run; only live money is asked about again
 * @returns false where nobody said yes, since no command could send anything
 * @throws RemitError GUARD_* or NEEDS_TERMINAL; nothing was sent
 */
export async function confirmBatch(options: {
  context: Context;
  /** The command that is confirmed, for hints that repeat it. */
  typed: Typed;
  plan: Plan;
  survey: Survey;
  /** What the run will do: the question names it, while stated figures speak of the whole plan. */
  work: Work;
  flags: ConfirmFlags;
  accepted: Accepted;
  doing: string;
  known: boolean;
  /** Kept from an earlier confirmation of this plan. */
  acknowledged?: Acknowledged | undefined;
  /** Rows that are sent again under new keys: they are asked about, not the plan. */
  again?: Part | undefined;
  /** Called before the question. */
  onAsk: () => void;
}): Promise<boolean> {
  const {context, plan, survey, work, flags, accepted, doing} = options;
  const sums = options.again === undefined ? plan.figures : sumsOf(options.again);
  // A retry goes on with the rest of its batch as well.
  const moving = sumsOf(options.again === undefined ? work.open : plus([work.open, options.again]));
  const known = options.known && options.again === undefined;
  const {profile, out} = context;
  const {live, yes} = context.flags;
  const asked = (add: readonly string[], without?: readonly string[]) => retype(options, {add, without});
  const refuse = (
    code: 'GUARD_LIVE' | 'GUARD_CONFIRM' | 'GUARD_READ_ONLY',
    message: string,
    hint?: string,
  ): never => {
    throw new RemitError(code, message, {hint});
  };
  if (profile.readOnly)
    refuse(
      'GUARD_READ_ONLY',
      `refused to ${doing} batch ${plan.batchId}: profile ${profile.name} is read-only`,
    );
  checkBatchCaps(plan, profile.caps, profile.name, accepted.differences);
  checkStated(plan, sums, flags, asked);
  refusePaidElsewhere(survey, accepted.paidElsewhere, {batchId: plan.batchId, retype: asked});
  checkDuplicates(options, (line) => out.notice(line));
  const isLive = profile.mode === 'live';
  if (isLive && !live)
    refuse(
      'GUARD_LIVE',
      `refused to ${doing} batch ${plan.batchId} with a live key${moving.rows === 0 ? '' : `: ${totalsText(moving)}`}`,
      `if real money is meant to move: ${asked(['--live'])}`,
    );
  if (isLive)
    out.liveBanner(
      `profile ${profile.name ?? '(environment)'}, live mode, ${profile.baseUrl}, key ${profile.masked}`,
    );
  if (!known || isLive) {
    const text =
      options.again === undefined
        ? planText(plan, {mode: profile.mode})
        : `Batch ${plan.batchId}: ${count(sums.rows, 'row')} to be sent again, ${totalsText(sums)}`;
    if (isLive) out.notice(text);
    else out.note(text);
    for (const line of [...surveyText(survey), ...workText(work, options.again !== undefined)])
      out.notice(line);
  } else if (!work.isOver) out.note(questionOf(options).replace(/\?$/, '.'));
  /** Told above; the engine finds nothing to send either. */
  const isIdle = options.again === undefined && work.isOver;
  const stated = flags['confirm-count'] !== undefined && flags['confirm-total'] !== undefined;
  if (canAsk({stdin: context.runtime.stdin, stderr: context.runtime.stderr})) {
    if (stated || (!isLive && (yes === true || known))) return true;
    if (isIdle) return false;
    options.onAsk();
    await askFor({
      ...{context, sums, moving, question: questionOf(options)},
      what: movingOf(options, moving),
    });
  } else if (isLive) {
    if (!yes || !(stated || known))
      refuse(
        'GUARD_LIVE',
        `refused to ${doing} batch ${plan.batchId} with a live key: no terminal to confirm on`,
        `if this is what you mean: ${asked([...(yes ? [] : ['--yes']), ...stating(sums)], STATED)}`,
      );
  } else if (!stated && !yes && !known) {
    if (isIdle) return false;
    throw new RemitError(
      'NEEDS_TERMINAL',
      `batch ${plan.batchId} must be confirmed, but there is no terminal`,
      {
        hint: `nothing was sent; confirm it with ${asked(stating(sums), STATED)} (or with --yes instead, since this is a test key)`,
      },
    );
  }
  return true;
}

/** `Pay 2 of 6 rows, 350.00 USD (1 of them in doubt; 4 done already)?` */
function questionOf({doing, again, work}: Parameters<typeof confirmBatch>[0]): string {
  const {open, doubts, planned} = work;
  const doneRows = work.done.rows + work.paidBefore.rows;
  const rest =
    open.rows === 0 ? '' : `, and ${count(open.rows, 'row')} not done yet, ${totalsText(sumsOf(open))}`;
  if (again !== undefined)
    return `Send again ${count(again.rows, 'row')}, ${totalsText(sumsOf(again))}${rest}?`;
  const asides = [
    ...(doubts > 0 ? [`${doubts} of them in doubt`] : []),
    ...(doneRows > 0 ? [`${doneRows} done already`] : []),
    ...(work.staged.rows > 0 ? [`${work.staged.rows} staged already`] : []),
  ];
  const rows = open.rows === planned ? count(planned, 'row') : `${open.rows} of ${count(planned, 'row')}`;
  const money = open.rows === 0 ? '' : `, ${totalsText(sumsOf(open))}`;
  return `${capital(doing)} ${rows}${money}${asides.length > 0 ? ` (${asides.join('; ')})` : ''}?`;
}

/** `pay 2 rows`, `send 3 rows, 1 of them again` */
function movingOf({doing, again, work}: Parameters<typeof confirmBatch>[0], {rows}: Sums): string {
  if (again === undefined) return `${doing} ${count(rows, 'row')}`;
  return work.open.rows === 0
    ? `send again ${count(rows, 'row')}`
    : `send ${count(rows, 'row')}, ${again.rows} of them again`;
}

export const sumsOf = ({rows, totals}: Part): Sums => ({rows, totals: totals.toMajor()});

/** Asks a person: a yes with a test key, the totals with a live one. */
export async function askFor(asked: {
  context: Context;
  sums: Sums;
  moving: Sums;
  question: string;
  what: string;
}): Promise<void> {
  const {context, sums, moving, question, what} = asked;
  const {prompts} = context.runtime;
  const currencies = Object.entries(moving.totals).filter(([, total]) => /[1-9]/.test(total));
  if (context.profile.mode === 'test' || currencies.length === 0) {
    const yes = await prompts.confirm(question, statement(sums));
    if (!yes) throw new RemitError('GUARD_CONFIRM', 'not confirmed; nothing was sent');
    return;
  }
  for (const [currency, total] of currencies) {
    const typed = await prompts.line(`Type the total in ${currency} to ${what}:`, statement(sums));
    if (!sameAmount(ungroup(typed.trim().replace(/ ?[A-Z]{3}$/, '')), total, currency))
      throw new RemitError(
        'GUARD_CONFIRM',
        `not confirmed: the total typed is not ${total} ${currency}; nothing was sent`,
      );
  }
}

/** The words by which a script confirms this. */
export const stating = (sums: Sums): string[] => [
  ...Object.entries(sums.totals).flatMap(([currency, total]) => ['--confirm-total', `${currency}=${total}`]),
  ...['--confirm-count', String(sums.rows)],
];

const statement = (sums: Sums): string => stating(sums).join(' ');

/** The flags that `stating` makes. */
export const STATED = ['--confirm-total', '--confirm-count'];

/** The typed command with other words. */
export type Retype = (add: readonly string[], without?: readonly string[]) => string;

export const retype = (
  {context, typed}: {context: Context; typed: Typed},
  changes: {add: readonly string[]; without?: readonly string[] | undefined},
): string => context.commands.again(typed, {add: changes.add, without: changes.without ?? []});

/** @throws RemitError GUARD_CONFIRM when stated figures are not those of `sums` */
export function checkStated(plan: Plan, sums: Sums, flags: ConfirmFlags, asked: Retype): void {
  const differ = (message: string) => {
    throw new RemitError(
      'GUARD_CONFIRM',
      `the confirmation does not match ${sums === plan.figures ? 'the plan' : 'the rows concerned'} of ${plan.batchId}: ${message}; nothing was sent`,
      {
        hint: `if what it has is what you mean: ${asked(stating(sums), STATED)}`,
        details: {planned: sums.rows, totals: sums.totals},
      },
    );
  };
  const count = flags['confirm-count'];
  if (count !== undefined && count !== sums.rows) differ(`${count} rows were stated, it has ${sums.rows}`);
  const totals = readTotals(flags['confirm-total']);
  if (totals === undefined) return;
  for (const currency of new Set([...Object.keys(totals), ...Object.keys(sums.totals)])) {
    const [stated, planned] = [totals[currency], sums.totals[currency]];
    if (stated === undefined) differ(`it also pays ${planned} ${currency}`);
    else if (planned === undefined) differ(`it pays no ${currency}`);
    else if (!sameAmount(stated, planned, currency))
      differ(`${stated} ${currency} was stated, it has ${planned} ${currency}`);
  }
}

/** Sums may pass what one amount may be, so they are compared as digits: 1500.5 is 1500.50. */
function sameAmount(stated: string, planned: string, currency: string): boolean {
  const plain = /^(\d+)(?:\.(\d+))?$/.exec(stated);
  if (plain === null) return false;
  const decimals = planned.split('.')[1]?.length ?? 0;
  const fraction = plain[2] ?? '';
  if (fraction.length > decimals) return false;
  const minor = BigInt(plain[1]! + fraction.padEnd(decimals, '0'));
  return formatMajor(minor, currency) === planned;
}

/** @param show for what no plan can tell, since it is of other batches */
function checkDuplicates(options: Parameters<typeof confirmBatch>[0], show: (line: string) => void): void {
  const {plan, survey, accepted, acknowledged} = options;
  const {softDuplicates, similarReferences} = plan.figures;
  const {repeats, similar} = duplicatesOf(plan, survey, acknowledged);
  /** The command of the hint states both, so that one is enough. */
  const stated = [
    ...(repeats > 0 ? accepting('duplicates', repeats) : []),
    ...(similar > 0 ? accepting('similar', similar) : []),
  ];
  /** A command that is repeated states again what was accepted when this batch was first confirmed. */
  const isStated = (n: number, typed: number | undefined, before: number | undefined) =>
    n === (typed ?? 0) || (before !== undefined && typed !== undefined && typed >= n && typed <= before + n);
  const unacknowledged = (what: string, n: number, name: CountedName) => {
    surveyText(survey).forEach(show);
    const found = n === 0 ? `there is nothing that --accept ${name} could accept` : what;
    throw new RemitError('GUARD_DUPLICATES', `batch ${plan.batchId}: ${found}; nothing was sent`, {
      hint: `${n === 0 ? 'without it' : 'if every one of them is meant'}: ${retype(options, {add: stated, without: COUNTED})}`,
      details: {
        soft_duplicates: softDuplicates,
        similar_references: similarReferences,
        like_other_batches: survey.alike,
        similar_to_other_batches: survey.similar,
      },
    });
  };
  if (!isStated(repeats, accepted.duplicates, acknowledged?.duplicates))
    unacknowledged(
      `${count(repeats, 'row')} with party, amount and currency of an earlier one, in this file or in another batch of the last 30 days`,
      repeats,
      'duplicates',
    );
  if (!isStated(similar, accepted.similar, acknowledged?.similar))
    unacknowledged(
      `${count(similar, 'reference')} like an earlier one but for case or spaces`,
      similar,
      'similar',
    );
}

const COUNTED = ['--accept duplicates', '--accept similar'];

/** How many look-alikes are still to be acknowledged; those of the file itself are, with its plan. */
export function duplicatesOf(
  {figures}: Plan,
  survey: Survey,
  acknowledged: Acknowledged | undefined,
): {repeats: number; similar: number} {
  const [repeats, similar] =
    acknowledged === undefined ? [figures.softDuplicates.count, figures.similarReferences.count] : [0, 0];
  return {repeats: repeats + survey.alike.count, similar: similar + survey.similar.count};
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
