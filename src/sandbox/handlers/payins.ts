import {must} from '../../narrow.ts';
import type {HandlerCall} from './handler.ts';
import type {TransferRequest} from '../transfers/admission.ts';
import {toPayin} from '../records/transfer.ts';
import {transferHandlers} from './transfers.ts';

function readCreate(body: HandlerCall<'payins.create'>['body']): TransferRequest {
  return {
    partyId: body.payer_id.toLowerCase(),
    amount: must(body.amount_in_minor_units ?? body.amount_in_cents, 'amount, which the schema requires'),
    currency: body.currency_code ?? null,
    rail: body.rail ?? null,
    methodId: body.payment_method_id?.toLowerCase() ?? null,
    subaccountId: body.subaccount_id?.toLowerCase() ?? null,
    autoApprove: body.auto_approve ?? false,
    metadata: body.metadata ?? {},
    scheduledDate: body.scheduled_date ?? null,
  };
}

export const payinHandlers = transferHandlers<'payins.create', 'payins.list'>({
  kind: 'payin',
  toRecord: toPayin,
  readCreate,
  partyFilter: (query) => query.payer_id,
});
