import {PolicyInit} from '../../../../cli/approval/commands/policy-commands.ts';

export default class PayoutsBatchPolicyInit extends PolicyInit {
  static override summary = 'Write a policy: who may approve batches';
  static override examples = [
    '<%= config.bin %> payouts batch policy init policy --approver anna=anna.pub --approver ben=ben.pub',
  ];
  readonly kind = 'payout';
}
