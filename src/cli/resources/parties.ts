import type {View} from '../../output/records/view.ts';
import type {Context} from '../core/context.ts';
import type {bodyFlags, FlagValues, partyFlags} from '../input/flags.ts';
import {readMetadata} from '../input/metadata.ts';
import {sendOnce} from '../write/send-once.ts';

/**
 * Creates a payee or payer (assumption 10). No idempotency key is documented for it, so it is never repeated
 * automatically.
 */
export async function createParty(
  context: Context,
  resource: 'payees' | 'payers',
  view: View,
  flags: FlagValues<typeof partyFlags & typeof bodyFlags> & {name: string},
): Promise<unknown> {
  const body = {
    name: flags.name,
    email: flags.email,
    type: flags.type,
    metadata: readMetadata(flags.metadata),
  };
  const sent = await sendOnce(context, {
    operation: `${resource}.create`,
    body,
    dryRun: flags['dry-run'],
    facts: {operation: `create a ${view.noun}`, party: ['name', flags.name]},
    noun: view.noun,
    checkedBy: [resource, 'list', '--limit', '5'],
    shownBy: (id) => [resource, 'get', id],
  });
  if (sent.dryRun) return sent.dryRun;
  context.out.record(sent.result.data, view);
  return sent.result.data;
}
