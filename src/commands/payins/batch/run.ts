import {BatchRunCommand} from '../../../cli/batch/run/commands.ts';

export default class PayinsBatchRun extends BatchRunCommand {
  static override summary = 'Collect each row of a CSV or Excel file exactly once, or continue a batch';
  static override examples = [
    '<%= config.bin %> payins batch run payins.csv --batch-id november',
    '<%= config.bin %> payins batch run november',
    '<%= config.bin %> payins batch run november --confirm-total USD=1500.75 --confirm-count 2',
  ];
  readonly kind = 'payin';
}
