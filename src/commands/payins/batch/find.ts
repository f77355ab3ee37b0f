import {BatchFind} from '../../../cli/batch/overview/commands.ts';

export default class PayinsBatchFind extends BatchFind {
  static override examples = [
    '<%= config.bin %> payins batch find INV-17',
    '<%= config.bin %> payins batch find INV-17 -o id',
  ];
  readonly kind = 'payin';
}
