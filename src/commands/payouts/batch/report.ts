import {BatchReport} from '../../../cli/batch/overview/commands.ts';

export default class PayoutsBatchReport extends BatchReport {
  static override examples = ['<%= config.bin %> payouts batch report november --out results'];
  readonly kind = 'payout';
}
