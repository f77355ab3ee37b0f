import {PolicyShow} from '../../../../cli/approval/commands/policy-commands.ts';

export default class PayinsBatchPolicyShow extends PolicyShow {
  static override summary = 'Show the policy of the profile';
  static override examples = ['<%= config.bin %> payins batch policy show'];
  readonly kind = 'payin';
}
