import {UNUSABLE_ID} from '../../../client/answers/service-error.ts';
import {LIFECYCLES} from '../../../contract/lifecycle.ts';
import {RemitError} from '../../../errors.ts';
import {type JsonFields, stringOf} from '../../../narrow.ts';
import {selectedValue} from '../../../output/records/select.ts';
import {payinView, payoutView} from '../../../output/views/transfers.ts';
import type {Context} from '../../core/context.ts';
import {withNamedParty} from '../../core/missing-route.ts';
import {orAlreadyDone} from '../../write/already-done.ts';
import {methodFix} from '../../write/method-fix.ts';
import {creationDetails, recordDetails} from '../../write/transfer-details.ts';
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

/** Names the list of a record whose id cannot be typed, a party that is missing, or the payment method that it lacks. */
async function explainCreate(
  context: Context,
  {resource, partyLabel, partyField}: Names,
  body: JsonFields,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof RemitError)) return error;
  const party = stringOf(body[partyField]);
  // Repeating it returns the same record, whose id cannot be typed; the list shows its other fields.
  if (selectedValue(error.details, 'answer.what') === UNUSABLE_ID)
    return error.withHint(context.commands.read(resource, 'list', '--limit', '5'));
  const namesMethod = METHODS.some((field) => body[field] !== undefined);
  if (error.httpStatus === 404)
    return withNamedParty(error, context, {
      ...{operation: `${resource}.create`, noun: partyLabel, id: party},
      isOnlyRecord: !namesMethod && body['subaccount_id'] === undefined,
    });
  if (error.code === 'IN_DOUBT' || error.httpStatus !== 422 || namesMethod) return error;
  const fix = await methodFix(context, partyLabel, party);
  return fix === undefined ? error : error.withHint(fix);
}

const METHODS = ['payment_method_id', 'override_default_payment_method_id'];
