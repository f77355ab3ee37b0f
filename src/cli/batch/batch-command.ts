import {Args} from '@oclif/core';
import type {Kind} from '../../batch/model/kinds.ts';
import {RemitCommand} from '../core/command.ts';
import type {LocalContext} from '../core/context.ts';

/**
 * The verbs of `payouts batch` and `payins batch`: one class per verb. Each topic makes a command of it by naming its
 * kind. The flags are the same on both sides.
 */
export abstract class BatchCommand extends RemitCommand {
  /** Set by the command class of the topic. */
  abstract readonly kind: Kind;

  protected override openLocal(): LocalContext {
    const local = super.openLocal();
    local.out.sanitizer.keepNumbersInMessages();
    return local;
  }

  protected stateDirOf(local: LocalContext, flags: {'state-dir'?: string | undefined}): string {
    return flags['state-dir'] ?? local.stateDir;
  }
}

export const batchArg = Args.string({required: true, description: 'batch id'});
