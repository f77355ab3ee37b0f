import {BatchCancel} from '../../../cli/batch/run/commands.ts';

export default class PayoutsBatchCancel extends BatchCancel {
  static override summary = 'Cancel the unreleased records of a batch';
  static override description =
    'Rows in doubt are resolved first. Each record is fetched, canceled if its status is still created, and fetched again. Released records are listed and left unchanged. Afterwards nothing more of the batch can be sent.';
  static override examples = ['<%= config.bin %> payouts batch cancel november'];
  readonly kind = 'payout';
}
