import {Args, Flags} from '@oclif/core';
import {accepting} from '../../batch/model/accept.ts';
import type {Kind} from '../../batch/model/kinds.ts';
import {RemitError} from '../../errors.ts';
import {RemitCommand} from '../core/command.ts';
import type {Context, LocalContext} from '../core/context.ts';
import {commandLine} from '../runtime/command-line.ts';
import {acceptFlag, readAccepted, type Statement} from './accept.ts';
import {confirmFlags, followFlags, inputFlags, runFlags, stateDirFlag} from './flags.ts';
import {fileOrBatch, placedBy} from './place.ts';
import {planFromFlags} from './plan/action.ts';
import {outlookOf} from './plan/next.ts';
import {count, outlookText, planResult, planText} from './plan/view.ts';
import {refreshBatch} from './follow-action.ts';
import {batchView} from './list-view.ts';
import {listBatches} from '../../batch/overview/list.ts';
import {paidId, resolveFromFile, resolveInBatch} from './resolve-action.ts';
import {readResolveFile} from './resolve-file.ts';
import {reportBatch} from '../../batch/overview/report.ts';
import {statusOfBatch} from '../../batch/overview/status.ts';
import {runBatch, type RunFlags} from './run/action.ts';
import {leftOutText, summaryText} from './summary-view.ts';
import {templateFor} from './plan/template.ts';
import {withLock} from './run/wait-lock.ts';
import type {RunPath} from '../../batch/model/run-path.ts';

/**
 * The verbs of `payouts batch` and `payins batch`: one class a verb, of which the two topics make commands by naming
 * their kind. The flags are the same on both sides.
 */
abstract class BatchCommand extends RemitCommand {
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

const batchArg = Args.string({required: true, description: 'batch id'});
/** What may be accepted when records are released. */
const ON_RELEASE = ['differences', 'rest', 'refusals'] as const;
const CONTINUING = acceptFlag(['duplicates', 'similar', 'paid-elsewhere', ...ON_RELEASE]);
const fileArg = Args.string({required: true, description: 'CSV file, or - for standard input'});

export abstract class BatchTemplate extends BatchCommand {
  async run() {
    await this.parse(BatchTemplate);
    const template = templateFor(this.kind);
    this.openLocal().out.text(template.csv);
    return template;
  }
}

export abstract class BatchPlan extends BatchCommand {
  static override args = {file: fileArg};
  static override flags = {...acceptFlag(['cut-input']), ...inputFlags, ...stateDirFlag};

  async run() {
    const {args, flags} = await this.parse(BatchPlan);
    const local = this.openLocal();
    const stateDir = this.stateDirOf(local, flags);
    const planned = await planFromFlags({
      ...{kind: this.kind, file: args.file, stateDir, flags, local},
      accepted: readAccepted(flags.accept),
      retype: (add) => commandLine(this.typed.id, this.typed.argv, {add}),
    });
    const {plan, fresh} = planned;
    const outlook = await outlookOf({local, project: this.project, stateDir, plan, fresh});
    local.out.text(planText(plan));
    if (!fresh) local.out.note('This plan exists already; nothing changed.');
    for (const line of outlookText(plan, outlook)) local.out.warn(line);
    if (outlook.next !== null) local.out.hint(outlook.next);
    return planResult(planned, outlook);
  }
}

export abstract class BatchRunCommand extends BatchCommand {
  static override args = {
    file: Args.string({required: true, description: 'CSV file (or -), or the id of a planned batch'}),
  };
  static override flags = {
    'stage-only': Flags.boolean({
      description: 'create the records but release none; `batch release` continues',
      exclusive: ['direct', 'until'],
    }),
    ...followFlags,
    ...confirmFlags,
    ...acceptFlag(['duplicates', 'similar', 'paid-elsewhere', ...ON_RELEASE, 'key-trust', 'cut-input']),
    ...inputFlags,
    direct: Flags.boolean({
      description:
        'one request per row: faster, but nothing is checked before money moves, and a lost answer can only be resolved by the key',
    }),
    ...runFlags,
    ...stateDirFlag,
  };

