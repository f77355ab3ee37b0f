import {must} from '../../narrow.ts';
import type {HandlerCall} from './handler.ts';
import type {TransferRequest} from '../transfers/admission.ts';
import {toPayout} from '../records/transfer.ts';
import {transferHandlers} from './transfers.ts';

function readCreate(body: HandlerCall<'payouts.create'>['body']): TransferRequest {
  return {
    partyId: body.payee_id.toLowerCase(),
    amount: must(body.amount_in_minor_units ?? body.amount_in_cents, 'amount, which the schema requires'),
    currency: body.currency_code ?? null,
    rail: body.rail ?? null,
    methodId: body.override_default_payment_method_id?.toLowerCase() ?? null,
    subaccountId: body.subaccount_id?.toLowerCase() ?? null,
    autoApprove: body.auto_approve ?? false,
    metadata: body.metadata ?? body.payout_metadata ?? {}, // two names of one field (assumption 51)
    scheduledDate: body.scheduled_date ?? null,
  };
}

export const payoutHandlers = transferHandlers<'payouts.create', 'payouts.list'>({
  kind: 'payout',
  toRecord: toPayout,
  readCreate,
  partyFilter: (query) => query.payee_id,
});
