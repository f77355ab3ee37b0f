import {hasCardExpired} from '../../contract/card-number.ts';
import {type MarketField, marketOf, wrongIn} from '../../contract/markets.ts';
import type {Input} from '../../contract/schemas/registry.ts';
import {must} from '../../narrow.ts';
import {accountBehaviour, bankOf, cardBehaviour, type Behaviour} from '../outcomes/magic.ts';
import {ServiceError} from '../base/service-error.ts';

/**
 * What the vault would answer about an account or card: everything that the sandbox keeps of it, never the number
 * itself.
 */
export interface Details {
  last4: string;
  routingLast4: string | null;
  /** Bank name or card brand. */
  institution: string;
  rails: readonly string[];
  /** The effect of a magic value; null for ordinary ones. */
  behaviour: Behaviour | null;
}

const incomplete = (field: string, issue: string) =>
  new ServiceError('INVALID_PAYMENT_DETAILS', `${field}: ${issue}`, [{field, issue}]);

/**
 * Reads a bank account or card as the vault would.
 * @throws {ServiceError} INVALID_PAYMENT_DETAILS if the details are well formed but cannot exist.
 */
export function readDetails(method: Input<'PayeePaymentMethodAdd'>, nowMs: number): Details {
  return method.type === 'card' ? readCard(method.card, nowMs) : readBankAccount(method);
}

function readBankAccount({country_code, bank_account: account}: Input<'PayerPaymentMethodAdd'>): Details {
  const market = must(marketOf(country_code), 'a market that was checked');
  const valueOf = ({name}: MarketField): string => must(account[name], name);
  for (const field of [...market.bank, market.account]) {
    if (wrongIn(field, valueOf(field)) !== undefined)
      throw incomplete(`bank_account.${field.name}`, 'is not valid; check each digit');
  }
  const number = valueOf(market.account);
  const routing = account.routing_number;
  const bank = routing === undefined ? {name: 'Test Bank', rails: NO_RAILS} : bankOf(routing);
  return {
    last4: lastDigits(number),
    routingLast4: routing?.slice(-4) ?? null,
    institution: bank.name,
    rails: bank.rails,
    behaviour: accountBehaviour(number, account.holder_name),
  };
}

/** The rails of the interface document are those of the United States (assumption 86). */
const NO_RAILS: readonly string[] = [];

/** Up to four digits, and never all but one: of a short number fewer are kept. */
const lastDigits = (number: string): string => number.slice(-Math.min(4, number.length - 2));

function readCard(card: {number: string; exp_month: number; exp_year: number}, nowMs: number): Details {
  if (!hasLuhnChecksum(card.number)) throw incomplete('card.number', 'is not a valid card number');
  if (hasCardExpired(card, nowMs)) throw incomplete('card.exp_year', 'the card has expired');
  return {
    last4: card.number.slice(-4),
    routingLast4: null,
    institution: cardBrand(card.number),
    rails: ['instant_card'],
    behaviour: cardBehaviour(card.number),
  };
}

/** ISO/IEC 7812: doubles every second digit from the right. */
export function hasLuhnChecksum(number: string): boolean {
  const sum = [...number].reverse().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum > 0 && sum % 10 === 0;
}

function cardBrand(number: string): string {
  if (number.startsWith('4')) return 'visa';
  if (/^(5[1-5]|2[2-7])/.test(number)) return 'mastercard';
  if (/^3[47]/.test(number)) return 'amex';
  return 'unknown';
}
