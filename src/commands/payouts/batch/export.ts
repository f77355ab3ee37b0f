import {BatchExport} from '../../../cli/batch/export/commands.ts';

export default class PayoutsBatchExport extends BatchExport {
  static override summary = 'Write the rows of a batch for accounting, as CSV, JSON or NDJSON';
  static override description =
    'One line for each row: reference, amount, status, id of its record, and why it failed. --refresh adds when it was settled.';
  static override examples = [
    '<%= config.bin %> payouts batch export november --refresh --out november.csv',
    '<%= config.bin %> payouts batch export november -o ndjson',
  ];
  readonly kind = 'payout';
}
