import {BatchCancel} from '../../../cli/batch/run/commands.ts';

export default class PayoutsBatchCancel extends BatchCancel {
  static override examples = ['<%= config.bin %> payouts batch cancel november'];
  readonly kind = 'payout';
}
