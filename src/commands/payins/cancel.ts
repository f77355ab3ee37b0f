import {RemitCommand} from '../../cli/core/command.ts';
import {dryRunFlags, statedAmountFlags} from '../../cli/input/flags.ts';
import {idArg} from '../../cli/input/global-flags.ts';
import {PAYIN} from '../../cli/resources/money/transfer-kinds.ts';
import {cancelRecord} from '../../cli/resources/money/writes.ts';

export default class PayinsCancel extends RemitCommand {
  static override summary = 'Cancel a payin that has not been released';
  static override args = {id: idArg('payin')};
  static override examples = ['<%= config.bin %> payins cancel 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11'];
  static override flags = {
    ...statedAmountFlags,
    ...dryRunFlags,
  };

  async run() {
    const {args, flags} = await this.parse(PayinsCancel);
    return this.conclude(await cancelRecord(await this.open(), PAYIN, args.id, flags));
  }
}
