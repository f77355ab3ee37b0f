import {BatchFind} from '../../../cli/batch/overview/commands.ts';

export default class PayinsBatchFind extends BatchFind {
  static override summary = 'Find a row by its reference in all batches of this state folder';
  static override examples = [
    '<%= config.bin %> payins batch find INV-17',
    '<%= config.bin %> payins batch find INV-17 -o id',
  ];
  readonly kind = 'payin';
}
