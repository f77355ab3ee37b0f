import {BatchList} from '../../../cli/batch/overview/commands.ts';

export default class PayoutsBatchList extends BatchList {
  static override summary = 'List the batches of this state folder';
  static override examples = ['<%= config.bin %> payouts batch list'];
  readonly kind = 'payout';
}
