import {BatchAudit} from '../../../cli/approval/commands/audit-command.ts';

export default class PayoutsBatchAudit extends BatchAudit {
  static override summary = 'Show and verify the audit trail of a batch';
  static override examples = ['<%= config.bin %> payouts batch audit november'];
  readonly kind = 'payout';
}
