import {RemitError} from '../../../errors.ts';
import type {Plan} from '../../../batch/model/plan-facts.ts';
import type {Part} from '../../../batch/model/part.ts';
import {formatMajor} from '../../../money/amount.ts';
import type {Context} from '../../core/context.ts';
import {checkBatchCaps} from '../../guard/batch-caps.ts';
import {ungroup} from '../../guard/guard.ts';
import {routeLines} from '../../guard/route-lines.ts';
import {KINDS} from '../../../batch/model/kinds.ts';
import type {FlagValues} from '../../input/flags.ts';
import type {Typed} from '../../line/command-line.ts';
import {canAsk} from '../../runtime/prompts.ts';
import {saysCancel} from '../../../service/route-words.ts';
import {type confirmFlags, readTotals} from '../flags.ts';
import {totalsText} from '../plan/view.ts';

export type ConfirmFlags = FlagValues<typeof confirmFlags>;

/** Rows and money that one confirmation covers. */
export interface Sums {
  rows: number;
  totals: Readonly<Record<string, string>>;
}

export const sumsOf = ({rows, totals}: Part): Sums => ({rows, totals: totals.toMajor()});

/** What must be confirmed before anything of a batch is sent. */
export interface Agreement {
  context: Context;
  /** The command that is confirmed, for hints that repeat it. */
  typed: Typed;
  plan: Plan;
  flags: ConfirmFlags;
  /** `pay`, `stage`, `release`, `cancel`. */
  doing: string;
  /** What a script states. */
  sums: Sums;
}

/** The typed command with arguments added and some flags removed. */
export const retype = (
  {context, typed}: Pick<Agreement, 'context' | 'typed'>,
  add: readonly string[],
  without: readonly string[] = [],
): string => context.commands.again(typed, {add, without});

/**
 * Checks that apply in every mode: the profile may write, its caps allow the plan, and the stated figures match
 * `sums`.
 * @param acceptsDifferences whether records with another rail or currency than the plan would be released
 * @throws RemitError GUARD_READ_ONLY, GUARD_CAP or GUARD_CONFIRM
 */
export function checkAllowed(agreement: Agreement, acceptsDifferences: boolean): void {
  const {plan} = agreement;
  const {profile} = agreement.context;
  checkWritable(agreement);
  checkBatchCaps(plan, profile.caps, profile.name, acceptsDifferences);
  checkStated(agreement);
}

/**
 * Confirms a cancel. Caps do not apply to it, because it moves no money, unless the service file gives it a request
 * that may do something else.
 * @throws RemitError GUARD_READ_ONLY, GUARD_CAP or GUARD_CONFIRM
 */
export function checkCancelAllowed(agreement: Agreement): void {
  const {plan, context} = agreement;
  if (!saysCancel(`${plan.kind}s.cancel`, context.profile.service)) return checkAllowed(agreement, false);
  checkWritable(agreement);
  checkStated(agreement);
}

function checkWritable({context: {profile}, doing, plan}: Agreement): void {
  if (profile.readOnly)
    throw new RemitError(
      'GUARD_READ_ONLY',
      `refused to ${doing} batch ${plan.batchId}: profile ${profile.name} is read-only`,
    );
}

/**
 * Requires --live for a live key, and prints where the money moves.
 * @throws RemitError GUARD_LIVE
 */
export function checkLive(agreement: Agreement, moving: Sums): void {
  const {context, plan, doing} = agreement;
  const {profile, out} = context;
  if (profile.mode !== 'live') return;
  if (context.flags.live !== true)
    throw new RemitError(
      'GUARD_LIVE',
      `refused to ${doing} batch ${plan.batchId} with a live key${moving.rows === 0 ? '' : `: ${totalsText(moving)}`}`,
      {
        hint: `to ${doing === 'cancel' ? 'cancel live records' : 'move real money'}: ${retype(agreement, ['--live'])}`,
      },
    );
  out.liveBanner(
    `profile ${profile.name ?? '(environment)'}, live mode, ${profile.baseUrl}, key ${profile.masked}`,
  );
  const {create, approve, cancel} = KINDS[plan.kind].operations;
  const sent = doing === 'cancel' ? [cancel] : profile.approveById ? [create, approve] : [create];
  for (const [label, text] of routeLines(sent, profile.service)) out.notice(`  ${label}  ${text}`);
}

/**
 * A person's confirmation, or the equivalent flags in a script: with a test key the figures or --yes, with a live key
 * the figures and --yes. At a terminal, live totals are typed.
 * @param asking.moving what the command sends, which may be less than what is stated
 * @param asking.known an earlier run was confirmed; only live money is confirmed again
 * @param asking.isIdle no command could send anything, so no confirmation is needed
 * @returns false if nothing was confirmed because there is nothing to send
 * @throws RemitError GUARD_LIVE, GUARD_CONFIRM or NEEDS_TERMINAL
 */
