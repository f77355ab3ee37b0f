import {BatchResume} from '../../../cli/batch/run/commands.ts';

export default class PayoutsBatchResume extends BatchResume {
  static override summary = 'The former name of `run` with the id of a batch';
  static override examples = ['<%= config.bin %> payouts batch resume november'];
  readonly kind = 'payout';
}
