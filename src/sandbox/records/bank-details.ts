import type {Input} from '../../contract/schemas/registry.ts';
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
  return method.type === 'card' ? readCard(method.card, nowMs) : readBankAccount(method.bank_account);
}

function readBankAccount(account: {
  account_number: string;
  routing_number: string;
  holder_name: string;
}): Details {
  const routing = account.routing_number;
  if (!hasAbaChecksum(routing))
    throw incomplete('bank_account.routing_number', 'is not a valid routing number');
  const bank = bankOf(routing);
  return {
    last4: lastDigits(account.account_number),
    routingLast4: routing.slice(-4),
    institution: bank.name,
    rails: bank.rails,
    behaviour: accountBehaviour(account.account_number, account.holder_name),
  };
}

/** Up to four digits, and never all but one: of a short number fewer are kept. */
const lastDigits = (number: string): string => number.slice(-Math.min(4, number.length - 2));

function readCard(card: {number: string; exp_month: number; exp_year: number}, nowMs: number): Details {
  if (!hasLuhnChecksum(card.number)) throw incomplete('card.number', 'is not a valid card number');
  // A card is valid until the end of its month; Date.UTC's month is zero-based, so this is the first of the next.
  if (Date.UTC(card.exp_year, card.exp_month, 1) <= nowMs)
    throw incomplete('card.exp_year', 'the card has expired');
  return {
    last4: card.number.slice(-4),
    routingLast4: null,
    institution: cardBrand(card.number),
    rails: ['instant_card'],
    behaviour: cardBehaviour(card.number),
  };
}

/** The checksum of the American Bankers Association: weights 3, 7, 1. */
export function hasAbaChecksum(routing: string): boolean {
  const sum = [...routing].reduce((total, digit, at) => total + Number(digit) * ([3, 7, 1][at % 3] ?? 0), 0);
  return routing.length === 9 && sum > 0 && sum % 10 === 0;
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