  async run() {
    const {args, flags} = await this.parse(BatchRunCommand);
    const accepted = readAccepted(flags.accept);
    const context = await this.open();
    const retype = (add: readonly string[]) => context.commands.again(this.typed, {add});
    const stateDir = this.stateDirOf(context, flags);
    const what = fileOrBatch(args.file, {kind: this.kind, stateDir, batchId: flags['batch-id']});
    if (flags.direct && context.profile.mode === 'live' && !accepted.keyTrust)
      throw new RemitError('GUARD_LIVE', '--direct moves live money on the first request of each row', {
        hint: `leave --direct out; or, if the service is known to remember idempotency keys: ${retype(accepting('key-trust'))}`,
      });
    let batchId = args.file;
    if (what === 'file') {
      const {kind} = this;
      const plannedOnce = () =>
        planFromFlags({...{kind, file: args.file, stateDir, flags, accepted}, local: context, retype});
      const waitMs = args.file === '-' ? undefined : flags['wait-lock']; // standard input is read once
      const {plan, fresh} = await withLock({context, kind, stateDir, waitMs}, plannedOnce);
      ({batchId} = plan);
      if (!fresh) context.out.note(`Batch ${batchId}, planned before`); // a fresh plan is shown whole, its id first
    }
    const path: RunPath = flags.direct ? 'direct' : flags['stage-only'] ? 'stage-only' : 'stage-and-release';
    const doing = flags['stage-only'] ? 'stage' : this.kind === 'payout' ? 'pay' : 'collect';
    const {summary, exit} = await runBatch({
      ...{context, typed: this.typed, kind: this.kind, stateDir, batchId, flags, accepted, path, doing},
      isById: what === 'batch',
    });
    this.exitWith(exit);
    return summary;
  }
}

/** `release` and `resume`: a batch that exists already goes on. */
abstract class BatchContinue extends BatchCommand {
  protected async continue(
    batchId: string,
    flags: RunFlags & {'state-dir'?: string | undefined; accept?: Statement[] | undefined},
    how: {path: RunPath | 'as-before'; doing: string},
  ) {
    const accepted = readAccepted(flags.accept);
    const context = await this.open();
    const stateDir = this.stateDirOf(context, flags);
    const {summary, exit} = await runBatch({
      ...{context, typed: this.typed, kind: this.kind, stateDir, batchId, flags, accepted, ...how},
      isById: true,
    });
    this.exitWith(exit);
    return summary;
  }
}

export abstract class BatchRelease extends BatchContinue {
  static override args = {batch: batchArg};
  static override flags = {...followFlags, ...confirmFlags, ...CONTINUING, ...runFlags, ...stateDirFlag};

  async run() {
    const {args, flags} = await this.parse(BatchRelease);
    return this.continue(args.batch, flags, {path: 'release', doing: 'release'});
  }
}

export abstract class BatchResume extends BatchContinue {
  static override args = {batch: batchArg};
  static override flags = {...followFlags, ...confirmFlags, ...CONTINUING, ...runFlags, ...stateDirFlag};

  async run() {
    const {args, flags} = await this.parse(BatchResume);
    return this.continue(args.batch, flags, {path: 'as-before', doing: 'resume'});
  }
}

export abstract class BatchStatus extends BatchCommand {
  static override args = {batch: batchArg};
  static override flags = {
    refresh: Flags.boolean({
      description: 'first fetch the status of every accepted row that is not final (reads only)',
    }),
    'max-rps': runFlags['max-rps'],
    'max-wait': runFlags['max-wait'],
    ...stateDirFlag,
  };

