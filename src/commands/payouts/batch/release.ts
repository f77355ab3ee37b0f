import {BatchRelease} from '../../../cli/batch/run/commands.ts';

export default class PayoutsBatchRelease extends BatchRelease {
  static override summary = 'Release a staged batch, so that money moves';
  static override examples = ['<%= config.bin %> payouts batch release november'];
  readonly kind = 'payout';
}
