import {RemitCommand} from '../../cli/core/command.ts';
import {listFlags} from '../../cli/input/flags.ts';
import {showRecords} from '../../cli/resources/lists.ts';
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
    const query = {order: flags.order};
    await showRecords(await this.open(), 'payers.list', query, {view: payerView, flags, typed: this.typed});
  }
}
