import {RemitCommand} from '../../../cli/core/command.ts';
import {listFlags} from '../../../cli/input/flags.ts';
import {showRecords} from '../../../cli/resources/lists.ts';
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
    const query = {order: flags.order};
    await showRecords(await this.open(), 'treasury.accounts', query, {
      view: treasuryAccountView,
      flags,
      typed: this.typed,
    });
  }
}
