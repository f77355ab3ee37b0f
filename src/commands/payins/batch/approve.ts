import {BatchApprove} from '../../../cli/approval/commands/approve-command.ts';

export default class PayinsBatchApprove extends BatchApprove {
  static override summary = 'Approve a staged batch as a second person, with an SSH key';
  static override examples = [
    '<%= config.bin %> payins batch approve november --file november.csv',
    '<%= config.bin %> payins batch approve november --file november.csv --request november.request --write november.approval',
  ];
  readonly kind = 'payin';
}
