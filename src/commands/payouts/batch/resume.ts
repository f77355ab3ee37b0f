import {BatchResume} from '../../../cli/batch/run/commands.ts';

export default class PayoutsBatchResume extends BatchResume {
  static override examples = ['<%= config.bin %> payouts batch resume november'];
  readonly kind = 'payout';
}
