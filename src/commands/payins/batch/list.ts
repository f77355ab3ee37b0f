import {BatchList} from '../../../cli/batch/overview/commands.ts';

export default class PayinsBatchList extends BatchList {
  static override examples = ['<%= config.bin %> payins batch list'];
  readonly kind = 'payin';
}
