import {BatchGrants} from '../../../../cli/batch/team/commands.ts';

export default class PayoutsBatchStateGrants extends BatchGrants {
  static override examples = ['<%= config.bin %> payouts batch state grants --role runner'];
  readonly kind = 'payout';
}
