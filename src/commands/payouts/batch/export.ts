import {BatchExport} from '../../../cli/batch/export/commands.ts';

export default class PayoutsBatchExport extends BatchExport {
  static override examples = [
    '<%= config.bin %> payouts batch export november --refresh --out november.csv',
    '<%= config.bin %> payouts batch export november -o ndjson',
  ];
  readonly kind = 'payout';
}
