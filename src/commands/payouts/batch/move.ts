import {BatchMove} from '../../../cli/batch/team/commands.ts';

export default class PayoutsBatchMove extends BatchMove {
  static override examples = [
    '<%= config.bin %> payouts batch move november --to postgres://db.example.com/payments',
  ];
  readonly kind = 'payout';
}
