import {BatchGrants} from '../../../../cli/batch/team/commands.ts';

export default class PayinsBatchStateGrants extends BatchGrants {
  static override summary = 'Print the rights that a database role needs to run batches of a team';
  static override description =
    'Run the statements as the owner of the schema, who runs the first command. Nothing is connected to or sent.';
  static override examples = ['<%= config.bin %> payins batch state grants --role runner'];
  readonly kind = 'payin';
}
