import type {ListOptions} from '../../../client/reading/listing.ts';
import {asksForApproval} from '../../../client/requests/approval.ts';
import {usualId} from '../../../contract/ids.ts';
import {LIFECYCLES} from '../../../contract/lifecycle.ts';
import {RemitError} from '../../../errors.ts';
import {assumedKey} from '../../../service/file/assumption.ts';
import {plainValue} from '../../../output/records/view.ts';
import {accountTransferView} from '../../../output/views/treasury.ts';
import type {Context} from '../../core/context.ts';
import {accountLabels, accountTransferDetails} from '../../write/details.ts';
import type {MoneyKind} from './money-kind.ts';
import {asRecord, type ServiceRecord} from '../../../client/answers/record.ts';

/** Account transfers between two treasury accounts. */
export const ACCOUNT_TRANSFER: MoneyKind = {
  ...{resource: 'accountTransfers', topic: 'transfers', noun: 'account transfer'},
  ...{view: accountTransferView, lifecycle: LIFECYCLES.accountTransfer, idParam: 'account_transfer_id'},
  waits: {
    repair: (commands, {source_account_id: source}) =>
      source === undefined ? undefined : commands.read('treasury', 'balance', source),
    readTogether,
  },
  read: (context, id) => findAccountTransfer(context, id),
  details: (context, _, record) => accountTransferDetails(context, record, 'approve'),
  creates: {
    ...{takesKey: false, partyLabel: 'account', sourceLabel: ''},
    ...{partyField: 'destination_account_id', sourceField: 'source_account_id'},
    ids: {source_account_id: 'treasury account', destination_account_id: 'treasury account'},
    details: (context, body) =>
      accountTransferDetails(context, asRecord(body), asksForApproval(body) ? 'now' : 'wait'),
    listWords: (source) => ['transfers', 'list', '--account', source ?? '', '--limit', '5'],
  },
};

/**
 * Finds one account transfer in the list, newest first, because the interface document has no operation to read one.
 * @throws RemitError NOT_FOUND
 */
export async function findAccountTransfer(
  context: Context,
  id: string,
  onWarning?: ListOptions['onWarning'],
): Promise<ServiceRecord> {
  const found = (await findAccountTransfers(context, new Set([usualId(id)]), onWarning)).get(usualId(id));
  if (found === undefined) throw notListed(context, id);
  return found;
}

/** On the card at a terminal: both accounts by label, `Operating (0192…)`. */
export async function withLabels(context: Context, transfer: ServiceRecord): Promise<ServiceRecord> {
  const {out} = context;
  if (!out.isTerminal || !out.forPeople || out.settings.query !== undefined || out.settings.fields.length > 0)
    return transfer;
  const {labelOf} = await accountLabels(context);
  const named = (['source_account_id', 'destination_account_id'] as const).flatMap(
    (field): [string, string][] => {
      const id = transfer[field];
      const label = id && labelOf(id);
      return label === undefined ? [] : [[field, `${label} (${plainValue(id)})`]];
    },
  );
  return {...transfer, ...Object.fromEntries(named)};
}

const notListed = ({commands}: Context, id: string): RemitError =>
  new RemitError('NOT_FOUND', `no account transfer ${id} among those that the service lists`, {
    hint: commands.read('transfers', 'list'),
  });

/** Reads within this time share one walk through the list. */
const GATHER_MS = 1000;

/** Reads records from the list, several in one walk, because no operation reads a single one. */
function readTogether(context: Context): (id: string) => Promise<ServiceRecord> {
  const {clock, stop} = context;
  let wanted = new Set<string>();
  let next: Promise<ReadonlyMap<string, ServiceRecord>> | undefined;
  let last: Promise<unknown> | undefined;
  const walk = async () => {
    await last?.catch(() => undefined); // its callers get the error themselves
    await (last === undefined ? undefined : clock.sleep(GATHER_MS, stop.signal));
    const ids = wanted;
    wanted = new Set();
    next = undefined;
    const found = findAccountTransfers(context, ids);
    last = found;
    return found;
  };
  return async (id) => {
    wanted.add(usualId(id));
    next ??= walk();
    const found = (await next).get(usualId(id));
    if (found === undefined) throw notListed(context, id);
    return found;
  };
}

/** Those of these ids that are in the list, newest first. Stops when all are found. */
async function findAccountTransfers(
  {client, stop}: Context,
  ids: ReadonlySet<string>,
  onWarning?: ListOptions['onWarning'],
): Promise<ReadonlyMap<string, ServiceRecord>> {
  const found = new Map<string, ServiceRecord>();
  let hasIds = true;
  const options = {all: true, pageSize: 100, onWarning, signal: stop.signal};
  for await (const transfer of client.records('accountTransfers.list', {order: 'desc'}, options)) {
    hasIds &&= transfer.id !== undefined;
    const id = usualId(plainValue(transfer.id));
    if (ids.has(id)) found.set(id, transfer);
    if (found.size === ids.size) break;
  }
  if (found.size < ids.size && !hasIds) throw withoutIds();
  return found;
}

/** The list has records, but which ones they are is unknown. */
function withoutIds(): RemitError {
  const assumption = assumedKey(
    24,
    'fields.accountTransfers.id',
    'the record of an account transfer is assumed',
  );
  const message = `the list of account transfers has records without an id (${assumption.text})`;
  return new RemitError('UNAVAILABLE', message, {retryable: false, details: {assumption}});
}
