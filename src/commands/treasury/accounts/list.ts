import {RemitCommand} from '../../../cli/core/command.ts';
import {listFlags} from '../../../cli/input/flags.ts';
import {listOptions, showList} from '../../../cli/resources/lists.ts';
import {treasuryAccountView} from '../../../output/views/treasury.ts';

export default class TreasuryAccountsList extends RemitCommand {
  static override summary = 'List treasury accounts';
  static override examples = [
    '<%= config.bin %> treasury accounts list --limit 10',
    '<%= config.bin %> treasury accounts list --all -o id',
  ];
  static override flags = {...listFlags};

  async run() {
    const {flags} = await this.parse(TreasuryAccountsList);
    const context = await this.open();
    const listing = context.client.treasury.accounts({order: flags.order}, listOptions(context, flags));
    await showList(context, listing, treasuryAccountView, this.typed);
  }
}
