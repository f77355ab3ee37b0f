import {BatchFind} from '../../../cli/batch/overview/commands.ts';

export default class PayoutsBatchFind extends BatchFind {
  static override examples = [
    '<%= config.bin %> payouts batch find INV-17',
    '<%= config.bin %> payouts batch find INV-17 -o id',
  ];
  readonly kind = 'payout';
}
