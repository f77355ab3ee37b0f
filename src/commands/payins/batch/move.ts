import {BatchMove} from '../../../cli/batch/team/commands.ts';

export default class PayinsBatchMove extends BatchMove {
  static override summary = 'Move a batch to the database of a team, or back';
  static override description =
    'The batch continues there, with everything that is known of its rows. Nothing is sent.';
  static override examples = [
    '<%= config.bin %> payins batch move november --to postgres://db.example.com/payments',
  ];
  readonly kind = 'payin';
}
