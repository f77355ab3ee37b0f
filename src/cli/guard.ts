import {RemitError} from '../errors.ts';
import {formatMajor, groupMajor, parseMajor, parseMinor} from '../money/amount.ts';
import type {Output} from '../output/output.ts';
import type {ActiveProfile, Caps} from '../profiles/profile.ts';
import {canAsk, type Prompts} from './prompts.ts';
import type {InStream} from './runtime.ts';

/** What a person must see, and a cap must be checked against, before a write leaves. */
export interface WriteFacts {
  /** Verb and noun: `create payout`. */
  operation: string;
  /** Who or what it is about: label and id, such as `['payee', '5f0c…']`. */
  party?: readonly [label: string, id: string] | undefined;
  /** Absent where the write moves no stated amount. */
  amountMinor?: bigint | undefined;
  /** Absent where the service chooses it. */
  currency?: string | undefined;
  /** Only for writes that name a rail or leave it to the service; `undefined` is checked against the allowed rails. */
  rail?: {value: string | undefined} | undefined;
}

export interface GuardTools {
  profile: Pick<ActiveProfile, 'name' | 'mode' | 'caps' | 'readOnly' | 'baseUrl' | 'masked'>;
  flags: {live?: boolean | undefined; yes?: boolean | undefined};
  out: Output;
  prompts: Prompts;
  stdin: InStream;
  stderr: NodeJS.WritableStream & {isTTY?: boolean | undefined};
}

/**
 * Refuses a write that the profile does not allow, and asks before one that moves live money. Caps and read-only hold
 * in both modes. A live write needs --live; then, at a terminal, the amount is typed (or a plain yes where there is
 * none), and without a terminal --yes stands for that. Every default is no.
 * @throws RemitError GUARD_READ_ONLY, GUARD_CAP, GUARD_LIVE or GUARD_CONFIRM; nothing has been sent.
 */
export async function guardWrite(facts: WriteFacts, tools: GuardTools): Promise<void> {
  const {profile, flags, out} = tools;
  if (profile.readOnly)
    throw new RemitError(
      'GUARD_READ_ONLY',
      `refused to ${facts.operation}: profile ${profile.name} is read-only`,
    );
  checkCaps(facts, profile.caps, profile.name);
  if (profile.mode === 'test') return;
  if (!flags.live)
    throw new RemitError('GUARD_LIVE', `refused to ${facts.operation} with a live key: ${describe(facts)}`, {
      hint: 'add --live to the same command when real money is meant to move',
    });
  out.liveBanner(
    `profile ${profile.name ?? '(environment)'}, live mode, ${profile.baseUrl}, key ${profile.masked}`,
  );
  out.notice(`  ${facts.operation}: ${describe(facts)}`);
  if (canAsk(tools)) await askLive(facts, tools.prompts);
  else if (!flags.yes)
    throw new RemitError(
      'GUARD_LIVE',
      `refused to ${facts.operation} with a live key: nobody is there to confirm it`,
      {
        hint: 'without a terminal, add --yes as well as --live',
      },
    );
}

async function askLive(facts: WriteFacts, prompts: Prompts): Promise<void> {
  const refuse = (what: string): never => {
    throw new RemitError('GUARD_CONFIRM', `not confirmed: ${what}; nothing was sent`);
  };
  const {amountMinor, currency} = facts;
  if (amountMinor === undefined) {
    if (!(await prompts.confirm(`Really ${facts.operation} with a live key?`, '--live --yes')))
      refuse('the answer was no');
    return;
  }
  const unit = currency === undefined ? 'in minor units' : `in ${currency}`;
  const typed = (await prompts.line(`Type the amount ${unit} to ${facts.operation}:`, '--live --yes')).trim();
  if (readTyped(typed, currency) !== amountMinor) refuse('the amount typed is another one');
}

function readTyped(typed: string, currency: string | undefined): bigint | undefined {
  try {
    return currency === undefined
      ? parseMinor(typed)
      : parseMajor(ungroup(typed.replace(/ ?[A-Z]{3}$/, '')), currency);
  } catch {
    return undefined;
  }
}

/** An amount as it is shown, and so as some type it: `1,500.75`. Other commas stay, and are refused. */
export const ungroup = (typed: string): string =>
  /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(typed) ? typed.replaceAll(',', '') : typed;

/** `125.00 USD (12500 minor units) to payee 5f0c…`. */
function describe({party, amountMinor, currency, rail}: WriteFacts): string {
  const parts = [
    amountMinor === undefined ? undefined : amountText(amountMinor, currency),
    party === undefined ? undefined : `${party[0]} ${party[1]}`,
    rail?.value === undefined ? undefined : `by ${rail.value}`,
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}

/** Both forms of an amount, so that neither can be misread: `125.00 USD (12500 minor units)`. */
export function amountText(minor: bigint, currency: string | undefined): string {
  if (currency === undefined) return `${minor} minor units of the source account's currency`;
  return `${groupMajor(formatMajor(minor, currency))} ${currency} (${minor} minor units)`;
}

/** A cap fails closed: a currency or rail that it does not name is refused. */
export function checkCaps(facts: WriteFacts, caps: Caps, profileName: string | null): void {
  const over = (message: string) =>
    new RemitError('GUARD_CAP', `refused to ${facts.operation}: ${message} (profile ${profileName})`);
  if (caps.rails !== undefined && facts.rail !== undefined) {
    const {value} = facts.rail;
    if (value === undefined)
      throw over(`the profile allows only some rails, so name one with --rail: ${caps.rails.join(', ')}`);
    if (!caps.rails.includes(value))
      throw over(`the rail ${value} is not among those allowed: ${caps.rails.join(', ')}`);
  }
  if (caps.max_amount_minor === undefined || facts.amountMinor === undefined) return;
  const limit = capFor(caps.max_amount_minor, facts.currency);
  if (limit === undefined)
    throw over(
      facts.currency === undefined
        ? 'the profile caps amounts by currency, so name one with --currency'
        : `the profile has no cap for ${facts.currency}, only for ${Object.keys(caps.max_amount_minor).join(', ')}`,
    );
  if (facts.amountMinor > BigInt(limit.minor))
    throw over(
      `${amountText(facts.amountMinor, limit.currency)} is above the cap of ${amountText(BigInt(limit.minor), limit.currency)}`,
    );
}

function capFor(
  caps: Readonly<Record<string, number>>,
  currency: string | undefined,
): {minor: number; currency: string} | undefined {
  if (currency === undefined || !Object.hasOwn(caps, currency)) return undefined;
  return {minor: caps[currency]!, currency};
}
