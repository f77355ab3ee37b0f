import {REFERENCE_METADATA_KEY} from '../../batch/model/identity.ts';
import {RemitError} from '../../errors.ts';
import type {View} from '../../output/records/view.ts';
import type {CommandOutcome} from '../core/outcome.ts';
import type {Context} from '../core/context.ts';
import type {bodyFlags, FlagValues, partyFlags} from '../input/flags.ts';
import {readMetadata} from '../input/metadata.ts';
import {write} from '../write/write.ts';
import {ownerDetails} from '../write/who.ts';
import {requireId} from './names.ts';
import type {ServiceRecord} from '../../client/answers/record.ts';

type Parties = 'payees' | 'payers';
type PartyFlags = FlagValues<typeof partyFlags & typeof bodyFlags>;

const bodyOf = (flags: PartyFlags) => ({
  name: flags.name,
  email: flags.email,
  type: flags.type,
  metadata: readMetadata(flags.metadata),
});

/**
 * Creates a payee or payer (assumption 10). No idempotency key is documented for it, so it is never repeated
 * automatically.
 */
export function createParty(
  context: Context,
  resource: Parties,
  view: View,
  flags: PartyFlags & {name: string},
): Promise<CommandOutcome> {
  return write(context, {
    operation: `${resource}.create`,
    body: bodyOf(flags),
    dryRun: flags['dry-run'],
    facts: {operation: `create a ${view.noun}`, party: ['name', flags.name]},
    noun: view.noun,
    shows: () => ({name: flags.name, email: flags.email, type: flags.type}),
    checkedBy: [resource, 'list', '--limit', '5'],
    shownBy: (id) => [resource, 'get', id],
    view,
  });
}

/**
 * Changes the fields that were typed. Metadata is replaced as a whole (assumption 10), except the reference by which an
 * import knows the record.
 */
export async function updateParty(
  context: Context,
  resource: Parties,
  view: View,
  {id, flags}: {id: string; flags: PartyFlags},
): Promise<CommandOutcome> {
  const label = resource === 'payees' ? 'payee' : 'payer';
  requireId(context, label, id);
  const typed = bodyOf(flags);
  const changes = Object.entries(typed).flatMap(([field, value]) => (value === undefined ? [] : [field]));
  if (changes.length === 0)
    throw new RemitError('USAGE', 'nothing to change: use --name, --email, --type or --metadata');
  const {client, stop} = context;
  const read = async (): Promise<ServiceRecord> =>
    (await client.record(`${resource}.get`, {params: {id}, options: {signal: stop.signal}})).data;
  const {metadata} = typed;
  const body =
    metadata === undefined || REFERENCE_METADATA_KEY in metadata
      ? typed
      : {...typed, metadata: {...metadata, ...importReferenceOf(await read())}};
  return write(context, {
    operation: `${resource}.update`,
    params: {id},
    body,
    dryRun: flags['dry-run'],
    facts: {
      operation: `change the ${label}`,
      party: [label, id],
      details: ownerDetails(context, {label, id}, ['changes', changes.join(', ')]),
    },
    noun: label,
    id,
    done: 'was changed',
    leaves: body,
    checkedBy: [resource, 'get', id],
    read,
    view,
  });
}

function importReferenceOf({metadata}: ServiceRecord): Record<string, string> {
  const reference = metadata?.[REFERENCE_METADATA_KEY];
  return typeof reference === 'string' ? {[REFERENCE_METADATA_KEY]: reference} : {};
}
