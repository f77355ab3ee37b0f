import {BatchStatus} from '../../../cli/batch/overview/commands.ts';

export default class PayinsBatchStatus extends BatchStatus {
  static override examples = [
    '<%= config.bin %> payins batch status november --json',
    '<%= config.bin %> payins batch status november --row INV-17',
  ];
  readonly kind = 'payin';
}
