import {BatchResume} from '../../../cli/batch/run/commands.ts';

export default class PayinsBatchResume extends BatchResume {
  static override examples = ['<%= config.bin %> payins batch resume november'];
  readonly kind = 'payin';
}
