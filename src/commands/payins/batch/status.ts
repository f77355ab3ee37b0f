import {BatchStatus} from '../../../cli/batch/commands.ts';

export default class PayinsBatchStatus extends BatchStatus {
  static override summary = 'Show where a batch stands';
  static override examples = ['<%= config.bin %> payins batch status november --json'];
  readonly kind = 'payin';
}
