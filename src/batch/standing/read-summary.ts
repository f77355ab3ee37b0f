import {BARE_COMMANDS, type CommandBuilder} from '../../errors.ts';
import {isBeingSent, isHeldElsewhere, type OpenBatch} from '../journal/open-batch.ts';
import type {BatchState} from '../model/batch-state.ts';
import {nextCommand} from './next-command.ts';
import {readRemaining} from './remaining.ts';
import {endState, summarise, type Summary} from './summary.ts';

/** Builds the commands for a batch, with what its last run was given. */
export type CommandsFor = (batch: OpenBatch) => CommandBuilder;

/**
 * The summary of a batch at rest, or in the copy of the process that has it. After a kill there is no stored summary, but
 * windows and outcomes show what is open.
 */
export function readSummary(
  batch: OpenBatch,
  now: number,
  commandsFor: CommandsFor = () => BARE_COMMANDS,
): Summary {
  const {plan, journal} = batch;
  const standing = journal.standingOf(plan);
  const sent = journal.windows(['stage', 'direct', 'release']).length > 0;
  const told = journal.fact('state');
  const killed = sent && !isBeingSent(batch) && (told === undefined || told === 'running');
  const state: BatchState = killed ? 'interrupted' : (told ?? 'planned');
  const stop = journal.fact('stop') ?? undefined;
  const end = endState(state, plan, standing);
  const mode = journal.fact('binding')?.mode ?? null;
  const about = {commands: commandsFor(batch), kind: plan.kind, batchId: plan.batchId};
  // A process that has the batch alone may continue it.
  const next = isHeldElsewhere(batch)
    ? null
    : nextCommand(readRemaining(journal, standing, {state: end, stop, now}), about);
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
