import {RemitCommand} from '../../cli/core/command.ts';
import {listFlags} from '../../cli/input/flags.ts';
import {showRecords} from '../../cli/resources/lists.ts';
import {payeeView} from '../../output/views/parties.ts';

export default class PayeesList extends RemitCommand {
  static override summary = 'List payees, newest first';
  static override examples = [
    '<%= config.bin %> payees list --limit 10',
    '<%= config.bin %> payees list --all -o id',
  ];
  static override flags = {...listFlags};

  async run() {
    const {flags} = await this.parse(PayeesList);
    const query = {order: flags.order};
    await showRecords(await this.open(), 'payees.list', query, {view: payeeView, flags, typed: this.typed});
  }
}
