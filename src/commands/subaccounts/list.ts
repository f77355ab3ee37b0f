import {RemitCommand} from '../../cli/core/command.ts';
import {listFlags} from '../../cli/input/flags.ts';
import {listOptions, showList} from '../../cli/resources/lists.ts';
import {subaccountView} from '../../output/views/moves.ts';

export default class SubaccountsList extends RemitCommand {
  static override summary = 'List subaccounts, newest first';
  static override examples = [
    '<%= config.bin %> subaccounts list --limit 10',
    '<%= config.bin %> subaccounts list --all -o id',
  ];
  static override flags = {...listFlags};

  async run() {
    const {flags} = await this.parse(SubaccountsList);
    const context = await this.open();
    const listing = context.client.subaccounts.list({order: flags.order}, listOptions(context, flags));
    await showList(context, listing, subaccountView, this.typed);
  }
}
