import type {Clock} from '../clock.ts';
import {RemitError} from '../errors.ts';
import {readConfirmations} from './confirmations.ts';
import type {JournalRow} from './journal-row.ts';
import type {Journal} from './journal.ts';
import type {OpenBatch} from './open-batch.ts';
import type {Outcome} from './outcome.ts';
import {type Entry, Registry} from './registry.ts';
import type {Mode} from './kinds.ts';

/** What an operator has found out about a row in doubt, outside of this tool. */
export type Resolution = {paid: string; status?: string} | 'not-paid';

const DECLARED = 'declared paid by the operator';

/** Whether nothing but an operator's word says that a row was paid: such a word can be taken back. */
const isWord = (outcome: Outcome | undefined): boolean =>
  outcome?.state === 'accepted' && outcome.status === null && outcome.message === DECLARED;

/**
 * Settles a row in doubt by an operator's word. Paid: the id that was found becomes the row's. Not paid: the row goes back
 * to be sent with the very same key, so that even a wrong word cannot pay twice while the service remembers it. A row that
 * was accepted by a word alone (no `status` of its record was seen) may be declared not paid after all.
 * @throws RemitError NO_BATCH when there is no such row, USAGE when it is not in doubt or the registry knows it as paid
 */
export async function resolveRow(options: {
  batch: OpenBatch;
  stateDir: string;
  reference: string;
  resolution: Resolution;
  clock: Clock;
}): Promise<{reference: string; state: Outcome['state']; id: string | null}> {
  const {batch, reference, resolution, clock} = options;
  const {journal} = batch;
  let row = rowToResolve(batch, reference, resolution);
  const before = journal.meta<Record<string, Outcome | null>>('declared') ?? {};
  if (isWord(row.outcome)) row = {...row, outcome: doubtBefore(row, before[reference])};
  else if (resolution !== 'not-paid')
    journal.setMeta('declared', {...before, [reference]: row.outcome ?? null});
  const outcome = resolvedOutcome(row, resolution, journal.coveredSince(row.n) ?? clock.now());
  // The registry first: what it says of a row that the journal calls unpaid must not be that it was paid.
  await tellRegistry(options, row, resolution === 'not-paid' ? undefined : resolution.paid);
  journal.record(outcome, clock.now());
  journal.flush();
  journal.setMeta('pastHorizon', false); // what goes on with the rest is found anew
  return {reference, state: outcome.state, id: outcome.id};
}

/**
 * The row that may be resolved so.
 * @throws RemitError NO_BATCH when there is no such row, USAGE when it is not in doubt
 */
export function rowToResolve(
  {journal, plan}: OpenBatch,
  reference: string,
  resolution: Resolution,
): JournalRow {
  journal.makeDoubtExplicit();
  const row = journal.rowOf(reference);
  if (row === undefined)
    throw new RemitError('NO_BATCH', `batch ${plan.batchId} has no row ${reference}`, {
      hint: 'name the row by its reference',
    });
  const isDoubt =
    row.outcome === undefined ? journal.coveredSince(row.n) !== undefined : row.outcome.state === 'in_doubt';
  if (isDoubt || (resolution === 'not-paid' && isWord(row.outcome))) return row;
  throw new RemitError(
    'USAGE',
    `row ${reference} is not in doubt: it is ${(row.outcome?.state ?? 'not sent').replace('_', ' ')}`,
    {hint: 'only rows in doubt are resolved by hand'},
  );
}

/** The row as it was before the word, so that a record which was known then is looked at again. */
const doubtBefore = (row: JournalRow, kept: Outcome | null | undefined): Outcome =>
  kept === undefined || kept === null
    ? {...row.outcome!, state: 'in_doubt', id: null}
    : {...kept, n: row.n, state: 'in_doubt'};

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
      status: resolution.status ?? null,
      code: null,
      message: DECLARED,
    };
  // A row with a record goes back to be released, one without to be created; both with the same key.
  return {
    ...known,
    stagedAt: known.stagedAt ?? since, // by which a declared row is told from one that was never sent
    state: known.id === null ? 'not_sent' : 'staged',
    code: null,
    message: 'declared not paid by the operator',
  };
}

async function tellRegistry(
  {batch, stateDir, reference, clock}: Parameters<typeof resolveRow>[0],
  row: JournalRow,
  id: string | undefined,
): Promise<void> {
  const {plan, journal} = batch;
  const binding = boundTo(journal);
  const registry = await Registry.open({
    stateDir,
    scope: {...binding, kind: plan.kind, namespace: plan.namespace},
    claimant: {profile: lastProfile(journal), batchId: plan.batchId, journalId: plan.journalId},
    brief: true,
    clock,
  });
  try {
    if (id === undefined) {
      refusePaid(registry.find(reference), batch, reference);
      registry.unpaid(reference);
    } else {
      // Whoever has the record has the claim, also where it was lost; what another batch has paid stays as it was paid.
      const isOurs = () => registry.find(reference)?.journal === plan.journalId;
      if (!isOurs()) registry.keep([row], clock.now());
      if (isOurs()) registry.paid(reference, id);
      registry.flush();
    }
  } finally {
    await registry.close();
  }
}

/** What the service said is not taken back by a word; only another word is. */
function refusePaid(entry: Entry | undefined, {plan, journal}: OpenBatch, reference: string): void {
  const isWord = (journal.meta<Record<string, unknown>>('declared') ?? {})[reference] !== undefined;
  if (entry?.journal !== plan.journalId || !entry.paid || isWord) return;
  throw new RemitError('USAGE', `row ${reference} was paid: the registry has its record ${entry.id}`, {
    hint: `run the batch again: it takes the row for paid`,
  });
}

/** Under which the batch was confirmed last: what its claims are made with. */
const lastProfile = (journal: Journal): string => readConfirmations(journal).at(-1)?.profile ?? '';

function boundTo(journal: Journal): {mode: Mode; baseUrl: string} {
  const binding = journal.meta<{mode: Mode; baseUrl: string}>('binding');
  if (binding === undefined) throw new RemitError('USAGE', 'the batch was never run');
  return binding;
}
