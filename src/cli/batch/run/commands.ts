import {Args, Flags} from '@oclif/core';
import {accepting, type Retype} from '../../../batch/model/accept.ts';
import {type Kind, KINDS} from '../../../batch/model/kinds.ts';
import type {Plan} from '../../../batch/model/plan-facts.ts';
import type {RunPath} from '../../../batch/model/run-path.ts';
import {RemitError} from '../../../errors.ts';
import {keysOf} from '../../../narrow.ts';
import {acceptFlag, readAccepted, type Statement} from '../accept.ts';
import {batchArg, BatchCommand} from '../batch-command.ts';
import {confirmFlags, followFlags, inputFlags, runFlags, stateDirFlag} from '../flags.ts';
import {fileOrBatch, refuseSecondRun} from '../place.ts';
import {type InputFlags, planFromFlags} from '../plan/action.ts';
import {runBatch} from './action.ts';
import {continues, type RunFlags, type RunRequest, verbOf} from './request.ts';
import {withLock} from './wait-lock.ts';

/** What may be accepted when records are released. */
const ON_RELEASE = ['differences', 'rest', 'refusals'] as const;

/** Flags of every verb that continues a batch. */
const continueFlags = {
  ...followFlags,
  ...confirmFlags,
  ...acceptFlag(['duplicates', 'similar', 'paid-elsewhere', 'lost-journal', ...ON_RELEASE]),
  ...runFlags,
  ...stateDirFlag,
};

export abstract class BatchRunCommand extends BatchCommand {
  static override args = {
    file: Args.string({
      required: true,
      description: 'CSV or .xlsx file (or -), or the id of a batch, which then continues',
    }),
  };
  static override flags = {
    'stage-only': Flags.boolean({
      description: 'create the records without releasing them; continue with `batch release`',
      exclusive: ['direct', 'until'],
    }),
    ...followFlags,
    ...confirmFlags,
    ...acceptFlag([
      'duplicates',
      'similar',
      'paid-elsewhere',
      'lost-journal',
      ...ON_RELEASE,
      'key-trust',
      'hidden-rows',
      'cut-input',
    ]),
    ...inputFlags,
    direct: Flags.boolean({
      description:
        'one request per row: faster, but nothing is checked before money moves, and a lost answer can be resolved only with the idempotency key',
    }),
    ...runFlags,
    ...stateDirFlag,
  };

  async run() {
    const {args, flags} = await this.parse(BatchRunCommand);
    const accepted = readAccepted(flags.accept);
    const context = await this.open();
    const retype: Retype = (add, without = []) => context.commands.again(this.typed, {add, without});
    const stateDir = await this.stateDirOf(context, flags);
    const what = fileOrBatch(args.file, {kind: this.kind, stateDir, batchId: flags['batch-id']});
    if (what === 'batch') refuseFileFlags(args.file, this.kind, flags);
    if (flags.direct && context.profile.mode === 'live' && !accepted.keyTrust)
      throw new RemitError('GUARD_LIVE', '--direct moves live money on the first request of each row', {
        hint: `omit --direct; or, if the service is known to remember idempotency keys: ${retype(accepting('key-trust'))}`,
      });
    let batchId = args.file;
    if (what === 'file') {
      const {kind} = this;
      const ids = context.profile.service.ids?.format;
      // --batch-id states that a second batch is intended.
      const beforeKept =
        flags['batch-id'] === undefined
          ? (plan: Plan) => refuseSecondRun(context, stateDir, plan)
          : undefined;
      const plannedOnce = () =>
        planFromFlags({
          ...{kind, file: args.file, stateDir, flags, accepted, ids},
          ...{local: context, retype, beforeKept, waitMs: flags['wait-lock']},
        });
      const waitMs = args.file === '-' ? undefined : flags['wait-lock']; // standard input can be read only once
      const {plan, fresh} = await withLock({context, kind, stateDir, waitMs}, plannedOnce);
      ({batchId} = plan);
      if (!fresh) context.out.note(`Batch ${batchId}, planned before`); // a fresh plan is shown whole, its id first
    }
    const path: RunPath = flags.direct ? 'direct' : flags['stage-only'] ? 'stage-only' : 'stage-and-release';
    const isById = what === 'batch';
    const how =
      isById && path === 'stage-and-release' ? continues(this.kind) : {path, doing: verbOf(this.kind, path)};
    const {summary, exit} = await runBatch({
      ...{context, typed: this.typed, kind: this.kind, stateDir, batchId, flags, accepted, ...how},
      isById,
    });
    this.exitWith(exit);
    return summary;
  }
}

