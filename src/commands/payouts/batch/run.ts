import {BatchRunCommand} from '../../../cli/batch/run/commands.ts';

export default class PayoutsBatchRun extends BatchRunCommand {
  static override summary = 'Pay each row of a CSV or Excel file exactly once, or continue a batch';
  static override examples = [
    '<%= config.bin %> payouts batch run payouts.csv --batch-id november',
    '<%= config.bin %> payouts batch run november',
    '<%= config.bin %> payouts batch run november --confirm-total USD=1500.75 --confirm-count 2',
  ];
  readonly kind = 'payout';
}
