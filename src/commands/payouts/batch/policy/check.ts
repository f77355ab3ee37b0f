import {PolicyCheck} from '../../../../cli/approval/commands/policy-commands.ts';

export default class PayoutsBatchPolicyCheck extends PolicyCheck {
  static override summary = 'Check a policy, and who of the pinned one has signed it';
  static override examples = ['<%= config.bin %> payouts batch policy check policy'];
  readonly kind = 'payout';
}
