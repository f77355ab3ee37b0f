import {LIFECYCLES} from '../../../contract/lifecycle.ts';
import {payinView, payoutView} from '../../../output/views/transfers.ts';
import {creationDetails, recordDetails} from '../../write/details.ts';
import {explainCreate, orAlreadyDone} from '../../write/refusals.ts';
import type {PayinOrPayout} from './money-kind.ts';

type Names = Pick<PayinOrPayout, 'resource' | 'noun' | 'partyLabel' | 'partyField' | 'view'>;

const kindOf = (names: Names): PayinOrPayout => ({
  ...names,
  topic: names.resource,
  lifecycle: LIFECYCLES[names.noun],
  idParam: 'id',
  waits: {
    repair: (commands, record) => {
      const party = record[names.partyField];
      if (party === undefined) return undefined;
      return commands.read('payment-methods', 'list', `--${names.partyLabel}`, party);
    },
  },
  read: async ({client, stop}, id, options) =>
    (await client.record(`${names.resource}.get`, {params: {id}, options: {signal: stop.signal, ...options}}))
      .data,
  details: (context, verb, record) => recordDetails(context, names, verb, record),
  explain: (context, verb, id, error) => orAlreadyDone(context, {...names, verb, id}, error),
  creates: {
    ...{takesKey: true, partyField: names.partyField, partyLabel: names.partyLabel},
    ids: {[names.partyField]: names.partyLabel, subaccount_id: 'subaccount'},
    details: (context, body) => creationDetails(context, names, body),
    listWords: () => [names.resource, 'list', '--limit', '5'],
    explain: (context, body, error) => explainCreate(context, names, body, error),
  },
});

export const PAYIN = kindOf({
  resource: 'payins',
  noun: 'payin',
  partyLabel: 'payer',
  partyField: 'payer_id',
  view: payinView,
});
export const PAYOUT = kindOf({
  resource: 'payouts',
  noun: 'payout',
  partyLabel: 'payee',
  partyField: 'payee_id',
  view: payoutView,
});
