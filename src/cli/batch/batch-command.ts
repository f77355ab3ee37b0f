import {Args} from '@oclif/core';
import type {Kind} from '../../batch/model/kinds.ts';
import type {LocalContext} from '../core/context.ts';
import {SharedCommand} from '../team/command.ts';
import {refuseMoved} from '../team/moved.ts';

/** What a command does with the shared state of a team: reads a batch, or all; or has a batch for itself. */
type TeamUse = {reads: string} | {readsAll: true} | {takes: string; purpose: string} | undefined;

/**
 * The verbs of `payouts batch` and `payins batch`: one class per verb. Each topic makes a command of it by naming its
 * kind. The flags are the same on both sides.
 */
export abstract class BatchCommand extends SharedCommand {
  /** Set by the command class of the topic. */
  abstract readonly kind: Kind;

  protected override openLocal(): LocalContext {
    const local = super.openLocal();
    local.out.sanitizer.keepNumbersInMessages();
    return local;
  }

  /** The folder with the batches: a copy of what the command uses, if a team shares them. */
  protected async stateDirOf(
    local: LocalContext,
    flags: {state?: string | undefined; 'state-dir'?: string | undefined},
    use?: TeamUse,
  ): Promise<string> {
    const team = await this.teamOf(local, flags);
    if (team === undefined) {
      const stateDir = flags['state-dir'] ?? local.stateDir;
      if (use !== undefined && !('readsAll' in use))
        refuseMoved(local, stateDir, this.kind, 'reads' in use ? use.reads : use.takes);
      return stateDir;
    }
    if (use !== undefined) {
      if ('reads' in use) await team.fetch(this.kind, use.reads);
      else if ('takes' in use) await team.take(this.kind, use.takes, use);
      else await team.fetchAll(this.kind);
    }
    return team.stateDir;
  }
}

export const batchArg = Args.string({required: true, description: 'batch id'});
