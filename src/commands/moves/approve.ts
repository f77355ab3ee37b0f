import {RemitCommand} from '../../cli/core/command.ts';
import {dryRunFlags, statedAmountFlags} from '../../cli/input/flags.ts';
import {idArg} from '../../cli/input/global-flags.ts';
import {approveRecord} from '../../cli/resources/money/writes.ts';
import {MOVE} from '../../cli/resources/money/moves.ts';

export default class MovesApprove extends RemitCommand {
  static override summary = 'Approve a move; it settles at once';
  static override args = {id: idArg('move')};
  static override examples = ['<%= config.bin %> moves approve 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11'];
  static override flags = {...statedAmountFlags, ...dryRunFlags};

  async run() {
    const {args, flags} = await this.parse(MovesApprove);
    return this.conclude(await approveRecord(await this.open(), MOVE, args.id, flags));
  }
}
