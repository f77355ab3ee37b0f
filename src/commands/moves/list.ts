import {RemitCommand} from '../../cli/core/command.ts';
import {listFlags} from '../../cli/input/flags.ts';
import {showRecords} from '../../cli/resources/lists.ts';
import {moveView} from '../../output/views/moves.ts';

export default class MovesList extends RemitCommand {
  static override summary = 'List moves, newest first';
  static override examples = [
    '<%= config.bin %> moves list --limit 10',
    '<%= config.bin %> moves list --all -o id',
  ];
  static override flags = {...listFlags};

  async run() {
    const {flags} = await this.parse(MovesList);
    const query = {order: flags.order};
    await showRecords(await this.open(), 'moves.list', query, {view: moveView, flags, typed: this.typed});
  }
}
