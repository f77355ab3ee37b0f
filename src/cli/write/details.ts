import {asksForApproval} from '../../client/requests/approval.ts';
import {plainValue} from '../../output/records/view.ts';
import type {Context} from '../core/context.ts';
import type {Detail, WriteDetails} from '../guard/facts.ts';
import {cancelsOnly} from './record-facts.ts';
import {asName, methodLine, openEffect, partyLine, recordedMethod, tryRead} from './who.ts';
import type {Json, JsonFields} from '../../narrow.ts';
import {asRecord, type ServiceRecord} from '../../client/answers/record.ts';

const EFFECTS = {
  wait: 'waits for approval; no money moves yet',
  now: 'approved immediately; the money moves now',
  approve: 'the money moves now',
};

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
  if (!isApproved) return EFFECTS.wait;
  return isScheduled ? 'approved immediately; the money moves on the scheduled date' : EFFECTS.now;
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

/** Maximum number of treasury accounts that are searched for a label. */
const MOST_LABELS = 200;

/** The labels of treasury accounts by their ids, for people; without those that could not be read. */
export async function accountLabels(
  context: Context,
): Promise<{labelOf: (id: string) => string | undefined}> {
  const read = await tryRead(context, async (options) => {
    const labels = new Map<string, string | undefined>();
    const listing = context.client.records(
      'treasury.accounts',
      {},
      {limit: MOST_LABELS, pageSize: 100, ...options},
    );
    for await (const account of listing)
      labels.set(plainValue(account.id).toLowerCase(), asName(account.label));
    return labels;
  });
  return {labelOf: (id) => (read instanceof Map ? read.get(id.toLowerCase()) : undefined)};
}

const effectOf = (record: ServiceRecord, effect: keyof typeof EFFECTS, noun: string): string =>
  (effect === 'approve' ? openEffect(record, 'approve', noun) : undefined) ?? EFFECTS[effect];

/**
 * The facts in the confirmation of an account transfer: both accounts by label. `record` is its body or its record.
 */
export async function accountTransferDetails(
  context: Context,
  record: ServiceRecord,
  effect: keyof typeof EFFECTS,
): Promise<WriteDetails> {
  const {source_account_id: source, destination_account_id: destination} = record;
  const {labelOf} = await accountLabels(context);
  const line = (label: string, id: string | undefined): Detail => {
    if (id === undefined) return [label, 'unknown: the record does not name it'];
    const name = labelOf(id);
    return [label, name ? `${name} (${id})` : `account ${id}, label unknown`];
  };
  return {
    who: [line('from', source), line('to', destination)],
    when: [...statusOf(record), ['effect', effectOf(record, effect, 'transfer')]],
  };
}

/** The facts in the confirmation of a move: both subaccounts by name. */
export async function moveDetails(
  context: Context,
  record: ServiceRecord,
  effect: 'wait' | 'approve',
): Promise<WriteDetails> {
  const line = async (label: string, id: string | undefined): Promise<Detail> => {
    if (id === undefined) return [label, 'unknown: the record does not name it'];
    const name = await tryRead(context, async (options) => {
      const {data} = await context.client.record('subaccounts.get', {params: {id}, options});
      return asName(data.name);
    });
    return [label, typeof name === 'string' ? `${name} (${id})` : `subaccount ${id}, name unknown`];
  };
  return {
    who: [
      await line('from', record.source_subaccount_id),
      await line('to', record.destination_subaccount_id),
    ],
    when: [...statusOf(record), ['effect', effectOf(record, effect, 'move')]],
  };
}

function statusOf({status}: ServiceRecord): Detail[] {
  return status === undefined ? [] : [['status', status]];
}
