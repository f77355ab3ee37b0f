import {Args, Flags} from '@oclif/core';
import {decisionFlags, DecisionCommand, lineArg, PAYMENT_WORDS} from '../../cli/reconcile/decide.ts';

export default class ReconcileConfirm extends DecisionCommand {
  static override summary = 'State that a bank line belongs to these payments';
  static override description =
    'The line must have the sum of the payments, or the opposite amount if it returned them. The decision is kept with your name, the time and the note, and every later run uses it.';
  static override strict = false;
  static override args = {line: lineArg, payment: Args.string({required: true, description: PAYMENT_WORDS})};
  static override examples = [
    '<%= config.bin %> reconcile confirm LINE PAYMENT --note "same amount, on the day of the run"',
  ];
  static override flags = {
    ...decisionFlags,
    difference: Flags.string({
      helpValue: 'AMOUNT',
      description: 'how much the line and its payments differ, for example by a fee (default: 0)',
    }),
  };

  async run() {
    const {args, argv, flags} = await this.parse(ReconcileConfirm);
    const [, ...payments] = argv.map(String);
    return this.decide({verb: 'confirm', line: args.line, payments, flags});
  }
}
