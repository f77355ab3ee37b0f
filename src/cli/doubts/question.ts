import {hasFailed, wasCanceled} from '../../contract/lifecycle.ts';
import type {OpenPayment} from '../../doubts/open-payment.ts';
import {contentOf} from '../../doubts/open-payment.ts';
import {paymentId, type StoredPayment} from '../../doubts/open-payments.ts';
import {RemitError} from '../../errors.ts';
import type {Context} from '../core/context.ts';
import {canAsk} from '../runtime/prompts.ts';
import {guardedAmountText} from '../guard/amount-text.ts';
import {candidatesFor, getCommand, listCommand} from './candidates.ts';
import {descriptionOf, isPastKeys, isUnderOtherProfile, type ShownDoubt, timeOfDoubt} from './description.ts';
import type {Payment} from './payment.ts';

/** What is known about the same payment when it is typed again. */
interface Earlier {
  /** The newest first. */
  earlier: readonly StoredPayment[];
  /** The key of this command; null for an operation without keys. */
  fresh: {idempotencyKey: string | null; isOwnKey: boolean};
}

/**
 * Decides what to do about the same payment in doubt, if there is one.
 * @returns the payment whose key is sent again; undefined for a new payment
 * @throws RemitError GUARD_DUPLICATES without a terminal, or if the answer is no
 */
export async function askAboutEarlier(
  context: Context,
  payment: Payment,
  {earlier, fresh}: Earlier,
): Promise<StoredPayment | undefined> {
  const mayRepeat = (one: OpenPayment) => one.idempotencyKey !== null && !isPastKeys(context, one);
  const repeated = earlier.find(
    ({idempotencyKey}) =>
      idempotencyKey !== null && idempotencyKey === fresh.idempotencyKey && !fresh.isOwnKey,
  );
  if (repeated !== undefined && mayRepeat(repeated)) return repeated;
  const seen = (one: StoredPayment) => payment.accepts.includes(paymentId(one));
  const unseen = repeated === undefined ? earlier.filter((one) => !seen(one)) : [repeated];
  const open = nearest(payment, unseen.filter(mayRepeat)) ?? nearest(payment, unseen);
  if (open === undefined) return undefined;
  const canRepeat = mayRepeat(open);
  const known: ShownDoubt = {
    ...{open, earlier},
    newKey: fresh.isOwnKey ? undefined : (fresh.idempotencyKey ?? undefined),
    found: canRepeat ? undefined : await candidatesFor(context, payment, sinceOf(context, unseen)),
  };
  if (repeated !== undefined || isUnderOtherProfile(context, open) || !canAsk(context.runtime))
    throw refused(context, payment, known);
  context.out.warn(descriptionOf(context, payment, known));
  if (await context.runtime.prompts.confirm(questionOf(payment, known), acceptance(known)))
    return canRepeat ? open : undefined;
  throw refused(context, payment, known);
}

/**
 * Another command has sent the same payment while this one waited, and has learned what became of it.
 * @throws RemitError GUARD_DUPLICATES without a terminal, or if the answer is no
 */
export async function askAboutOther(context: Context, payment: Payment): Promise<void> {
  const {commands, out, runtime} = context;
  const {kind, typed} = payment;
  const words = `another remit command has just sent the same ${kind}`;
  if (canAsk(runtime)) {
    out.warn(words);
    if (await runtime.prompts.confirm(`Send another ${kind}?`, 'the command again')) return;
  }
  const [next, another] = [listCommand(commands, payment), commands.again(typed)];
  throw new RemitError('GUARD_DUPLICATES', `refused: ${words}. Nothing was sent by this one`, {
    hint: `${next}; to send another ${kind} all the same: ${another}`,
    details: {next, another},
  });
}

/**
 * Asks at a terminal before another payment like one that the service shows from the last 24 hours, whoever made it.
 * Scripts and commands with `--yes` are not asked.
 * @throws RemitError GUARD_DUPLICATES if the answer is no
 */
