import {type Hint, RemitError} from '../../errors.ts';
import type {Caps} from '../../profiles/profile.ts';
import {guardedAmountText} from './amount-text.ts';
import type {UnreadAmount, WriteFacts} from './facts.ts';

/**
 * Caps fail closed: an amount, currency or rail that cannot be read is refused, and so is one without a cap.
 * @throws RemitError GUARD_CAP
 */
export function checkCaps(facts: WriteFacts, caps: Caps, profileName: string | null): void {
  const over = (message: string, hint?: Hint) =>
    new RemitError('GUARD_CAP', `refused to ${facts.operation}: ${message} (profile ${profileName})`, {hint});
  checkRail(facts, caps, over);
  if (caps.max_amount_minor === undefined) return;
  if (facts.unread !== undefined)
    throw over(`the cap on amounts cannot be checked: ${facts.unread.why}`, hintForUnread(facts.unread));
  if (facts.amountMinor === undefined) return;
  const {currency} = facts;
  if (currency === undefined)
    throw over(
      `the profile caps amounts by currency, ${WITHOUT_CURRENCY[facts.source ?? 'flags']}`,
      facts.source === undefined ? withCurrency(facts.amountMinor, caps.max_amount_minor) : undefined,
    );
  const limit = capOf(caps.max_amount_minor, currency);
  if (limit === undefined)
    throw over(
      `the profile has no cap for ${currency}, only for ${Object.keys(caps.max_amount_minor).join(', ')}`,
    );
  if (facts.amountMinor > limit)
    throw over(
      `${guardedAmountText(facts.amountMinor, currency)} is above the cap of ${guardedAmountText(limit, currency)}`,
    );
}

/** Minor units; undefined if there is no cap for the currency, so that it is refused. */
export function capOf(caps: Readonly<Record<string, number>>, currency: string): bigint | undefined {
  const cap = Object.hasOwn(caps, currency) ? caps[currency] : undefined;
  return cap === undefined ? undefined : BigInt(cap);
}

const withCurrency = (minor: bigint, caps: Readonly<Record<string, number>>): string =>
  `write it like --amount-minor ${minor} --currency ${Object.keys(caps)[0] ?? 'USD'}`;

const WITHOUT_CURRENCY = {
  flags: 'so name one with --currency',
  body: 'but the body has no ISO 4217 code in currency_code',
  record: 'but the record has no ISO 4217 code in currency_code',
};

function checkRail({rail, source}: WriteFacts, {rails}: Caps, over: (message: string) => RemitError): void {
  if (rails === undefined || rail === undefined) return;
  const {value} = rail;
  if (value !== undefined && rails.includes(value)) return;
  const allowed = rails.join(', ');
  if (value !== undefined) throw over(`the rail ${value} is not among those allowed: ${allowed}`);
  throw over(
    source === undefined
      ? `the profile allows only some rails, so name one with --rail: ${allowed}`
      : `the profile allows only some rails (${allowed}), but the ${source} has none`,
  );
}

/** What to do if an amount could not be read. */
export function hintForUnread({absent, inRecord}: UnreadAmount): Hint | undefined {
  if (absent)
    return 'if you know the amount from elsewhere, add --amount and --currency; without a terminal, --yes as well';
  return inRecord
    ? (commands) =>
        `set the name and unit of the amount in the service file (fields and units); to find them: ${commands.read('doctor')}`
    : undefined;
}
