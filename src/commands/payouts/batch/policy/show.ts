import {PolicyShow} from '../../../../cli/approval/commands/policy-commands.ts';

export default class PayoutsBatchPolicyShow extends PolicyShow {
  static override summary = 'Show the policy of the profile';
  static override examples = ['<%= config.bin %> payouts batch policy show'];
  readonly kind = 'payout';
}
