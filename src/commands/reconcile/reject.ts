import {Args} from '@oclif/core';
import {decisionFlags, DecisionCommand, lineArg, PAYMENT_WORDS} from '../../cli/reconcile/decide.ts';

export default class ReconcileReject extends DecisionCommand {
  static override summary = 'State that a bank line does not belong to these payments';
  static override description =
    'Without a payment, it only undoes an earlier `confirm` or `ignore` of the line.';
  static override strict = false;
  static override args = {line: lineArg, payment: Args.string({description: PAYMENT_WORDS})};
  static override examples = [
    '<%= config.bin %> reconcile reject LINE PAYMENT --note "a deposit of a customer"',
    '<%= config.bin %> reconcile reject LINE --note "ignored by mistake"',
  ];
  static override flags = decisionFlags;

  async run() {
    const {args, argv, flags} = await this.parse(ReconcileReject);
    const [, ...payments] = argv.map(String);
    return this.decide({verb: 'reject', line: args.line, payments, flags});
  }
}
