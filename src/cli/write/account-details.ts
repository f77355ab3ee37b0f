import {plainValue} from '../../output/records/view.ts';
import type {Context} from '../core/context.ts';
import type {Detail, WriteDetails} from '../guard/facts.ts';
import {asName, openEffect, tryRead} from './who.ts';
import type {ServiceRecord} from '../../client/answers/record.ts';

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

const EFFECTS = {
  wait: 'waits for approval; no money moves yet',
  now: 'approved immediately; the money moves now',
  approve: 'the money moves now',
};

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
