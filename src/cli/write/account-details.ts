import {unwrapRecord} from '../../client/answers/envelope.ts';
import {selectedValue} from '../../output/records/select.ts';
import {plainValue} from '../../output/records/view.ts';
import type {Context} from '../core/context.ts';
import type {Detail, WriteDetails} from '../guard/facts.ts';
import {openEffect} from './open-effect.ts';
import {asName, tryRead} from './who.ts';

/** Maximum number of treasury accounts that are searched for a label. */
const MOST_LABELS = 200;

/** The labels of treasury accounts by their ids, for people; without those that could not be read. */
export async function accountLabels(
  context: Context,
): Promise<{labelOf: (id: string) => string | undefined}> {
  const read = await tryRead(context, async (options) => {
    const labels = new Map<string, string | undefined>();
    const listing = context.client.list(
      'treasury.accounts',
      {},
      {limit: MOST_LABELS, pageSize: 100, ...options},
    );
    for await (const account of listing)
      labels.set(
        plainValue(selectedValue(account, 'id')).toLowerCase(),
        asName(selectedValue(account, 'label')),
      );
    return labels;
  });
  return {labelOf: (id) => (read instanceof Map ? read.get(id.toLowerCase()) : undefined)};
}

const EFFECTS = {
  wait: 'waits for approval; no money moves yet',
  now: 'approved immediately; the money moves now',
  approve: 'the money moves now',
};

const effectOf = (record: unknown, effect: keyof typeof EFFECTS, noun: string): string =>
  (effect === 'approve' ? openEffect(record, 'approve', noun) : undefined) ?? EFFECTS[effect];

/**
 * The facts in the confirmation of an account transfer: both accounts by label. `record` is its body or its record.
 */
export async function accountTransferDetails(
  context: Context,
  record: unknown,
  effect: keyof typeof EFFECTS,
): Promise<WriteDetails> {
  const [source, destination] = ['source_account_id', 'destination_account_id'].map((field) =>
    selectedValue(record, field),
  );
  const {labelOf} = await accountLabels(context);
  const line = (label: string, id: unknown): Detail => {
    if (typeof id !== 'string') return [label, 'unknown: the record does not name it'];
    const name = labelOf(id);
    return [label, name ? `${name} (${plainValue(id)})` : `account ${plainValue(id)}, label unknown`];
  };
  return {
    who: [line('from', source), line('to', destination)],
    when: [...statusOf(record), ['effect', effectOf(record, effect, 'transfer')]],
  };
}

/** The facts in the confirmation of a move: both subaccounts by name. */
export async function moveDetails(
  context: Context,
  record: unknown,
  effect: 'wait' | 'approve',
): Promise<WriteDetails> {
  const line = async (label: string, field: string): Promise<Detail> => {
    const id = selectedValue(record, field);
    if (typeof id !== 'string') return [label, 'unknown: the record does not name it'];
    const name = await tryRead(context, async (options) => {
      const {data} = await context.client.call('subaccounts.get', {params: {id}, options});
      return asName(selectedValue(unwrapRecord(data), 'name'));
    });
    return [
      label,
      typeof name === 'string' ? `${name} (${plainValue(id)})` : `subaccount ${plainValue(id)}, name unknown`,
    ];
  };
  return {
    who: [await line('from', 'source_subaccount_id'), await line('to', 'destination_subaccount_id')],
    when: [...statusOf(record), ['effect', effectOf(record, effect, 'move')]],
  };
}

function statusOf(record: unknown): Detail[] {
  const status = selectedValue(record, 'status');
  return status === undefined ? [] : [['status', plainValue(status)]];
}
