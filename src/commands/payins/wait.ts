import {RemitCommand} from '../../cli/core/command.ts';
import {idArg, waitFlags} from '../../cli/input/flags.ts';
import {PAYIN, waitTransfer} from '../../cli/resources/transfers.ts';

export default class PayinsWait extends RemitCommand {
  static override summary = 'Wait until a payin is settled, failed or canceled';
  static override args = {id: idArg('payin')};
  static override examples = [
    '<%= config.bin %> payins wait 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11',
    '<%= config.bin %> payins wait ID --until debited --timeout 2m',
  ];
  static override flags = {until: waitFlags.until, timeout: waitFlags.timeout};

  async run() {
    const {args, flags} = await this.parse(PayinsWait);
    return this.conclude(await waitTransfer(await this.open(), PAYIN, {id: args.id, wait: flags}));
  }
}
