import {BatchExport} from '../../../cli/batch/export/commands.ts';

export default class PayinsBatchExport extends BatchExport {
  static override examples = [
    '<%= config.bin %> payins batch export november --refresh --out november.csv',
    '<%= config.bin %> payins batch export november -o ndjson',
  ];
  readonly kind = 'payin';
}
