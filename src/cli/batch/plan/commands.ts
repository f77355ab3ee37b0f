import {Args, Flags} from '@oclif/core';
import {KINDS} from '../../../batch/model/kinds.ts';
import {RemitError} from '../../../errors.ts';
import {acceptFlag, readAccepted} from '../accept.ts';
import {BatchCommand} from '../batch-command.ts';
import {inputFlags, stateDirFlag} from '../flags.ts';
import {commandLine} from '../../line/command-line.ts';
import {serviceInForce} from '../../core/service-in-force.ts';
import {planFromFlags} from './action.ts';
import {outlookOf} from './next.ts';
import {writePageToApprove} from './page.ts';
import {templateFor} from './template.ts';
import {outlookText, planResult, planText} from './view.ts';

export const fileArg = Args.string({
  required: true,
  description: 'CSV or .xlsx file, or - for a CSV from standard input',
});

export abstract class BatchTemplate extends BatchCommand {
  async run() {
    await this.parse(BatchTemplate);
    const template = templateFor(this.kind);
    this.openLocal().out.text(template.csv);
    return template;
  }
}

export abstract class PlanCommand extends BatchCommand {
  static override args = {file: fileArg};
  static override flags = {
    ...acceptFlag(['hidden-rows', 'cut-input']),
    ...inputFlags,
    html: Flags.string({helpValue: 'FILE', description: 'also write the plan as a page to approve'}),
    ...stateDirFlag,
  };

  async run() {
    const {args, flags} = await this.parse(PlanCommand);
    const local = this.openLocal();
    const stateDir = await this.stateDirOf(local, flags);
    const planned = await planFromFlags({
      ...{kind: this.kind, file: args.file, stateDir, flags, local},
      ids: serviceInForce(local, this.project).service.ids?.format,
      accepted: readAccepted(flags.accept),
      retype: (add, without = []) => commandLine(this.typed.id, this.typed.argv, {add, without}),
    });
    const {plan, fresh} = planned;
    await local.team?.share(plan.journalId);
    const outlook = await outlookOf({
      ...{local, project: this.project, stateDir, plan, fresh},
      wantsRows: flags.html !== undefined,
    });
    local.out.text(planText(plan));
    if (!fresh) local.out.note('This plan already exists; nothing changed.');
    for (const line of outlookText(plan, outlook)) local.out.warn(line);
    if (flags.html !== undefined && outlook.left !== undefined)
      throw new RemitError(
        'GUARD_CONFIRM',
        `batch ${plan.batchId} was approved and has been run; ${outlook.left}`,
        {
          hint: (commands) =>
            outlook.next ??
            `the report shows what was sent and what is left: ${commands.read(KINDS[plan.kind].topic, 'batch', 'report', plan.batchId, '--html')}`,
        },
      );
    const page =
      flags.html === undefined
        ? undefined
        : await writePageToApprove({local, stateDir, file: flags.html}, planned, outlook);
    if (page !== undefined) local.out.text(`Page   ${page}`);
    if (outlook.next !== null) local.out.hint(outlook.next);
    return {...planResult(planned, outlook), ...(page === undefined ? {} : {page_file: page})};
  }
}
