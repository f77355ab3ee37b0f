import type {Clock} from '../clock.ts';
import {RemitError} from '../errors.ts';
import type {Journal, JournalRow} from './journal.ts';
import type {OpenBatch} from './open-batch.ts';
import type {Outcome} from './outcome.ts';
import {Registry} from './registry.ts';
import type {Mode} from './kinds.ts';

/** What an operator has found out about a row in doubt, outside of this tool. */
export type Resolution = {paid: string} | 'not-paid';

/**
 * Settles a row in doubt by an operator's word. Paid: the id that was found becomes the row's. Not paid: the row goes back
 * to be sent with the very same key, so that even a wrong word cannot pay twice while the service remembers it.
 * @throws RemitError USAGE when there is no such row, or it is not in doubt
 */
export async function resolveRow(options: {
  batch: OpenBatch;
  stateDir: string;
  reference: string;
  resolution: Resolution;
  clock: Clock;
}): Promise<{reference: string; state: Outcome['state']; id: string | null}> {
  const {batch, reference, resolution, clock} = options;
  const {journal, plan} = batch;
  journal.makeDoubtExplicit();
  const row = journal.rowOf(reference);
  if (row === undefined)
    throw new RemitError('USAGE', `batch ${plan.batchId} has no row ${reference}`, {
      hint: 'name the row by its reference',
    });
  if (
    row.outcome?.state !== 'in_doubt' &&
    (row.outcome !== undefined || journal.coveredSince(row.n) === undefined)
  )
    throw new RemitError(
      'USAGE',
      `row ${reference} is not in doubt: it is ${(row.outcome?.state ?? 'not sent').replace('_', ' ')}`,
      {
        hint: 'only rows in doubt are resolved by hand',
      },
    );
  const outcome = resolvedOutcome(row, resolution, journal.coveredSince(row.n) ?? clock.now());
  if (typeof resolution === 'object') await payInRegistry(options, resolution.paid);
  journal.record(outcome, clock.now());
  journal.flush();
  return {reference, state: outcome.state, id: outcome.id};
}

/** `since`: when a row without an outcome may first have been sent. */
function resolvedOutcome(row: JournalRow, resolution: Resolution, since: number): Outcome {
  const known: Outcome = row.outcome ?? {
    ...{n: row.n, state: 'in_doubt', id: null, status: null, stagedAt: null, http: null, code: null},
    ...{message: null, requestId: null, attempts: 0, orphan: null},
  };
  if (resolution !== 'not-paid')
    return {
      ...known,
      state: 'accepted',
      id: resolution.paid,
      status: null,
      message: 'declared paid by the operator',
    };
  // A row with a record goes back to be released, one without to be created; both with the same key.
  return {
    ...known,
    stagedAt: known.stagedAt ?? since, // by which a declared row is told from one that was never sent
    state: known.id === null ? 'not_sent' : 'staged',
    message: 'declared not paid by the operator',
  };
}

async function payInRegistry(
  {batch, stateDir, reference, clock}: Parameters<typeof resolveRow>[0],
  id: string,
): Promise<void> {
  const {plan, journal} = batch;
  const binding = boundTo(journal);
  const registry = await Registry.open({
    stateDir,
    scope: {...binding, kind: plan.kind, namespace: plan.namespace},
    claimant: {profile: '', batchId: plan.batchId, journalId: plan.journalId},
    brief: true,
    clock,
  });
  try {
    registry.paid(reference, id);
    registry.flush();
  } finally {
    await registry.close();
  }
}

function boundTo(journal: Journal): {mode: Mode; baseUrl: string} {
  const binding = journal.meta<{mode: Mode; baseUrl: string}>('binding');
  if (binding === undefined) throw new RemitError('USAGE', 'the batch was never run');
  return binding;
}
