import type {OpenBatch} from '../journal/open-batch.ts';
import type {BatchState} from '../model/batch-state.ts';
import {nextCommand} from './next-command.ts';
import {batchCommand, NOWHERE, type Placing} from './placed.ts';
import {readRemaining} from './remaining.ts';
import {endState, summarise, type Summary} from './summary.ts';

/**
 * The summary of a batch at rest. After a kill there is no stored summary, but windows and outcomes show what is
 * open.
 */
export function readSummary(
  {plan, journal}: OpenBatch,
  now: number,
  placing: Placing = () => NOWHERE,
): Summary {
  const standing = journal.standingOf(plan);
  const sent = journal.windows(['stage', 'direct', 'release']).length > 0;
  const told = journal.fact('state');
  const killed = sent && (told === undefined || told === 'running');
  const state: BatchState = killed ? 'interrupted' : (told ?? 'planned');
  const command = batchCommand(plan.kind);
  const profile = journal.fact('typedProfile') ?? undefined;
  const {flags} = placing(profile);
  const stop = journal.fact('stop') ?? undefined;
  const end = endState(state, plan, standing);
  const mode = journal.fact('binding')?.mode ?? null;
  const next = nextCommand(readRemaining(journal, standing, {state: end, stop, now}), {
    ...{command, batchId: plan.batchId, mode, flags, profile: profile ?? null},
  });
  return summarise(plan, standing, {
    state,
    mode,
    posts: 0,
    elapsedMs: 0,
    stop,
    next,
    results: journal.fact('results'),
  });
}
