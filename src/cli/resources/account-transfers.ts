import {asksForApproval} from '../../client/requests/approval.ts';
import type {ListOptions} from '../../client/reading/listing.ts';
import {waitFor} from '../../client/reading/poll.ts';
import type {ListItem, Result} from '../../client/requests/resource.ts';
import {usualId} from '../../contract/ids.ts';
import {LIFECYCLES} from '../../contract/lifecycle.ts';
import {EXIT, RemitError} from '../../errors.ts';
import {assumedKey} from '../../service/file/assumption.ts';
import {selectedValue} from '../../output/records/select.ts';
import {plainValue} from '../../output/records/view.ts';
import {accountTransferView} from '../../output/views/treasury.ts';
import type {Amount} from '../input/amounts.ts';
import {recordWithId} from '../write/answered-record.ts';
import {hintAfter, isStillCreated, unintendedStatus} from '../write/answered-status.ts';
import {checkCreated} from '../write/created-record.ts';
import type {Context} from '../core/context.ts';
import type {Typed} from '../line/command-line.ts';
import {accountLabels, accountTransferDetails} from '../write/account-details.ts';
import {guardedAmountText} from '../guard/amount-text.ts';
import {recordFacts} from '../write/record-facts.ts';
import {sendOnce} from '../write/send-once.ts';
import {type ManyWaiting, readIds, waitForMany} from '../wait/wait-for-many.ts';
import {done, type CommandOutcome} from '../core/outcome.ts';
import {
  approvalNote,
  isStillWaiting,
  waitForRecord,
  type WaitFlagValues,
  type Waiting,
} from '../wait/wait-for-record.ts';
import {requireIds} from './names.ts';
import type {JsonObject} from '../../narrow.ts';

type AccountTransfer = ListItem<'accountTransfers.list'>;

/**
 * Finds one account transfer in the list, newest first, because the interface document has no operation to read one.
 * @throws RemitError NOT_FOUND
 */
export async function findAccountTransfer(
  context: Context,
  id: string,
  onWarning?: ListOptions['onWarning'],
): Promise<AccountTransfer> {
  const found = (await findAccountTransfers(context, new Set([usualId(id)]), onWarning)).get(usualId(id));
  if (found === undefined) throw notListed(context, id);
  return found;
}

/** On the card at a terminal: both accounts by label, `Operating (0192…)`. */
export async function withLabels(context: Context, transfer: AccountTransfer): Promise<unknown> {
  const {out} = context;
  if (!out.isTerminal || !out.forPeople || out.settings.query !== undefined || out.settings.fields.length > 0)
    return transfer;
  const {labelOf} = await accountLabels(context);
  const named = ['source_account_id', 'destination_account_id'].flatMap((field) => {
    const id = selectedValue(transfer, field);
    const label = typeof id === 'string' ? labelOf(id) : undefined;
    return label === undefined ? [] : [[field, `${label} (${plainValue(id)})`]];
  });
  return {...transfer, ...Object.fromEntries(named)};
}

const notListed = ({commands}: Context, id: string): RemitError =>
  new RemitError('NOT_FOUND', `no account transfer ${id} among those that the service lists`, {
    hint: commands.read('transfers', 'list'),
  });

/** Creates an account transfer; no idempotency key is documented for it. */
export async function createAccountTransfer(
  context: Context,
  request: {
    body: JsonObject;
    amount: Amount;
    dryRun: boolean | undefined;
    accepts: readonly string[];
    wait: WaitFlagValues;
    typed: Typed;
  },
): Promise<CommandOutcome> {
  const {body, amount} = request;
  requireIds(context, body, {
    source_account_id: 'treasury account',
    destination_account_id: 'treasury account',
  });
  const [source, destination] = [
    plainValue(body['source_account_id']),
    plainValue(body['destination_account_id']),
  ];
  const shownBy = (id: string) => ['transfers', 'get', id];
  const sent = await sendOnce(context, {
    operation: 'accountTransfers.create',
    body,
    dryRun: request.dryRun,
    facts: {
      operation: 'create an account transfer',
      party: ['account', destination],
      amountMinor: amount.minor,
      currency: amount.currency,
      rail: {value: body['rail'] as string | undefined},
      details: () => accountTransferDetails(context, body, asksForApproval(body) ? 'now' : 'wait'),
    },
    announce: `Creating an account transfer of ${guardedAmountText(amount.minor, amount.currency)} from ${source} to ${destination}`,
    noun: 'account transfer',
    checkedBy: ['transfers', 'list', '--account', source, '--limit', '5'],
    shownBy,
    payment: {
      ...{kind: 'account transfer', party: destination, source, parties: `from ${source} to ${destination}`},
      ...{amountMinor: amount.minor, currency: amount.currency ?? null, body},
      ...{accepts: request.accepts, typed: request.typed},
    },
  });
  if (sent.dryRun) return done(sent.dryRun);
  const {result} = sent;
  const id = plainValue(selectedValue(result.data, 'id'));
  checkCreated(context, {
    ...{noun: 'account transfer', resource: 'accountTransfers'},
    ...{asked: body, record: result.data, shownBy},
  });
  const meant = asksForApproval(body) ? 'approved' : 'created';
  return finish(context, {result, id, wait: request.wait, meant});
}

