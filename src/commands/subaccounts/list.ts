import {RemitCommand} from '../../cli/core/command.ts';
import {listFlags} from '../../cli/input/flags.ts';
import {showRecords} from '../../cli/resources/lists.ts';
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
    const query = {order: flags.order};
    await showRecords(await this.open(), 'subaccounts.list', query, {
      view: subaccountView,
      flags,
      typed: this.typed,
    });
  }
}
