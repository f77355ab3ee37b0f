import {stateDirFlag} from '../cli/batch/flags.ts';
import {inGroup} from '../cli/input/flags.ts';
import {showReconcile} from '../cli/reconcile/action.ts';
import {periodOf, reconcileFileFlags, reconcileFlags} from '../cli/reconcile/flags.ts';
import {statementFlags, statementOptions} from '../cli/reconcile/statement-flags.ts';
import type {LocalContext} from '../cli/core/context.ts';
import {serviceNow} from '../cli/core/sandbox-clock.ts';
import {SharedCommand} from '../cli/team/command.ts';

export default class Reconcile extends SharedCommand {
  static override summary = 'Compare payments with what the bank has booked';
  static override description =
    'Reads the bank-reported transactions of the accounts, the payments of the service and the batches, and changes nothing there. Only an id or trace number in a bank line, or the sum of a declared group, confirms a payment; you decide the rest. Exits with 8 if something needs attention or is not conclusive.';
  static override examples = [
    '<%= config.bin %> reconcile --account 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11',
    '<%= config.bin %> reconcile --account ID --from 2026-11-01 --to 2026-11-30 --html november.html',
  ];
  static override flags = {
    ...reconcileFlags,
    ...statementFlags,
    ...inGroup('OUTPUT', reconcileFileFlags),
    ...stateDirFlag,
  };

  async run() {
    const {flags} = await this.parse(Reconcile);
    const context = await this.open();
    await this.teamOf(context, flags);
    const nowMs = await serviceNow(context);
    const {data, exitCode} = await showReconcile(context, {
      ...{accounts: flags.account, ...periodOf(flags, nowMs), nowMs},
      ...{batches: flags.batch ?? [], fees: flags.fee ?? [], statement: flags.statement},
      reading: {format: flags.format, ...statementOptions(flags)},
      stateDir: flags['state-dir'] ?? context.stateDir,
      files: {html: flags.html, ledger: flags.ledger, resolve: flags['resolve-file'], out: flags.out},
    });
    this.exitWith(exitCode);
    return data;
  }

  protected override openLocal(): LocalContext {
    const local = super.openLocal();
    local.out.sanitizer.keepNumbersInMessages();
    return local;
  }
}
