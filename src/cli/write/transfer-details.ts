import {asksForApproval} from '../../client/requests/approval.ts';
import {plainValue} from '../../output/records/view.ts';
import type {Context} from '../core/context.ts';
import type {Detail, WriteDetails} from '../guard/facts.ts';
import {cancelsOnly} from './record-facts.ts';
import {methodLine, openEffect, partyLine, recordedMethod} from './who.ts';
import type {Json, JsonFields} from '../../narrow.ts';
import {asRecord, type ServiceRecord} from '../../client/answers/record.ts';

/** Whether it is a payin or payout, and the name of its party. */
interface PartyNames {
  noun: 'payin' | 'payout';
  partyLabel: 'payer' | 'payee';
  partyField: 'payer_id' | 'payee_id';
}

/** The facts in the confirmation of a payin or payout that is about to be created. */
export async function creationDetails(
  context: Context,
  {noun, partyLabel, partyField}: PartyNames,
  body: JsonFields,
): Promise<WriteDetails> {
  const party = plainValue(body[partyField]);
  const named = body[noun === 'payout' ? 'override_default_payment_method_id' : 'payment_method_id'];
  const date = body['scheduled_date'];
  const isApproved = asksForApproval(body);
  const [who, method] = [
    await partyLine(context, partyLabel, party),
    await methodLine(context, partyLabel, party, typeof named === 'string' ? named : undefined),
  ];
  return {
    who: [who, method],
    when: [
      ['scheduled', typeof date === 'string' ? `${date}, 09:00 in New York` : 'no date'],
      subaccountLine(noun, body['subaccount_id'] ?? null),
      ['effect', creationEffect(isApproved, typeof date === 'string')],
    ],
  };
}

function creationEffect(isApproved: boolean, isScheduled: boolean): string {
  if (!isApproved) return 'waits for approval; no money moves yet';
  return isScheduled
    ? 'approved immediately; the money moves on the scheduled date'
    : 'approved immediately; the money moves now';
}

/** The facts in the confirmation of a payin or payout that is about to be approved or canceled. */
export async function recordDetails(
  context: Context,
  {noun, partyLabel, partyField}: PartyNames,
  verb: 'approve' | 'cancel',
  record: ServiceRecord,
): Promise<WriteDetails> {
  const metadata = record[`${noun}_metadata`];
  const id = record[partyField];
  const who: Detail =
    id !== undefined
      ? await partyLine(context, partyLabel, id, asRecord(metadata?.[partyLabel]).name)
      : [partyLabel, `unknown: the record has no ${partyField}`];
  const {status, subaccount_id: subaccount, scheduled_date: date} = record;
  return {
    who: [who, recordedMethod(partyLabel, asRecord(metadata?.['payment_method']))],
    when: [
      ['status', plainValue(status)],
      ['scheduled', typeof date === 'string' ? date : 'not shown by the service'],
      subaccountLine(noun, subaccount),
      [
        'effect',
        openEffect(record, verb, noun) ??
          (verb === 'approve'
            ? 'the money moves now, or on its scheduled date'
            : cancelsOnly(context, {verb, noun})
              ? `the ${noun} is canceled; no money moves`
              : 'unknown: the service file changes the request of a cancel, and it may move money'),
      ],
    ],
  };
}

function subaccountLine(noun: 'payin' | 'payout', id: Json): Detail {
  const label = noun === 'payout' ? 'from' : 'credits';
  if (id === undefined) return [label, 'unknown: the record has no subaccount_id'];
  return [label, id === null ? 'the main account' : `subaccount ${plainValue(id)}`];
}
