import {BatchRelease} from '../../../cli/batch/run/commands.ts';

export default class PayinsBatchRelease extends BatchRelease {
  static override examples = ['<%= config.bin %> payins batch release november'];
  readonly kind = 'payin';
}
