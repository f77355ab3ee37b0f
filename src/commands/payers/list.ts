import {RemitCommand} from '../../cli/core/command.ts';
import {listFlags} from '../../cli/input/flags.ts';
import {listOptions, showList} from '../../cli/resources/lists.ts';
import {payerView} from '../../output/views/parties.ts';

export default class PayersList extends RemitCommand {
  static override summary = 'List payers, newest first';
  static override examples = [
    '<%= config.bin %> payers list --limit 10',
    '<%= config.bin %> payers list --all -o id',
  ];
  static override flags = {...listFlags};

  async run() {
    const {flags} = await this.parse(PayersList);
    const context = await this.open();
    const listing = context.client.payers.list({order: flags.order}, listOptions(context, flags));
    await showList(context, listing, payerView, this.typed);
  }
}