/**
 * A plan is not read again, so a flag about its file would be ignored.
 * @throws RemitError USAGE
 */
function refuseFileFlags(batchId: string, kind: Kind, flags: InputFlags): void {
  const typed = keysOf(inputFlags)
    .filter((name) => flags[name] !== undefined && flags[name] !== false)
    .map((name) => `--${name === 'payees' && kind === 'payin' ? 'payers' : name}`);
  if (typed.length === 0) return;
  throw new RemitError(
    'USAGE',
    `${batchId} is a batch, and its plan is fixed: ${typed.join(', ')} can only be given with a file; nothing was sent`,
    {
      hint: (commands) =>
        `to run the batch: ${commands.write(KINDS[kind].topic, 'batch', 'resume', batchId)}`,
    },
  );
}

/** `release`, `retry` and `cancel`, and `resume`, the former name of `run ID`: these continue an existing batch. */
abstract class BatchContinue extends BatchCommand {
  protected async continue(
    batchId: string,
    flags: RunFlags & {'state-dir'?: string | undefined; accept?: Statement[] | undefined},
    how: Pick<RunRequest, 'path' | 'doing' | 'retry'>,
  ) {
    const accepted = readAccepted(flags.accept);
    const context = await this.open();
    const stateDir = await this.stateDirOf(context, flags);
    const {summary, exit} = await runBatch({
      ...{context, typed: this.typed, kind: this.kind, stateDir, batchId, flags, accepted, ...how},
      isById: true,
    });
    this.exitWith(exit);
    return summary;
  }
}

export abstract class BatchRelease extends BatchContinue {
  static override summary = 'Release a staged batch, so that money moves';
  static override args = {batch: batchArg};
  static override flags = continueFlags;

  async run() {
    const {args, flags} = await this.parse(BatchRelease);
    return this.continue(args.batch, flags, {path: 'release', doing: 'release'});
  }
}

export abstract class BatchResume extends BatchContinue {
  static override summary = 'Continue a batch: the former name of `run BATCH`';
  static override args = {batch: batchArg};
  static override flags = continueFlags;

  async run() {
    const {args, flags} = await this.parse(BatchResume);
    return this.continue(args.batch, flags, continues(this.kind));
  }
}

export abstract class BatchRetry extends BatchContinue {
  static override summary = 'Send rejected or failed rows again, once their cause is fixed';
  static override description =
    'Each record is fetched first. Rejected rows keep their key; rows whose record failed get a new one. The rows and amounts are listed before you are asked.';
  static override args = {batch: batchArg};
  static override flags = {
    row: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'REFERENCE',
      description: 'retry only this row (required if its record was canceled)',
    }),
    ...continueFlags,
  };

  async run() {
    const {args, flags} = await this.parse(BatchRetry);
    const retry = {named: flags.row ?? []};
    return this.continue(args.batch, flags, {path: 'as-before', doing: 'retry', retry});
  }
}

/** `cancel`: the flags of a run that apply to it. */
const cancelFlags = {
  'confirm-total': confirmFlags['confirm-total'],
  'confirm-count': confirmFlags['confirm-count'],
  'key-horizon': runFlags['key-horizon'],
  'max-wait': runFlags['max-wait'],
  'max-in-flight': runFlags['max-in-flight'],
  'max-rps': runFlags['max-rps'],
  'wait-lock': runFlags['wait-lock'],
  'break-lock': runFlags['break-lock'],
  out: runFlags.out,
};

export abstract class BatchCancel extends BatchContinue {
  static override summary = 'Cancel the unreleased records of a batch';
  static override description =
    'Rows in doubt are resolved first. Each record is fetched, canceled if its status is still created, and fetched again. Released records are listed and left unchanged. Afterwards nothing more of the batch can be sent.';
  static override args = {batch: batchArg};
  static override flags = {...cancelFlags, ...stateDirFlag};

  async run() {
    const {args, flags} = await this.parse(BatchCancel);
    return this.continue(args.batch, flags, {path: 'cancel', doing: 'cancel'});
  }
}
