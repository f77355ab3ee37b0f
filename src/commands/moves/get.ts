import {RemitCommand} from '../../cli/core/command.ts';
import {idArg} from '../../cli/input/global-flags.ts';
import {readRecord} from '../../cli/resources/reads.ts';
import {moveView} from '../../output/views/moves.ts';

export default class MovesGet extends RemitCommand {
  static override summary = 'Show one move';
  static override args = {id: idArg('move')};
  static override examples = ['<%= config.bin %> moves get 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11'];

  async run() {
    const {args} = await this.parse(MovesGet);
    const context = await this.open();
    const move = await readRecord(context, 'moves.get', {move_id: args.id});
    context.out.record(move, moveView);
    return move;
  }
}
