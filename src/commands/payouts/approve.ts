import {RemitCommand} from '../../cli/core/command.ts';
import {dryRunFlags, statedAmountFlags, waitFlags} from '../../cli/input/flags.ts';
import {idArg} from '../../cli/input/global-flags.ts';
import {PAYOUT} from '../../cli/resources/money/transfer-kinds.ts';
import {approveRecord} from '../../cli/resources/money/writes.ts';

export default class PayoutsApprove extends RemitCommand {
  static override summary = 'Approve a payout so that money moves';
  static override args = {id: idArg('payout')};
  static override examples = [
    '<%= config.bin %> payouts approve 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11',
    '<%= config.bin %> payouts approve ID --wait --timeout 5m',
  ];
  static override flags = {
    ...statedAmountFlags,
    ...dryRunFlags,
    ...waitFlags,
  };

  async run() {
    const {args, flags} = await this.parse(PayoutsApprove);
    return this.conclude(await approveRecord(await this.open(), PAYOUT, args.id, flags));
  }
}
