import {BatchCancel} from '../../../cli/batch/run/commands.ts';

export default class PayinsBatchCancel extends BatchCancel {
  static override examples = ['<%= config.bin %> payins batch cancel november'];
  readonly kind = 'payin';
}
