import {BatchRetry} from '../../../cli/batch/run/commands.ts';

export default class PayoutsBatchRetry extends BatchRetry {
  static override examples = [
    '<%= config.bin %> payouts batch retry november',
    '<%= config.bin %> payouts batch retry november --row INV-7',
  ];
  readonly kind = 'payout';
}
