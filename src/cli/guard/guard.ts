import {capital} from '../../phrases.ts';
import {RemitError} from '../../errors.ts';
import {parseMajor, parseMinor} from '../../money/amount.ts';
import {exponentOf} from '../../money/currencies.ts';
import type {Output} from '../../output/output.ts';
import type {OutStream} from '../../output/sink.ts';
import type {ActiveProfile} from '../../profiles/profile.ts';
import {guardedAmountText} from './amount-text.ts';
import {checkCaps, hintForUnread} from './caps.ts';
import {liveLines} from './live-lines.ts';
import type {Detail, WriteFacts} from './facts.ts';
import {canAsk, type Prompts} from '../runtime/prompts.ts';
import type {InStream} from '../runtime/runtime.ts';

type Asks = Pick<Prompts, 'confirm' | 'line'>;

export interface GuardTools {
  profile: Pick<
    ActiveProfile,
    'name' | 'mode' | 'caps' | 'readOnly' | 'approvalPolicy' | 'baseUrl' | 'masked'
  >;
  flags: {live?: boolean | undefined; yes?: boolean | undefined};
  out: Output;
  prompts: Asks;
  stdin: InStream;
  stderr: OutStream;
  /** Where the write is sent, if a service file changes that. */
  routes?: readonly Detail[];
  /** The operations of its requests; undefined for one that is not in the contract. */
  operations?: readonly (string | undefined)[];
}

/**
 * Refuses a write that the profile does not allow, and prompts before one that moves live money. Caps and read-only
 * apply in both modes. A live write needs --live; then, at a terminal, the amount is typed (or a plain yes if there
 * is no amount), and without a terminal --yes replaces that. Every default is no, and anything unreadable is refused.
 * @throws RemitError GUARD_READ_ONLY, GUARD_CAP, GUARD_LIVE or GUARD_CONFIRM; nothing has been sent.
 */
export async function guardWrite(facts: WriteFacts, tools: GuardTools): Promise<void> {
  const {profile, flags, out} = tools;
  const {operation, unread} = facts;
  refuseReadOnly(operation, profile);
  refuseSinglePayment(facts, tools);
  if (facts.cancels !== true) checkCaps(facts, profile.caps, profile.name);
  if (facts.stated && !canAsk(tools) && !flags.yes)
    throw new RemitError(
      'GUARD_CONFIRM',
      `refused to ${operation}: the stated amount is not confirmed: ${describe(facts)}`,
      {
        hint: 'without a terminal, add --yes to confirm the stated amount',
      },
    );
  if (profile.mode === 'test') {
    if (facts.stated) out.notice(`  ${operation}: ${describe(facts)}, as stated with --amount`);
    return;
  }
  if (!flags.live) {
    const shown = describe(facts);
    throw new RemitError('GUARD_LIVE', `refused to ${operation} with a live key${shown && `: ${shown}`}`, {
      hint: `to ${liveEffect(facts)}, add --live to the same command`,
    });
  }
  if (unread !== undefined && !unread.mayMoveNothing)
    throw new RemitError(
      'GUARD_LIVE',
      `refused to ${operation} with a live key: its amount is unknown: ${unread.why}`,
      {
        hint: hintForUnread(unread),
      },
    );
  const isTerminal = canAsk(tools);
  if (!isTerminal && !flags.yes)
    throw new RemitError(
      'GUARD_LIVE',
      `refused to ${operation} with a live key: no terminal to confirm it on`,
      {
        hint: 'without a terminal, add --yes as well as --live',
      },
    );
  const details = await facts.details?.();
  out.liveBanner(
    `profile ${profile.name ?? '(environment)'}, live mode, ${profile.baseUrl}, key ${profile.masked}`,
  );
  for (const line of liveLines(facts, details, tools.routes)) out.notice(line);
  if (isTerminal) await askLive(facts, tools.prompts);
}

function refuseReadOnly(operation: string, {readOnly, name}: Pick<ActiveProfile, 'readOnly' | 'name'>): void {
  if (readOnly)
    throw new RemitError('GUARD_READ_ONLY', `refused to ${operation}: profile ${name} is read-only`);
}

