import {BatchRelease} from '../../../cli/batch/run/commands.ts';

export default class PayoutsBatchRelease extends BatchRelease {
  static override examples = ['<%= config.bin %> payouts batch release november'];
  readonly kind = 'payout';
}
