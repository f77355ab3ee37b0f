import type {Waited} from '../../client/reading/poll.ts';
import {LIFECYCLES, TRANSFER_STATUSES} from '../../contract/lifecycle.ts';
import {selectedValue} from '../../output/records/select.ts';
import type {Context} from '../core/context.ts';
import {done, type CommandOutcome} from '../core/outcome.ts';
import {readIds, waitForMany} from '../wait/wait-for-many.ts';
import {waitForRecord, type WaitFlagValues, type Waiting} from '../wait/wait-for-record.ts';
import type {TransferResource} from './transfer-kinds.ts';

/** Waits for an existing record. */
async function waitTransfer(
  context: Context,
  kind: TransferResource,
  {id, wait}: {id: string; wait: WaitFlagValues},
): Promise<CommandOutcome> {
  const record = await waitForTransfers(context, kind, {id, wait, initial: undefined});
  context.out.record(record, kind.view);
  return done(record);
}

/** Waits for several records, or for those whose ids are on stdin; for a single id, like `waitTransfer`. */
export async function waitTransfers(
  context: Context,
  kind: TransferResource,
  {typed, wait}: {typed: readonly string[]; wait: WaitFlagValues},
): Promise<CommandOutcome> {
  const [only] = typed;
  if (typed.length === 1 && only !== undefined && only !== '-')
    return waitTransfer(context, kind, {id: only, wait});
  const ids = await readIds(typed, context);
  const exitCode = await waitForMany(
    context,
    {
      ...{topic: kind.resource, resource: kind.resource, lifecycle: LIFECYCLES[kind.noun]},
      ...{noun: kind.noun, plural: kind.view.plural},
      read: async (id, options) =>
        (await context.client.call(`${kind.resource}.get`, {params: {id}, options})).data,
    },
    {ids, until: wait.until, timeout: wait.timeout},
  );
  return {data: undefined, exitCode};
}

export const waitable = ({resource, view}: TransferResource, id: string) => ({topic: resource, view, id});

export function waitForTransfers(
  context: Context,
  kind: TransferResource,
  {id, wait, initial}: {id: string; wait: WaitFlagValues; initial: unknown},
): Promise<unknown> {
  const {client, stop, commands} = context;
  const poll = async (options: Parameters<Waiting['poll']>[0]): Promise<Waited<unknown>> =>
    client.wait(
      kind.resource,
      {id},
      {
        ...options,
        until: TRANSFER_STATUSES.find((status) => status === options.until), // its flag takes no other
        initial: initial as never, // of the same service; the poller reads its status only
        signal: stop.signal,
      },
    );
  const waiting = {
    ...waitable(kind, id),
    ...{initial, poll, goal: LIFECYCLES[kind.noun].good.join(' or ')},
    ...{resource: kind.resource, lifecycle: LIFECYCLES[kind.noun]},
    repair: (record: unknown) => {
      const party = selectedValue(record, kind.partyField);
      if (typeof party !== 'string') return undefined;
      return commands.read('payment-methods', 'list', `--${kind.partyLabel}`, party);
    },
  };
  return waitForRecord(context, waiting, wait);
}