  async run() {
    const {args, flags} = await this.parse(BatchStatus);
    if (flags.refresh) {
      const context = await this.open();
      const stateDir = this.stateDirOf(context, flags);
      const {summary, exit} = await refreshBatch({
        context,
        kind: this.kind,
        stateDir,
        batchId: args.batch,
        flags,
        typed: this.typed,
      });
      this.exitWith(exit);
      return summary;
    }
    const local = this.openLocal();
    const {summary, attention, placed, running} = await statusOfBatch({
      kind: this.kind,
      batchId: args.batch,
      stateDir: this.stateDirOf(local, flags),
      clock: local.clock,
      placing: (last) => placedBy(local, this.stateDirOf(local, flags), last),
    });
    local.out.text(summaryText(summary, attention, placed));
    if (summary.left_out > 0) local.out.warn(leftOutText(summary));
    if (running !== undefined) local.out.note(running);
    return summary;
  }
}

export abstract class BatchReport extends BatchCommand {
  static override args = {
    batch: batchArg,
    file: Args.string({
      description: 'with --html: file to write (default: BATCH.report.html next to the results)',
    }),
  };
  static override flags = {
    html: Flags.boolean({
      description: 'also write an HTML report: totals, a chart, and every row that needs attention',
    }),
    out: runFlags.out,
    ...stateDirFlag,
  };

  async run() {
    const {args, flags} = await this.parse(BatchReport);
    if (args.file !== undefined && !flags.html)
      throw new RemitError('USAGE', `${args.file} names an HTML report, but --html is missing`, {
        hint: `add --html, or name a folder for the results with --out`,
      });
    const local = this.openLocal();
    const stateDir = this.stateDirOf(local, flags);
    const {summary, attention, placed} = await reportBatch({
      kind: this.kind,
      batchId: args.batch,
      stateDir,
      clock: local.clock,
      placing: (last) => placedBy(local, stateDir, last),
      folder: flags.out,
      html: !flags.html ? undefined : args.file === undefined ? 'beside' : {file: args.file},
    });
    const page = summary.report_file === undefined ? '' : `\nReport   ${summary.report_file}`;
    local.out.text(summaryText(summary, attention, placed) + page);
    if (summary.left_out > 0) local.out.warn(leftOutText(summary));
    return summary;
  }
}

export abstract class BatchRetry extends BatchCommand {
  static override args = {batch: batchArg};
  static override flags = {
    row: Flags.string({
      multiple: true,
      multipleNonGreedy: true,
      helpValue: 'REFERENCE',
      description: 'only this row; needed for rows whose record was canceled',
    }),
    ...followFlags,
    ...confirmFlags,
    ...CONTINUING,
    ...runFlags,
    ...stateDirFlag,
  };

  async run() {
    const {args, flags} = await this.parse(BatchRetry);
    const accepted = readAccepted(flags.accept);
    const context = await this.open();
    const stateDir = this.stateDirOf(context, flags);
    const request = {
      context,
      typed: this.typed,
      kind: this.kind,
      stateDir,
      batchId: args.batch,
      flags,
      accepted,
      path: 'as-before',
      doing: 'retry',
      isById: true,
    } as const;
    const {summary, exit} = await runBatch({...request, retry: {named: flags.row ?? []}});
    this.exitWith(exit);
    return summary;
  }
}

/** `cancel`: flags of a run that have a meaning for it. */
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
  static override args = {batch: batchArg};
  static override flags = {...cancelFlags, ...stateDirFlag};

  async run() {
    const {args, flags} = await this.parse(BatchCancel);
    return this.continue(args.batch, flags, {path: 'cancel', doing: 'cancel'});
  }
}

