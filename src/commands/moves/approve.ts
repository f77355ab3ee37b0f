import {RemitCommand} from '../../cli/command.ts';
import {dryRunFlag, idArg} from '../../cli/flags.ts';
import {approveMove} from '../../cli/moves.ts';

export default class MovesApprove extends RemitCommand {
  static override summary = 'Approve a move, which settles it at once';
  static override args = {id: idArg('move')};
  static override examples = ['<%= config.bin %> moves approve 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11'];
  static override flags = {'dry-run': dryRunFlag};

  async run() {
    const {args, flags} = await this.parse(MovesApprove);
    return this.conclude(await approveMove(await this.open(), {id: args.id, dryRun: flags['dry-run']}));
  }
}
