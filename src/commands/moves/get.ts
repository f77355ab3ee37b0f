import {RemitCommand} from '../../cli/core/command.ts';
import {idArg} from '../../cli/input/global-flags.ts';
import {answered} from '../../cli/resources/reads.ts';
import {moveView} from '../../output/views/moves.ts';

export default class MovesGet extends RemitCommand {
  static override summary = 'Show one move';
  static override args = {id: idArg('move')};
  static override examples = ['<%= config.bin %> moves get 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11'];

  async run() {
    const {args} = await this.parse(MovesGet);
    const context = await this.open();
    const {client, out, stop} = context;
    const input = {params: {move_id: args.id}, options: {signal: stop.signal}};
    const move = answered(context, await client.record('moves.get', input));
    out.record(move, moveView);
    return move;
  }
}
