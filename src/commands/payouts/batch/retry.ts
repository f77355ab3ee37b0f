import {BatchRetry} from '../../../cli/batch/commands.ts';

export default class PayoutsBatchRetry extends BatchRetry {
  static override summary = 'Send failed rows again, each with a new key';
  static override description =
    'Every row is looked up first, and only one whose record has failed is sent again.';
  static override examples = [
    '<%= config.bin %> payouts batch retry november',
    '<%= config.bin %> payouts batch retry november --row INV-7',
  ];
  readonly kind = 'payout';
}
