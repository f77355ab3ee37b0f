import {BatchStatus} from '../../../cli/batch/overview/commands.ts';

export default class PayoutsBatchStatus extends BatchStatus {
  static override examples = [
    '<%= config.bin %> payouts batch status november --json',
    '<%= config.bin %> payouts batch status november --row INV-17',
  ];
  readonly kind = 'payout';
}
