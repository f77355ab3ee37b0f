import {BatchList} from '../../../cli/batch/overview/commands.ts';

export default class PayinsBatchList extends BatchList {
  static override summary = 'List the batches of this state folder';
  static override examples = ['<%= config.bin %> payins batch list'];
  readonly kind = 'payin';
}