/** Operations that move money, or create what another one releases. */
const PAYS = /^(?:payouts|payins|moves|\w*[tT]ransfers)\.(?:create|approve)$/;

/** Only batches can be approved by a second person, so a profile with a policy pays nothing else. */
function refuseSinglePayment(
  {operation, amountMinor, cancels}: WriteFacts,
  {profile: {approvalPolicy, name}, operations = []}: GuardTools,
): void {
  if (approvalPolicy === undefined || cancels === true) return;
  if (amountMinor === undefined && operations.every((id) => id !== undefined && !PAYS.test(id))) return;
  throw new RemitError(
    'GUARD_APPROVAL',
    `refused to ${operation}: the policy of profile ${name} requires approvals, and a single payment has none`,
    {hint: 'pay it as a batch, which may have one row'},
  );
}

/**
 * For --dry-run: refuses what a read-only profile and the caps of the profile would refuse, so that a request that cannot
 * be sent is not shown as if it could. Without them nothing is checked, and no record is read.
 * @throws RemitError GUARD_READ_ONLY or GUARD_CAP
 */
export async function guardPreview(
  facts: WriteFacts | (() => Promise<WriteFacts>),
  profile: Pick<ActiveProfile, 'caps' | 'readOnly' | 'name'>,
): Promise<void> {
  const {caps, readOnly, name} = profile;
  if (!readOnly && Object.keys(caps).length === 0) return;
  const checked = typeof facts === 'function' ? await facts() : facts;
  const operation = `${checked.operation} (dry run)`;
  refuseReadOnly(operation, profile);
  if (checked.cancels !== true) checkCaps({...checked, operation}, caps, name);
}

/** What --live allows: most writes, such as a new payee, move no money. */
const liveEffect = ({amountMinor, unread, cancels}: WriteFacts): string =>
  cancels !== true && (amountMinor !== undefined || (unread !== undefined && !unread.mayMoveNothing))
    ? 'move real money'
    : 'write to the live service';

async function askLive(facts: WriteFacts, prompts: Asks): Promise<void> {
  const refuse = (what: string): never => {
    throw new RemitError('GUARD_CONFIRM', `not confirmed: ${what}; nothing was sent`);
  };
  const {amountMinor, currency} = facts;
  if (amountMinor === undefined) {
    if (!(await prompts.confirm(`${sentenceOf(facts.operation)} with a live key?`, '--live --yes')))
      refuse('the answer was no');
    return;
  }
  const known = currency !== undefined && exponentOf(currency) !== undefined ? currency : undefined;
  const unit = known === undefined ? 'in minor units' : `in ${known}`;
  const question = `${sentenceOf(facts.operation)}? Type its amount ${unit}:`;
  const typed = (await prompts.line(question, '--live --yes')).trim();
  if (readTyped(typed, known) !== amountMinor) refuse('the amount typed does not match');
}

/** `create a payout` is "Create a payout", and `POST /api/payouts` is "Send POST /api/payouts". */
const sentenceOf = (operation: string): string =>
  /^[A-Z]+ /.test(operation) ? `Send ${operation}` : capital(operation);

function readTyped(typed: string, currency: string | undefined): bigint | undefined {
  try {
    return currency === undefined
      ? parseMinor(typed)
      : parseMajor(ungroup(typed.replace(/ ?[A-Z]{3}$/, '')), currency);
  } catch {
    return undefined;
  }
}

/** The amount as displayed may also be typed: `1,500.75`. Other commas are kept, and refused. */
export const ungroup = (typed: string): string =>
  /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(typed) ? typed.replaceAll(',', '') : typed;

/** `125.00 USD (12500 minor units), payee 5f0c…, by wire`. */
function describe({party, amountMinor, currency, rail, unread}: WriteFacts): string {
  const parts = [
    amountMinor === undefined ? undefined : guardedAmountText(amountMinor, currency),
    unread === undefined ? undefined : `amount unknown: ${unread.why}`,
    party === undefined ? undefined : `${party[0]} ${party[1]}`,
    rail?.value === undefined ? undefined : `by ${rail.value}`,
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}
