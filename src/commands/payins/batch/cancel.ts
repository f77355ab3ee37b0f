import {BatchCancel} from '../../../cli/batch/commands.ts';

export default class PayinsBatchCancel extends BatchCancel {
  static override summary = 'Cancel every record of a batch that is not released';
  static override description =
    'Rows in doubt are settled first. Each record is read, canceled if it is still created, and read again. Released records are listed and left as they are; nothing else of the batch is sent any more.';
  static override examples = ['<%= config.bin %> payins batch cancel november'];
  readonly kind = 'payin';
}
