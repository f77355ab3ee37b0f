import {isSameId} from '../../contract/ids.ts';
import {RemitError} from '../../errors.ts';
import type {ListOptions} from '../../client/reading/listing.ts';
import type {Context} from '../core/context.ts';
import type {ServiceRecord} from '../../client/answers/record.ts';

/**
 * Finds one treasury account in the list, because the interface document has no operation to read one.
 * @throws RemitError NOT_FOUND
 */
export async function findTreasuryAccount(
  {client, stop, commands}: Pick<Context, 'client' | 'stop' | 'commands'>,
  id: string,
  onWarning?: ListOptions['onWarning'],
): Promise<ServiceRecord> {
  const options = {all: true, onWarning, signal: stop.signal};
  for await (const account of client.records('treasury.accounts', {}, options))
    if (isSameId(account.id ?? '', id)) return account;
  throw new RemitError('NOT_FOUND', `no treasury account ${id} among those that the service lists`, {
    hint: commands.read('treasury', 'accounts', 'list'),
  });
}
