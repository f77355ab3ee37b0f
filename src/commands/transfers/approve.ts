import {ACCOUNT_TRANSFER} from '../../cli/resources/money/account-transfers.ts';
import {approveRecord} from '../../cli/resources/money/writes.ts';
import {RemitCommand} from '../../cli/core/command.ts';
import {accountTransferWaitFlags, dryRunFlags, statedAmountFlags} from '../../cli/input/flags.ts';
import {idArg} from '../../cli/input/global-flags.ts';

export default class TransfersApprove extends RemitCommand {
  static override summary = 'Approve an account transfer so that money moves';
  static override args = {id: idArg('account transfer')};
  static override examples = [
    '<%= config.bin %> transfers approve 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11',
    '<%= config.bin %> transfers approve ID --wait --timeout 5m',
  ];
  static override flags = {...statedAmountFlags, ...dryRunFlags, ...accountTransferWaitFlags};

  async run() {
    const {args, flags} = await this.parse(TransfersApprove);
    return this.conclude(await approveRecord(await this.open(), ACCOUNT_TRANSFER, args.id, flags));
  }
}