export abstract class BatchResolve extends BatchCommand {
  static override args = {
    batch: batchArg,
    reference: Args.string({description: 'reference of the row; omit it with --from'}),
  };
  static override flags = {
    paid: Flags.string({
      helpValue: 'ID',
      description: 'the row was paid by the record with this id',
      exactlyOne: ['paid', 'not-paid', 'from'],
    }),
    'not-paid': Flags.boolean({description: 'the row was not paid; it will be sent again with the same key'}),
    from: Flags.string({
      helpValue: 'FILE',
      description: 'CSV file with the header reference,verdict,id; a verdict is paid or not-paid',
    }),
    unseen: Flags.boolean({description: 'do not check the record'}),
    ...stateDirFlag,
  };

  async run() {
    const {args, flags} = await this.parse(BatchResolve);
    if ((args.reference === undefined) !== (flags.from !== undefined))
      throw new RemitError(
        'USAGE',
        flags.from === undefined ? 'name the row by its reference' : 'with --from, the file names the rows',
        {
          hint: (commands) =>
            `${commands.read(`${this.kind}s`, 'batch', 'resolve', args.batch, '--from', 'FILE')}, or name a row: REFERENCE --paid ID, or REFERENCE --not-paid`,
        },
      );
    if (flags.from !== undefined) return this.#resolveFile(args.batch, flags.from, flags);
    return this.#resolveRow(args.batch, args.reference!, flags);
  }

  #place(local: LocalContext, flags: {'state-dir'?: string | undefined}) {
    const stateDir = this.stateDirOf(local, flags);
    const placing = (last: string | undefined) => placedBy(local, stateDir, last);
    return {kind: this.kind, stateDir, clock: local.clock, placing, typed: this.typed};
  }

  async #resolveFile(
    batchId: string,
    path: string,
    flags: {unseen: boolean; 'state-dir'?: string | undefined},
  ) {
    let context: Context | undefined;
    const local = this.openLocal();
    const lines = await readResolveFile(path, local.runtime.stdin);
    const open = async () => (context ??= await this.open());
    const result = await resolveFromFile({
      ...{...this.#place(local, flags), batchId, path, lines},
      open: flags.unseen ? undefined : open,
    });
    for (const {reference, why} of result.unseen)
      local.out.notice(`The record of ${reference} was not read (${why}); it is recorded as you stated.`);
    local.out.text(
      `Batch ${batchId}: ${count(result.paid, 'row')} recorded as paid, ${count(result.not_paid, 'row')} as not paid.`,
    );
    if (result.next !== null) local.out.hint(result.next);
    return result;
  }

  async #resolveRow(
    batchId: string,
    reference: string,
    flags: {
      paid?: string | undefined;
      'not-paid': boolean;
      unseen: boolean;
      'state-dir'?: string | undefined;
    },
  ) {
    const resolution = flags.paid === undefined ? 'not-paid' : {paid: paidId(flags.paid, this.kind)};
    const isRead = flags.paid !== undefined && !flags.unseen;
    const context = isRead ? await this.open() : undefined;
    const local = context ?? this.openLocal();
    const openToLook = flags['not-paid'] && !flags.unseen ? () => this.open() : undefined;
    const result = await resolveInBatch({
      ...{...this.#place(local, flags), batchId, reference, resolution, context, openToLook},
    });
    if (result.unseen !== undefined)
      local.out.notice(`Its record was not read (${result.unseen}); it is recorded as you stated.`);
    const by = isRead ? `: record ${result.id} was read` : ', as you stated';
    local.out.text(`Row ${result.reference} of batch ${batchId} is ${result.state.replace('_', ' ')}${by}.`);
    if (result.next !== null) local.out.hint(result.next);
    return result;
  }
}

export abstract class BatchList extends BatchCommand {
  static override flags = {...stateDirFlag};

  async run() {
    const {flags} = await this.parse(BatchList);
    const local = this.openLocal();
    const batches = await listBatches({
      kind: this.kind,
      stateDir: this.stateDirOf(local, flags),
      clock: local.clock,
    });
    await local.out.list(batches, batchView);
    for (const {batch_id: id, problem} of batches) if (problem !== null) local.out.warn(`${id}: ${problem}`);
  }
}
