import {BatchGrants} from '../../../../cli/batch/team/commands.ts';

export default class PayinsBatchStateGrants extends BatchGrants {
  static override examples = ['<%= config.bin %> payins batch state grants --role runner'];
  readonly kind = 'payin';
}
