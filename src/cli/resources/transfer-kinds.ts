import type {View} from '../../output/records/view.ts';
import {payinView, payoutView} from '../../output/views/transfers.ts';
import type {Context} from '../core/context.ts';

/** The common parts of payins and payouts, which the interface document describes in parallel. */
export interface TransferResource {
  resource: 'payins' | 'payouts';
  noun: 'payin' | 'payout';
  partyLabel: 'payer' | 'payee';
  partyField: 'payer_id' | 'payee_id';
  view: View;
}

export const PAYIN: TransferResource = {
  resource: 'payins',
  noun: 'payin',
  partyLabel: 'payer',
  partyField: 'payer_id',
  view: payinView,
};
export const PAYOUT: TransferResource = {
  resource: 'payouts',
  noun: 'payout',
  partyLabel: 'payee',
  partyField: 'payee_id',
  view: payoutView,
};

/** As the service answers it, for the guard to check. */
export async function readTransfer(context: Context, kind: TransferResource, id: string): Promise<unknown> {
  const options = {signal: context.stop.signal};
  return (await context.client.call(`${kind.resource}.get`, {params: {id}, options})).data;
}
