import {waitFor} from '../client/poll.ts';
import type {ListItem, Result} from '../client/resource.ts';
import {LIFECYCLES} from '../contract/lifecycle.ts';
import {EXIT, RemitError} from '../errors.ts';
import {valueAt} from '../output/select.ts';
import {plainValue} from '../output/view.ts';
import {accountTransferView} from '../output/views/treasury.ts';
import type {Amount} from './amounts.ts';
import type {Context} from './context.ts';
import {DEFAULT_WAIT_MS} from './durations.ts';
import {accountTransferDetails} from './guard/account-details.ts';
import {amountText} from './guard/amount-text.ts';
import {recordFacts} from './guard/record-facts.ts';
import {sendOnce} from './send-once.ts';
import type {Outcome, WaitFlagValues} from './transfers.ts';

type AccountTransfer = ListItem<'accountTransfers.list'>;

/**
 * One account transfer, out of the list: the interface document has no read of one. The list is walked, the newest
 * first, until it is found.
 * @throws RemitError NOT_FOUND
 */
export async function findAccountTransfer(context: Context, id: string): Promise<AccountTransfer> {
  const listing = context.client.accountTransfers.list(
    {order: 'desc'},
    {all: true, pageSize: 100, signal: context.stop.signal},
  );
  for await (const transfer of listing)
    if (plainValue(valueAt(transfer, 'id')).toLowerCase() === id.toLowerCase()) return transfer;
  throw new RemitError('NOT_FOUND', `no account transfer ${id} among those that the service lists`, {
    hint: 'remit transfers list',
  });
}

/** Creates an account transfer; no idempotency key is documented for it. */
export async function createAccountTransfer(
  context: Context,
  request: {
    body: Readonly<Record<string, unknown>>;
    amount: Amount;
    dryRun: boolean | undefined;
    wait: WaitFlagValues;
  },
): Promise<Outcome> {
  const {body, amount} = request;
  const [source, destination] = [
    plainValue(body['source_account_id']),
    plainValue(body['destination_account_id']),
  ];
  const sent = await sendOnce(context, {
    operation: 'accountTransfers.create',
    body,
    dryRun: request.dryRun,
    facts: {
      operation: 'create account transfer',
      party: ['account', destination],
      amountMinor: amount.minor,
      currency: amount.currency,
      rail: {value: body['rail'] as string | undefined},
      details: () => accountTransferDetails(context, body, body['auto_approve'] === true ? 'now' : 'wait'),
    },
    announce: `Creating an account transfer of ${amountText(amount.minor, amount.currency)} from ${source} to ${destination}`,
    settledBy: `remit transfers list --account ${source} --limit 5`,
  });
  if (sent.dryRun) return {data: sent.dryRun, exitCode: EXIT.OK};
  return settle(context, sent.result, {wait: request.wait, approved: body['auto_approve'] === true});
}

export async function approveAccountTransfer(
  context: Context,
  request: {id: string; dryRun: boolean | undefined; wait: WaitFlagValues; stated?: Amount | undefined},
): Promise<Outcome> {
  const {id, stated} = request;
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
    settledBy: `remit transfers get ${id}`,
  });
  if (sent.dryRun) return {data: sent.dryRun, exitCode: EXIT.OK};
  return settle(context, sent.result, {wait: request.wait, approved: true});
}

/** Waits for one that exists already, by reading the list. */
export async function waitAccountTransfer(
  context: Context,
  request: {id: string; wait: WaitFlagValues},
): Promise<Outcome> {
  const record = await waitOn(context, {...request, initial: undefined});
  context.out.record(record, accountTransferView);
  return {data: record, exitCode: EXIT.OK};
}

/** What the answer to a write means: shown, warned about, waited for. */
async function settle(
  context: Context,
  {data, status}: Result<unknown>,
  {wait, approved}: {wait: WaitFlagValues; approved: boolean},
): Promise<Outcome> {
  const {out} = context;
  const id = plainValue(valueAt(data, 'id'));
  if (approved && valueAt(data, 'status') === 'created') {
    out.record(data, accountTransferView);
    out.warn('the account transfer was not approved: it still stands at created');
    out.hint(`remit transfers approve ${id}`);
    return {data, exitCode: EXIT.PARTIAL};
  }
  const waiting = wait.wait || wait.until !== undefined;
  if (waiting && wait.until !== 'created' && valueAt(data, 'status') === 'created') {
    out.note('The account transfer waits for an approval, and does not move before:');
    out.hint(`remit transfers approve ${id}`);
  }
  const record = waiting ? await waitOn(context, {id, wait, initial: data as AccountTransfer}) : data; // of the same service
  out.record(record, accountTransferView);
  if (!waiting && status === 202) out.hint(`the bank is still at work on it: remit transfers wait ${id}`);
  return {data: record, exitCode: EXIT.OK};
}

/** @throws RemitError ENDED_BADLY or WAIT_TIMEOUT, with the record as last seen in the details */
async function waitOn(
  context: Context,
  {id, wait, initial}: {id: string; wait: WaitFlagValues; initial: AccountTransfer | undefined},
): Promise<unknown> {
  const {out, runtime, stop} = context;
  const timeoutMs = wait.timeout ?? DEFAULT_WAIT_MS;
  const waited = await waitFor({
    read: () => findAccountTransfer(context, id),
    lifecycle: LIFECYCLES.accountTransfer,
    until: wait.until,
    timeoutMs,
    initial,
    clock: context.clock,
    random: runtime.random,
    signal: stop.signal,
    onChange: (record) => out.progress(`account transfer ${id}: ${plainValue(valueAt(record, 'status'))}`),
  });
  out.endProgress();
  if (waited.outcome === 'reached') return waited.record;
  out.record(waited.record, accountTransferView);
  const status = valueAt(waited.record, 'status');
  const details = {id, status: status ?? null, polls: waited.polls, record: waited.record ?? null};
  const goal = wait.until ?? 'settled';
  const reason = valueAt(waited.record, 'failure_reason');
  if (waited.outcome === 'ended')
    throw new RemitError(
      'ENDED_BADLY',
      `account transfer ${id} is ${plainValue(status)}${typeof reason === 'string' ? ` (${reason})` : ''}; it will not be ${goal}`,
      {details, hint: `remit transfers get ${id}`},
    );
  throw new RemitError(
    'WAIT_TIMEOUT',
    `account transfer ${id} was not ${goal} within ${timeoutMs / 1000} s: it is ${plainValue(status)}`,
    {
      details,
      hint: `remit transfers wait ${id}${wait.until === undefined ? '' : ` --until ${wait.until}`}`,
      cause: waited.lastError,
    },
  );
}
