import {decisionFlags, DecisionCommand, lineArg, paymentArg} from '../../cli/reconcile/decide.ts';

export default class ReconcileReject extends DecisionCommand {
  static override summary = 'State that a bank line does not belong to these payments';
  static override strict = false;
  static override args = {line: lineArg, payment: paymentArg};
  static override examples = [
    '<%= config.bin %> reconcile reject LINE PAYMENT --note "a deposit of a customer"',
  ];
  static override flags = decisionFlags;

  async run() {
    const {args, argv, flags} = await this.parse(ReconcileReject);
    const [, ...payments] = argv.map(String);
    return this.decide({verb: 'reject', line: args.line, payments, flags});
  }
}
