import {RemitCommand} from '../../cli/core/command.ts';
import {idArg} from '../../cli/input/flags.ts';
import {payeeView} from '../../output/views/parties.ts';

export default class PayeesGet extends RemitCommand {
  static override summary = 'Show one payee';
  static override args = {id: idArg('payee')};
  static override examples = ['<%= config.bin %> payees get 5f0c6d3e-8a41-4d0e-9b1c-2f7a6f0d9c11'];

  async run() {
    const {args} = await this.parse(PayeesGet);
    const {client, out, stop} = await this.open();
    const {data} = await client.payees.get({id: args.id}, {signal: stop.signal});
    out.record(data, payeeView);
    return data;
  }
}
