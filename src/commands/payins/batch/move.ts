import {BatchMove} from '../../../cli/batch/team/commands.ts';

export default class PayinsBatchMove extends BatchMove {
  static override examples = [
    '<%= config.bin %> payins batch move november --to postgres://db.example.com/payments',
  ];
  readonly kind = 'payin';
}
