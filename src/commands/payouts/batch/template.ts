import {BatchTemplate} from '../../../cli/batch/plan/commands.ts';

export default class PayoutsBatchTemplate extends BatchTemplate {
  static override summary = 'Print a CSV to start from';
  static override examples = ['<%= config.bin %> payouts batch template > payouts.csv'];
  readonly kind = 'payout';
}
