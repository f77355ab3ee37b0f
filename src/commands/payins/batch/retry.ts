import {BatchRetry} from '../../../cli/batch/commands.ts';

export default class PayinsBatchRetry extends BatchRetry {
  static override summary = 'Send failed rows again, each with a new key';
  static override description =
    'Every row is looked up first, and only one whose record has failed is sent again.';
  static override examples = [
    '<%= config.bin %> payins batch retry november',
    '<%= config.bin %> payins batch retry november --row INV-7',
  ];
  readonly kind = 'payin';
}