export async function askAboutAlike(context: Context, payment: Payment): Promise<void> {
  const {clock, commands, flags, out, runtime} = context;
  const {kind, parties, typed, amountMinor, currency} = payment;
  if (!canAsk(runtime) || flags.yes === true || kind === 'bank transaction') return;
  const {records} = await candidatesFor(context, payment, clock.now());
  // A record that cannot be named cannot be looked up, and there may be another of one that paid nothing.
  const alike = records.filter(({id, status}) => id !== '-' && !hasFailed(status) && !wasCanceled(status));
  const [last] = alike;
  if (last === undefined) return;
  const {id, status, created_at: at} = last;
  const more = alike.length === 1 ? '' : `, and ${alike.length - 1} more like it`;
  const amount = amountMinor === null ? '' : ` of ${guardedAmountText(amountMinor, currency ?? undefined)}`;
  const words = `a ${kind}${amount}, ${parties}, was made at ${at.replace(/\.\d+/, '')}: ${id}, ${status}${more}`;
  out.warn(words);
  if (await runtime.prompts.confirm(`Make another ${kind}?`, '--yes')) return;
  throw new RemitError('GUARD_DUPLICATES', `refused: ${words}. Nothing was sent now`, {
    hint: `${getCommand(commands, payment, id)}; to make another ${kind} all the same: ${commands.again(typed, {add: ['--yes']})}`,
    details: {id, candidates: alike},
  });
}

/** The one with the same content, otherwise the newest. */
const nearest = ({body}: Payment, open: readonly StoredPayment[]): StoredPayment | undefined =>
  open.find(({content}) => content === contentOf(body)) ?? open[0];

/** The time of an entry is in the future if the clock was set back since. */
const sinceOf = ({clock}: Context, open: readonly OpenPayment[]): number =>
  Math.min(clock.now(), ...open.map(({firstSentMs}) => firstSentMs));

function questionOf({kind}: Payment, {open, found, newKey}: ShownDoubt): string {
  if (found !== undefined) return `Send another ${kind}?`;
  const other = newKey === undefined ? '' : `, not with ${newKey}`;
  return `Send it again with the earlier key, ${open.idempotencyKey}${other}? The service then returns the same ${kind}, or creates it if there is none.`;
}

/** Every payment in doubt, so that one which is added later is asked about again. */
const acceptance = ({earlier}: ShownDoubt): string =>
  `--accept new-payment=${earlier.map(paymentId).join(',')}`;

function refused(context: Context, payment: Payment, known: ShownDoubt): RemitError {
  const {open, found, newKey} = known;
  const {commands} = context;
  const {typed, kind} = payment;
  const {idempotencyKey: key} = open;
  const isSpent = newKey !== undefined && newKey === key; // another payment needs another key
  const another = commands.again(typed, {
    without: ['--accept', ...(isSpent ? ['--idempotency-key'] : [])],
    add: acceptance(known).split(' '),
  });
  const repeat = repetitionOf(context, payment, known);
  const isOther = open.content !== contentOf(payment.body); // then its key would be sent with a body that it does not have
  const next = repeat === undefined || isOther ? checkOf(context, payment, known) : repeat;
  const advice = repeat === next ? 'Repeat it with its key' : 'Check whether it exists';
  const all = `${next}; to send another ${kind} all the same: ${another}`;
  return new RemitError(
    'GUARD_DUPLICATES',
    `refused: ${descriptionOf(context, payment, known)}. Nothing was sent now. ${advice}`,
    {
      hint: isOther && repeat !== undefined ? `${all}; if it is the same ${kind}: ${repeat}` : all,
      details: {
        ...{idempotency_key: key, first_sent_at: timeOfDoubt(open.firstSentMs), next, another},
        ...(open.recordId === null ? {} : {id: open.recordId}),
        ...(found === undefined ? {} : {candidates: found.records}),
        file: open.file,
      },
    },
  );
}

/** The command that sends the earlier payment again; undefined if its key must not be sent. */
function repetitionOf(context: Context, {typed}: Payment, {open, found}: ShownDoubt): string | undefined {
  const {commands} = context;
  const {idempotencyKey, profile} = open;
  if (found !== undefined || idempotencyKey === null) return undefined;
  const changes = {
    without: ['--accept', '--idempotency-key'],
    add: ['--idempotency-key', idempotencyKey],
  };
  return isUnderOtherProfile(context, open) && profile !== null
    ? commands.againWith(profile, typed, changes)
    : commands.again(typed, changes);
}

/** The command that shows what became of the earlier payment. */
const checkOf = ({commands}: Context, payment: Payment, {open: {recordId}}: ShownDoubt): string =>
  recordId !== null && (payment.kind === 'payout' || payment.kind === 'payin')
    ? commands.read(`${payment.kind}s`, 'get', recordId)
    : listCommand(commands, payment);
