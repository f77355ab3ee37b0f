import {BatchReport} from '../../../cli/batch/overview/commands.ts';

export default class PayinsBatchReport extends BatchReport {
  static override examples = ['<%= config.bin %> payins batch report november --out results'];
  readonly kind = 'payin';
}
