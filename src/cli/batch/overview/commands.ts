import {Args, Flags} from '@oclif/core';
import {type ListedBatch, listBatches} from '../../../batch/overview/list.ts';
import {reportBatch} from '../../../batch/overview/report.ts';
import {statusOfBatch} from '../../../batch/overview/status.ts';
import {checkText} from '../../../batch/standing/end-words.ts';
import {RemitError} from '../../../errors.ts';
import {batchArg, BatchCommand} from '../batch-command.ts';
import {runFlags, stateDirFlag} from '../flags.ts';
import {refreshBatch} from '../follow-action.ts';
import {batchView} from './list-view.ts';
import {commandsFor} from '../place.ts';
import {nextUnderPolicy} from '../../approval/gate.ts';
import {nextOfPlan} from '../plan/next.ts';
import {showFound, showRow} from './rows.ts';
import {isMovedAway, movedTo} from '../../team/moved.ts';
import {exitWithReturns, returnsReader} from '../returns.ts';
import {leftOutText, summaryText} from '../summary-view.ts';

export abstract class BatchStatus extends BatchCommand {
  static override summary = 'Show the state of a batch and the next command';
  static override args = {batch: batchArg};
  static override flags = {
    refresh: Flags.boolean({
      description:
        'first fetch the record of every row, also of settled ones, except failed and canceled ones (reads only)',
    }),
    'max-rps': runFlags['max-rps'],
    'max-wait': runFlags['max-wait'],
    row: Flags.string({
      helpValue: 'REFERENCE',
      description: 'show one row: its state, its record, and why it failed',
      exclusive: ['refresh'],
    }),
    ...stateDirFlag,
  };

  async run() {
    const {args, flags} = await this.parse(BatchStatus);
    if (flags.row !== undefined) {
      const {kind} = this;
      const local = this.openLocal();
      const stateDir = await this.stateDirOf(local, flags, {reads: args.batch});
      const {row, exit} = await showRow(local, {kind, batchId: args.batch, reference: flags.row, stateDir});
      this.exitWith(exit);
      return row;
    }
    if (flags.refresh) {
      const context = await this.open();
      const stateDir = await this.stateDirOf(context, flags, {takes: args.batch, purpose: 'status'});
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
    const stateDir = await this.stateDirOf(local, flags, {reads: args.batch});
    const {project} = this;
    const {summary, attention, returned, commands, running} = await statusOfBatch({
      kind: this.kind,
      batchId: args.batch,
      stateDir,
      clock: local.clock,
      commandsFor: (batch) => commandsFor(local, batch),
      nextOfPlan: (batch) => nextOfPlan({local, project, stateDir}, batch),
      underPolicy: nextUnderPolicy(local, project),
      returnsOf: returnsReader(local, stateDir),
    });
    if (local.team !== undefined) {
      const {sharedStatus} = await import('../../team/runner.ts');
      const {shared, summary: published, note} = await sharedStatus(local.team, this.kind, args.batch);
      const shown = published === undefined ? summary : {...summary, ...published};
      local.out.text(summaryText(shown, published === undefined ? attention : [], commands, {returned}));
      if (note !== undefined) local.out.note(note);
      if (published === undefined) this.exitWith(exitWithReturns(summary));
      return {...shown, ...shared};
    }
    local.out.text(summaryText(summary, attention, commands, {returned}));
    if (summary.left_out > 0) local.out.warn(leftOutText(summary));
    if (running === undefined) this.exitWith(exitWithReturns(summary));
    else local.out.note(running);
    return summary;
  }
}

export abstract class BatchReport extends BatchCommand {
  static override summary = 'Write the results of a batch again, or an HTML report; sends nothing';
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
    const stateDir = await this.stateDirOf(local, flags, {reads: args.batch});
    const {project} = this;
    const {summary, attention, returned, commands, published, areResultsLeft} = await reportBatch({
      kind: this.kind,
      batchId: args.batch,
      stateDir,
      clock: local.clock,
      commandsFor: (batch) => (local.ofBatch.commands = commandsFor(local, batch, flags.out)),
      nextOfPlan: (batch) => nextOfPlan({local, project, stateDir}, batch),
      underPolicy: nextUnderPolicy(local, project),
      returnsOf: returnsReader(local, stateDir),
      folder: flags.out,
      html: !flags.html ? undefined : args.file === undefined ? 'beside' : {file: args.file},
    });
    const page = summary.report_file === undefined ? '' : `\nReport   ${summary.report_file}`;
    local.out.text(summaryText(summary, attention, commands, {returned, isReport: true}) + page);
    if (published !== undefined) local.out.note(published);
    if (areResultsLeft)
      local.out.note(
        `${flags.html && summary.report_file === undefined ? 'Results and HTML report' : 'Results'} are not written beside those of that process; to write them now, name another folder with --out.`,
      );
    if (summary.left_out > 0) local.out.warn(leftOutText(summary));
    this.exitWith(exitWithReturns(summary));
    return summary;
  }
}

export abstract class BatchList extends BatchCommand {
  static override summary = 'List all batches of this state folder, newest first';
  static override flags = {...stateDirFlag};

  async run() {
    const {flags} = await this.parse(BatchList);
    const local = this.openLocal();
    const stateDir = await this.stateDirOf(local, flags, {readsAll: true});
    const returnsOf = returnsReader(local, stateDir);
    const all = await listBatches({kind: this.kind, stateDir, clock: local.clock, returnsOf});
    const isAway = ({batch_id: id}: ListedBatch) =>
      local.team === undefined && isMovedAway(stateDir, this.kind, id);
    const batches = all.filter((batch) => !isAway(batch));
    await local.out.list(batches, batchView);
    for (const {batch_id: id} of all.filter(isAway))
      local.out.note(`Batch ${id} was moved to ${movedTo(stateDir, this.kind, id)}.`);
    for (const batch of batches) {
      const {batch_id: id, problem, differs} = batch;
      if (problem !== null) local.out.warn(`${id}: ${problem}`);
      else if (differs > 0) local.out.warn(`${id}: ${checkText(batch)}`);
    }
  }
}

export abstract class BatchFind extends BatchCommand {
  static override summary = 'Find a row by its reference in all batches of this state folder';
  static override description =
    'Reads the batches of this state folder, and sends nothing. The service cannot search by reference.';
  static override args = {
    reference: Args.string({required: true, description: 'reference of a row, in any case'}),
  };
  static override flags = {...stateDirFlag};

  async run() {
    const {args, flags} = await this.parse(BatchFind);
    const {kind} = this;
    const local = this.openLocal();
    const stateDir = await this.stateDirOf(local, flags, {readsAll: true});
    this.exitWith(await showFound(local, {kind, reference: args.reference, stateDir}));
  }
}