export async function agree(
  agreement: Agreement,
  asking: {
    question: string;
    what: string;
    moving: Sums;
    known?: boolean;
    isIdle?: boolean;
    /** Called before the prompt. */
    onAsk: () => void;
  },
): Promise<boolean> {
  const {context, plan, flags, doing, sums} = agreement;
  const {known = false, isIdle = false} = asking;
  const isLive = context.profile.mode === 'live';
  const yes = context.flags.yes === true;
  // Rows that were never sent have no records, and so no total to state.
  const hasTotal = flags['confirm-total'] !== undefined || Object.keys(sums.totals).length === 0;
  const isStated = flags['confirm-count'] !== undefined && hasTotal;
  if (canAsk(context.runtime)) {
    if (isStated || (!isLive && (yes || known))) return true;
    if (isIdle) return false;
    asking.onAsk();
    await ask(agreement, asking);
    return true;
  }
  if (isLive) {
    if (yes && (isStated || known)) return true;
    throw new RemitError(
      'GUARD_LIVE',
      `refused to ${doing} batch ${plan.batchId} with a live key: no terminal to confirm on`,
      {
        hint: `to confirm: ${retype(agreement, [...(yes ? [] : ['--yes']), ...stating(sums)], STATED)}`,
      },
    );
  }
  if (isStated || yes || known) return true;
  if (isIdle) return false;
  throw new RemitError(
    'NEEDS_TERMINAL',
    `to ${doing} batch ${plan.batchId}, a confirmation is needed, but there is no terminal`,
    {
      hint: `nothing was sent; confirm it with ${retype(agreement, stating(sums), STATED)} (or with --yes instead, since this is a test key)`,
    },
  );
}

/** Prompts a person: for a yes with a test key, for the totals with a live key. */
async function ask(
  {context, sums}: Agreement,
  {question, what, moving}: {question: string; what: string; moving: Sums},
): Promise<void> {
  const {prompts} = context.runtime;
  const statement = stating(sums).join(' ');
  const currencies = Object.entries(moving.totals).filter(([, total]) => /[1-9]/.test(total));
  if (context.profile.mode === 'test' || currencies.length === 0) {
    const yes = await prompts.confirm(question, statement);
    if (!yes) throw new RemitError('GUARD_CONFIRM', 'not confirmed; nothing was sent');
    return;
  }
  for (const [currency, total] of currencies) {
    const typed = await prompts.line(`${what}? Type the total in ${currency}:`, statement);
    if (!sameAmount(ungroup(typed.trim().replace(/ ?[A-Z]{3}$/, '')), total, currency))
      throw new RemitError(
        'GUARD_CONFIRM',
        `not confirmed: the total typed is not ${total} ${currency}; nothing was sent`,
      );
  }
}

/** The flags with which a script confirms this. */
const stating = (sums: Sums): string[] => [
  ...Object.entries(sums.totals).flatMap(([currency, total]) => ['--confirm-total', `${currency}=${total}`]),
  ...['--confirm-count', String(sums.rows)],
];

/** The flags that `stating` creates. */
const STATED = ['--confirm-total', '--confirm-count'];

function checkStated(agreement: Agreement): void {
  const {plan, sums, flags} = agreement;
  const differ = (message: string) => {
    throw new RemitError(
      'GUARD_CONFIRM',
      `the confirmation does not match ${sums === plan.figures ? 'the plan' : 'the rows concerned'} of ${plan.batchId}: ${message}; nothing was sent`,
      {
        hint: `if the actual figures are correct: ${retype(agreement, stating(sums), STATED)}`,
        details: {planned: sums.rows, totals: sums.totals},
      },
    );
  };
  const count = flags['confirm-count'];
  if (count !== undefined && count !== sums.rows)
    differ(`${count} rows were stated, but there are ${sums.rows}`);
  const totals = readTotals(flags['confirm-total'], Object.keys(sums.totals));
  if (totals === undefined) return;
  for (const currency of new Set([...Object.keys(totals), ...Object.keys(sums.totals)])) {
    const [stated, planned] = [totals[currency], sums.totals[currency]];
    if (stated === undefined) differ(`it also pays ${planned} ${currency}`);
    else if (planned === undefined) differ(`it pays no ${currency}`);
    else if (!sameAmount(stated, planned, currency))
      differ(`${stated} ${currency} was stated, but the total is ${planned} ${currency}`);
  }
}

/** Sums may exceed the maximum of a single amount, so they are compared as digits: 1500.5 equals 1500.50. */
function sameAmount(stated: string, planned: string, currency: string): boolean {
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(stated) ?? [];
  if (whole === undefined) return false;
  const decimals = planned.split('.')[1]?.length ?? 0;
  if (fraction.length > decimals) return false;
  const minor = BigInt(whole + fraction.padEnd(decimals, '0'));
  return formatMajor(minor, currency) === planned;
}
