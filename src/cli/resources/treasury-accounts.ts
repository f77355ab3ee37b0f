import {isSameId} from '../../contract/ids.ts';
import {RemitError} from '../../errors.ts';
import {selectedValue} from '../../output/records/select.ts';
import type {ListItem} from '../../client/requests/resource.ts';
import type {ListOptions} from '../../client/reading/listing.ts';
import type {Context} from '../core/context.ts';

type TreasuryAccount = ListItem<'treasury.accounts'>;

/**
 * Finds one treasury account in the list, because the interface document has no operation to read one.
 * @throws RemitError NOT_FOUND
 */
export async function findTreasuryAccount(
  {client, stop, commands}: Pick<Context, 'client' | 'stop' | 'commands'>,
  id: string,
  onWarning?: ListOptions['onWarning'],
): Promise<TreasuryAccount> {
  for await (const account of client.treasury.accounts({}, {all: true, onWarning, signal: stop.signal})) {
    const found = selectedValue(account, 'id');
    if (typeof found === 'string' && isSameId(found, id)) return account;
  }
  throw new RemitError('NOT_FOUND', `no treasury account ${id} among those that the service lists`, {
    hint: commands.read('treasury', 'accounts', 'list'),
  });
}
