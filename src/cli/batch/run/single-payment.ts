import {KINDS, type Kind} from '../../../batch/model/kinds.ts';
import type {AlikeExample} from '../../../batch/registry/look-alikes.ts';
import {contentOf, type OpenPayment} from '../../../doubts/open-payment.ts';
import {readOpenPayments} from '../../../doubts/open-payments.ts';
import type {Context} from '../../core/context.ts';
import {isPastKeys, isUnderOtherProfile} from '../../doubts/description.ts';

/**
 * What to do first about a row that may be the payment of a single command in doubt: `to complete …: remit payouts
 * create …`. Undefined if no row is like one. Accepting the row instead would pay a second time if the payment was
 * made.
 */
export function settlingAdvice(
  context: Context,
  kind: Kind,
  examples: readonly AlikeExample[],
): string | undefined {
  const example = examples.find(({earlier}) => earlier.batch === null);
  if (example === undefined) return undefined;
  const {reference, earlier} = example;
  const payment = readOpenPayments(context.stateDir, () => {}).find(
    (one) => one.kind === kind && one.idempotencyKey === earlier.reference,
  );
  if (payment === undefined) return undefined;
  const repetition = repetitionOf(context, kind, payment);
  return repetition === undefined
    ? `to find out whether ${reference} was paid: ${listOf(context, kind, payment)}`
    : `to complete the payment in doubt, and then remove ${reference} from the file: ${repetition}`;
}

/** The create with its key, if it can be typed exactly and the service still knows the key. */
function repetitionOf(context: Context, kind: Kind, payment: OpenPayment): string | undefined {
  const {party, amountMinor, currency, idempotencyKey, content, approves} = payment;
  if (party === null || amountMinor === null || idempotencyKey === null) return undefined;
  if (isPastKeys(context, payment) || isUnderOtherProfile(context, payment)) return undefined;
  const body = {
    [KINDS[kind].party]: party,
    amount_in_minor_units: Number(amountMinor),
    currency_code: currency ?? undefined,
  };
  if (contentOf(body) !== content) return undefined; // it has other fields, which are not known exactly
  return context.commands.write(
    ...[KINDS[kind].topic, 'create', partyFlag(kind), party, '--amount-minor', String(amountMinor)],
    ...(currency === null ? [] : ['--currency', currency]),
    ...(approves ? ['--auto-approve'] : []),
    ...['--idempotency-key', idempotencyKey],
  );
}

const partyFlag = (kind: Kind): string => (kind === 'payout' ? '--payee' : '--payer');

const listOf = ({commands}: Context, kind: Kind, {party}: OpenPayment): string =>
  commands.read(KINDS[kind].topic, 'list', ...(party === null ? [] : [partyFlag(kind), party]));
