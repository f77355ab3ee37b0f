import {waitAccountTransfer} from '../../cli/resources/account-transfers.ts';
import {RemitCommand} from '../../cli/core/command.ts';
import {accountTransferWaitFlags, idArg} from '../../cli/input/flags.ts';

export default class TransfersWait extends RemitCommand {
  static override summary = 'Wait until an account transfer is settled or failed';
  static override args = {id: idArg('account transfer')};
  static override examples = [
    '<%= config.bin %> transfers wait 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11',
    '<%= config.bin %> transfers wait ID --until initiated --timeout 2m',
  ];
  static override flags = {until: accountTransferWaitFlags.until, timeout: accountTransferWaitFlags.timeout};

  async run() {
    const {args, flags} = await this.parse(TransfersWait);
    return this.conclude(await waitAccountTransfer(await this.open(), {id: args.id, wait: flags}));
  }
}
