import {BatchList} from '../../../cli/batch/overview/commands.ts';

export default class PayoutsBatchList extends BatchList {
  static override examples = ['<%= config.bin %> payouts batch list'];
  readonly kind = 'payout';
}
