import {BatchRetry} from '../../../cli/batch/run/commands.ts';

export default class PayoutsBatchRetry extends BatchRetry {
  static override summary = 'Send rejected or failed rows again, once their cause is fixed';
  static override description =
    'Each record is fetched first. Rejected rows keep their key; rows whose record failed get a new one. The rows and amounts are listed before you are asked.';
  static override examples = [
    '<%= config.bin %> payouts batch retry november',
    '<%= config.bin %> payouts batch retry november --row INV-7',
  ];
  readonly kind = 'payout';
}
