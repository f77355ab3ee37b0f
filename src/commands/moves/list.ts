import {RemitCommand} from '../../cli/core/command.ts';
import {listFlags} from '../../cli/input/flags.ts';
import {listOptions, showList} from '../../cli/resources/lists.ts';
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
    const context = await this.open();
    const listing = context.client.moves.list({order: flags.order}, listOptions(context, flags));
    await showList(context, listing, moveView, this.typed);
  }
}
