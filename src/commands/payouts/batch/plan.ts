import {PlanCommand} from '../../../cli/batch/plan/commands.ts';

export default class PayoutsBatchPlan extends PlanCommand {
  static override summary = 'Check a CSV or Excel file of payouts and plan a batch; sends nothing';
  static override examples = [
    '<%= config.bin %> payouts batch plan payouts.csv --batch-id november',
    '<%= config.bin %> payouts batch plan bills.xlsx --sheet November --html november.html',
  ];
  readonly kind = 'payout';
}
