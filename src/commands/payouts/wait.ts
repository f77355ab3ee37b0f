import {RemitCommand} from '../../cli/core/command.ts';
import {idArg, waitFlags} from '../../cli/input/flags.ts';
import {PAYOUT, waitTransfer} from '../../cli/resources/transfers.ts';

export default class PayoutsWait extends RemitCommand {
  static override summary = 'Wait until a payout is settled, failed or canceled';
  static override args = {id: idArg('payout')};
  static override examples = [
    '<%= config.bin %> payouts wait 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11',
    '<%= config.bin %> payouts wait ID --until debited --timeout 2m',
  ];
  static override flags = {until: waitFlags.until, timeout: waitFlags.timeout};

  async run() {
    const {args, flags} = await this.parse(PayoutsWait);
    return this.conclude(await waitTransfer(await this.open(), PAYOUT, {id: args.id, wait: flags}));
  }
}
