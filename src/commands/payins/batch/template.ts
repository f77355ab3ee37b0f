import {BatchTemplate} from '../../../cli/batch/plan/commands.ts';

export default class PayinsBatchTemplate extends BatchTemplate {
  static override summary = 'Print a CSV to start from';
  static override examples = ['<%= config.bin %> payins batch template > payins.csv'];
  readonly kind = 'payin';
}
