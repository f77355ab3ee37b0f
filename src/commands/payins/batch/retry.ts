import {BatchRetry} from '../../../cli/batch/run/commands.ts';

export default class PayinsBatchRetry extends BatchRetry {
  static override examples = [
    '<%= config.bin %> payins batch retry november',
    '<%= config.bin %> payins batch retry november --row INV-7',
  ];
  readonly kind = 'payin';
}
