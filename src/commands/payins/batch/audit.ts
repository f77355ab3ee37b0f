import {BatchAudit} from '../../../cli/approval/commands/audit-command.ts';

export default class PayinsBatchAudit extends BatchAudit {
  static override summary = 'Show and verify the audit trail of a batch';
  static override examples = ['<%= config.bin %> payins batch audit november'];
  readonly kind = 'payin';
}
