import {BatchApprove} from '../../../cli/approval/commands/approve-command.ts';

export default class PayoutsBatchApprove extends BatchApprove {
  static override summary = 'Approve a staged batch as a second person, with an SSH key';
  static override examples = [
    '<%= config.bin %> payouts batch approve november --file november.csv',
    '<%= config.bin %> payouts batch approve november --file november.csv --request november.request --write november.approval',
  ];
  readonly kind = 'payout';
}
