import {BatchDiff} from '../../../cli/batch/compare/commands.ts';

export default class PayinsBatchDiff extends BatchDiff {
  static override summary = 'Compare a file with what a batch has collected; sends nothing';
  static override description =
    'Lists rows of the file that are not collected, collected rows that are not in the file, and rows that differ. Exit 0 if there are none, 8 otherwise.';
  static override examples = [
    '<%= config.bin %> payins batch diff bills.xlsx',
    '<%= config.bin %> payins batch diff bills.csv november -o json',
  ];
  readonly kind = 'payin';
}
