import type {Journal} from '../../../batch/journal/journal.ts';
import type {RowWithOutcome} from '../../../batch/journal/rows/row.ts';
import {type Kind, KINDS} from '../../../batch/model/kinds.ts';
import {isSameId} from '../../../contract/ids.ts';
import {RemitError} from '../../../errors.ts';
import type {Context} from '../../core/context.ts';

/** Records that are read: one that is not found does not show that the sandbox was reset. */
const READ = 3;
/** The newest records of a party, among which a paid one is looked for. */
const LISTED = 100;

/** A paid record that the service does not find. */
export interface GoneRecord {
  reference: string;
  id: string;
  /** No record that was read is found, nor listed: the sandbox was reset. */
  isReset: boolean;
}

export const RESET_SANDBOX =
  'The sandbox was reset after this batch: it no longer has these payments, but the state folder does. To pay them again, use new folders for --state-dir and --out.';

/**
 * A record that this machine recorded as paid and a sandbox does not have; undefined for any other service. Fetches at
 * most three records; never throws for an answer of the service.
 */
export async function goneRecord(
  context: Context,
  kind: Kind,
  journal: Journal,
): Promise<GoneRecord | undefined> {
  if (!context.profile.key.startsWith('test_sandbox_')) return undefined;
  const paid = journal.rows
    .inStates(['accepted', 'already_paid'], 0, READ)
    .flatMap((row) => (row.outcome.id === null ? [] : [{row, id: row.outcome.id}]));
  const gone: typeof paid = [];
  for (const each of paid) if (await isGone(context, kind, each.id)) gone.push(each);
  const [first] = gone;
  if (first === undefined) return undefined;
  const {row, id} = first;
  const isReset = gone.length === paid.length && !(await isListed(context, kind, row, id));
  return {reference: row.reference, id, isReset};
}

async function isGone({client}: Context, kind: Kind, id: string): Promise<boolean> {
  try {
    await client[KINDS[kind].topic].get({id});
    return false;
  } catch (error) {
    return error instanceof RemitError && error.code === 'NOT_FOUND';
  }
}

/** True also if the list cannot be read: then nothing shows that the sandbox was reset. */
async function isListed(
  {client}: Context,
  kind: Kind,
  {party}: RowWithOutcome,
  id: string,
): Promise<boolean> {
  const options = {limit: LISTED, pageSize: LISTED};
  try {
    const listed =
      kind === 'payout'
        ? await client.payouts.list({payee_id: party}, options).toArray()
        : await client.payins.list({payer_id: party}, options).toArray();
    return listed.some((record) => isSameId(record.id, id));
  } catch (error) {
    if (error instanceof RemitError) return true;
    throw error;
  }
}
