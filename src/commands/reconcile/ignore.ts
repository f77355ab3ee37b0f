import {decisionFlags, DecisionCommand, lineArg} from '../../cli/reconcile/decide.ts';

export default class ReconcileIgnore extends DecisionCommand {
  static override summary = 'State that a bank line needs no payment';
  static override description =
    'Its amount stays in the sums, as ignored; it is not listed any more. To undo it: `reconcile reject LINE`.';
  static override args = {line: lineArg};
  static override examples = ['<%= config.bin %> reconcile ignore LINE --note "interest for November"'];
  static override flags = decisionFlags;

  async run() {
    const {args, flags} = await this.parse(ReconcileIgnore);
    return this.decide({verb: 'ignore', line: args.line, payments: [], flags});
  }
}