export async function approveAccountTransfer(
  context: Context,
  request: {id: string; dryRun: boolean | undefined; wait: WaitFlagValues; stated?: Amount | undefined},
): Promise<CommandOutcome> {
  const {id, stated, wait} = request;
  const sent = await sendOnce(context, {
    operation: 'accountTransfers.approve',
    params: {account_transfer_id: id},
    dryRun: request.dryRun,
    facts: () =>
      recordFacts(context, {
        ...{verb: 'approve', noun: 'account transfer', id, stated},
        read: () => findAccountTransfer(context, id),
        details: (record) => accountTransferDetails(context, record, 'approve'),
      }),
    noun: 'account transfer',
    id,
    done: 'was approved',
    checkedBy: ['transfers', 'get', id],
    ...(isStillWaiting(wait) ? {} : {read: () => findAccountTransfer(context, id)}),
  });
  if (sent.dryRun) return done(sent.dryRun);
  if (sent.unread) return {data: sent.result.data, exitCode: EXIT.PARTIAL};
  const data = recordWithId(sent.result.data, id);
  return finish(context, {result: {...sent.result, data}, id, wait, meant: 'approved'});
}

/** Waits for several, or for those whose ids are on stdin; a single id is waited for as after a write. */
export async function waitAccountTransfers(
  context: Context,
  {typed, wait}: {typed: readonly string[]; wait: WaitFlagValues},
): Promise<CommandOutcome> {
  const [only] = typed;
  if (typed.length === 1 && only !== undefined && only !== '-')
    return waitAccountTransfer(context, {id: only, wait});
  const ids = await readIds(typed, context);
  const {noun, plural} = accountTransferView;
  const waiting: ManyWaiting = {
    ...{topic: 'transfers', resource: 'accountTransfers', noun, plural},
    ...{lifecycle: LIFECYCLES.accountTransfer, read: readTogether(context), reads: Infinity},
  };
  const exitCode = await waitForMany(context, waiting, {ids, until: wait.until, timeout: wait.timeout});
  return {data: undefined, exitCode};
}

/** Reads within this time share one walk through the list. */
const GATHER_MS = 1000;

/** Reads records from the list, several in one walk, because no operation reads a single one. */
function readTogether(context: Context): (id: string) => Promise<unknown> {
  const {clock, stop} = context;
  let wanted = new Set<string>();
  let next: Promise<ReadonlyMap<string, AccountTransfer>> | undefined;
  let last: Promise<unknown> | undefined;
  const walk = async () => {
    await last?.catch(() => undefined); // its own readers are told
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
): Promise<ReadonlyMap<string, AccountTransfer>> {
  const found = new Map<string, AccountTransfer>();
  let hasIds = true;
  const options = {all: true, pageSize: 100, onWarning, signal: stop.signal};
  for await (const transfer of client.accountTransfers.list({order: 'desc'}, options)) {
    const shown = selectedValue(transfer, 'id') ?? undefined;
    hasIds &&= shown !== undefined;
    const id = usualId(plainValue(shown));
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

/** Waits for an existing one, by reading the list. */
async function waitAccountTransfer(
  context: Context,
  request: {id: string; wait: WaitFlagValues},
): Promise<CommandOutcome> {
  const record = await waitOn(context, {...request, initial: undefined});
  context.out.record(record, accountTransferView);
  return done(record);
}

/** Handles the answer to a write: shows it, warns about it, and waits if requested. */
async function finish(
  context: Context,
  written: {result: Result<unknown>; id: string; wait: WaitFlagValues; meant: 'created' | 'approved'},
): Promise<CommandOutcome> {
  const {out, commands, effects} = context;
  const {id, wait, meant} = written;
  const {data, status} = written.result;
  const lifecycle = LIFECYCLES.accountTransfer;
  if (isStillCreated(meant, lifecycle, written.result)) {
    out.record(data, accountTransferView);
    out.warn('the account transfer was not approved: its status is still created');
    out.hint(commands.write('transfers', 'approve', id));
    return {data, exitCode: EXIT.PARTIAL};
  }
  const tracked = {resource: 'accountTransfers', lifecycle, noun: 'account transfer', isNew: true};
  const unintended = unintendedStatus(meant, tracked, written.result);
  if (isStillWaiting(wait)) {
    if (meant === 'created' && unintended !== undefined) {
      out.warn(unintended);
      effects.tookPartly();
    }
    const record = await waitOn(context, {id, wait, initial: data});
    out.record(record, accountTransferView);
    return done(record);
  }
  out.record(data, accountTransferView);
  if (unintended !== undefined) {
    out.warn(unintended);
    out.hint(hintAfter(context, commands.read('transfers', 'get', id), tracked, data));
    return {data, exitCode: EXIT.PARTIAL};
  }
  if (status === 202) {
    out.note('The bank is still processing the account transfer. Wait for it with:');
    out.hint(commands.read('transfers', 'wait', id));
  } else if (!effects.isPartial)
    approvalNote(context, {topic: 'transfers', view: accountTransferView, id}, undefined)(data);
  return done(data);
}

function waitOn(
  context: Context,
  {id, wait, initial}: {id: string; wait: WaitFlagValues; initial: unknown},
): Promise<unknown> {
  const {clock, runtime, stop, commands} = context;
  const poll: Waiting['poll'] = (options) =>
    waitFor<unknown>({
      ...options,
      read: () => findAccountTransfer(context, id),
      lifecycle: LIFECYCLES.accountTransfer,
      initial,
      ...{clock, random: runtime.random, signal: stop.signal},
    });
  const repair = (record: unknown) => {
    const source = selectedValue(record, 'source_account_id');
    return typeof source === 'string' ? commands.read('treasury', 'balance', source) : undefined;
  };
  const waiting = {
    ...{topic: 'transfers', view: accountTransferView, id, initial, goal: 'settled', poll, repair},
    ...{resource: 'accountTransfers', lifecycle: LIFECYCLES.accountTransfer},
  };
  return waitForRecord(context, waiting, wait);
}
