import {BatchPlan} from '../../../cli/batch/plan/commands.ts';

export default class PayoutsBatchPlan extends BatchPlan {
  static override summary = 'Check a CSV of payouts and plan a batch; sends nothing';
  static override examples = ['<%= config.bin %> payouts batch plan payouts.csv --batch-id november'];
  readonly kind = 'payout';
}
