import {PolicyInit} from '../../../../cli/approval/commands/policy-commands.ts';

export default class PayinsBatchPolicyInit extends PolicyInit {
  static override summary = 'Write a policy: who may approve batches';
  static override examples = [
    '<%= config.bin %> payins batch policy init policy --approver anna=anna.pub --approver ben=ben.pub',
  ];
  readonly kind = 'payin';
}
