import {validateBody} from '../client/validate.ts';
import type {View} from '../output/view.ts';
import type {Context} from './context.ts';
import {readMetadata} from './metadata.ts';
import {showPreview} from './previews.ts';

/** Creates a payee or payer (assumption 10). No idempotency key is documented for it, so it is never repeated blindly. */
export async function createParty(
  context: Context,
  resource: 'payees' | 'payers',
  view: View,
  flags: {
    name: string;
    email?: string | undefined;
    type?: string | undefined;
    metadata?: string[] | undefined;
    'dry-run'?: boolean | undefined;
  },
): Promise<unknown> {
  const {client, out, stop} = context;
  const operation = `${resource}.create` as const;
  const body = {
    name: flags.name,
    email: flags.email,
    type: flags.type,
    metadata: readMetadata(flags.metadata),
  };
  await validateBody(operation, body);
  const options = {
    signal: stop.signal,
    hint: `see whether it is there before you repeat it: remit ${resource} list`,
  };
  if (flags['dry-run']) return showPreview(out, client.preview(operation, {body, options}));
  await context.guardWrite({operation: `create ${view.noun}`, party: ['name', flags.name]});
  const {data} = await client.call(operation, {body, options});
  out.record(data, view);
  return data;
}
